"""A certificate authority of our own, made new for each run."""

from __future__ import annotations

import datetime as dt
import ipaddress
import ssl
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class Authority:
    """``bundle`` is its certificate in PEM form, as a person would name it in ``ca_bundle``."""

    bundle: Path
    folder: Path
    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate

    def server_context(self, *hosts: str, days: int = 30) -> ssl.SSLContext:
        """What a server for ``hosts`` serves with; ``days`` below 0 is a certificate that ended
        so long ago."""
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = _certificate("runtime of acme", key, self, hosts, days)
        path = self.folder / f"server-{certificate.serial_number}.pem"
        path.write_bytes(_pem(certificate) + _key_pem(key))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(path)
        return context


def make_authority(folder: Path) -> Authority:
    key = ec.generate_private_key(ec.SECP256R1())
    certificate = _certificate("acme test authority", key, None, (), 30)
    bundle = folder / "authority.pem"
    bundle.write_bytes(_pem(certificate))
    return Authority(bundle, folder, key, certificate)


def _certificate(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: Authority | None,
    hosts: tuple[str, ...],
    days: int,
) -> x509.Certificate:
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = dt.datetime.now(dt.UTC)
    start = now - dt.timedelta(days=90)
    signer = issuer.key if issuer else key
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer.certificate.subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(now + dt.timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False
        )
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )
    if hosts:
        names = [_name(host) for host in hosts]
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    return builder.sign(signer, hashes.SHA256())


def _name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _key_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
