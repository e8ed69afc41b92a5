"""What a server's certificate says of itself, for the message that refuses it."""

from __future__ import annotations

import ssl

from envsync.http.address import Address


def describe_certificate(address: Address, seconds: float) -> str:
    """One sentence: subject, issuer, names and validity of the certificate at ``address``.

    Opens a connection of its own, reads the certificate, says nothing and closes: nothing is
    believed of what it reads. Blocking, at most ``seconds``. Empty when it cannot be had.
    """
    from cryptography import x509

    try:
        pem = ssl.get_server_certificate((address.host, address.port), timeout=seconds)
        certificate = x509.load_pem_x509_certificate(pem.encode("ascii"))
        subject = certificate.subject.rfc4514_string()
        issuer = certificate.issuer.rfc4514_string()
        valid = (
            f"valid {certificate.not_valid_before_utc:%Y-%m-%d} to "
            f"{certificate.not_valid_after_utc:%Y-%m-%d}"
        )
        names = _names(certificate)
    except (OSError, ValueError):
        return ""
    by = "itself" if subject == issuer else (issuer or "nobody it names")
    for_names = f" for {', '.join(names)}" if names else ""
    return f"it says {subject or 'nothing of its subject'}{for_names}, issued by {by}, {valid}"


def _names(certificate: object) -> list[str]:
    from cryptography import x509

    assert isinstance(certificate, x509.Certificate)
    try:
        extension = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    except (x509.ExtensionNotFound, x509.DuplicateExtension, ValueError):
        return []
    return [str(name.value) for name in extension.value][:5]
