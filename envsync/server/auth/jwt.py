"""JSON Web Tokens, as far as this server reads them: RFC 7515 compact form, three algorithms.

Only what a trusted issuer may send is understood. A key decides its algorithm, never the token.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from typing import Final

import orjson
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ec import (
    ECDSA,
    SECP256R1,
    EllipticCurvePublicKey,
    EllipticCurvePublicNumbers,
)
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey, RSAPublicNumbers
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from msgspec import Struct

from envsync.contract.json_types import Json

MAX_TOKEN_BYTES: Final = 16 * 1024
ALGORITHMS: Final = ("RS256", "ES256", "EdDSA")

_MIN_RSA_BITS: Final = 2048
_FORBIDDEN_HEADERS: Final = frozenset({"jku", "jwk", "x5u", "x5c", "crit"})
_BASE64URL: Final = re.compile(r"[A-Za-z0-9_-]*")

PublicKey = RSAPublicKey | EllipticCurvePublicKey | Ed25519PublicKey


class VerifyingKey(Struct, frozen=True):
    """A public key and the one algorithm it verifies."""

    key: PublicKey
    algorithm: str
    kid: str | None = None

    def verifies(self, token: Token) -> bool:
        """Whether this key signed ``token``."""
        try:
            if isinstance(self.key, RSAPublicKey):
                self.key.verify(token.signature, token.signed, PKCS1v15(), SHA256())
            elif isinstance(self.key, EllipticCurvePublicKey):
                self.key.verify(_der(token.signature), token.signed, ECDSA(SHA256()))
            else:
                self.key.verify(token.signature, token.signed)
        except (InvalidSignature, ValueError):
            return False
        return True


class Token(Struct, frozen=True):
    """A token that was read and not yet believed. ``signed`` are the bytes under the signature."""

    algorithm: str
    kid: str | None
    claims: Mapping[str, Json]
    signed: bytes
    signature: bytes


def read(text: str) -> Token:
    """The token in ``text``.

    Raises ``ValueError`` when it is none, is larger than 16 KiB, names another algorithm, or has
    a header that could bring a key of its own or change what the signature means.
    """
    if len(text) > MAX_TOKEN_BYTES:
        raise ValueError("larger than 16 KiB")
    parts = text.split(".")
    if len(parts) != 3:
        raise ValueError("not three parts")
    header, claims = _object(parts[0]), _object(parts[1])
    algorithm, kid = header.get("alg"), header.get("kid")
    if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
        raise ValueError("an algorithm that is not accepted")
    if not _FORBIDDEN_HEADERS.isdisjoint(header):
        raise ValueError("a header that is not accepted")
    if kid is not None and not isinstance(kid, str):
        raise ValueError("kid is not a string")
    signed = f"{parts[0]}.{parts[1]}".encode("ascii")
    return Token(algorithm, kid, claims, signed, decode(parts[2]))


def decode(text: str) -> bytes:
    """The bytes of unpadded base64url text in its one canonical spelling. Raises ``ValueError``."""
    if not _BASE64URL.fullmatch(text) or len(text) % 4 == 1:
        raise ValueError("not base64url")
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if base64.urlsafe_b64encode(data).rstrip(b"=").decode() != text:
        raise ValueError("not canonical base64url")
    return data


def verifying_key(key: object, kid: str | None = None) -> VerifyingKey:
    """``key`` with its algorithm. Raises ``ValueError`` for a kind or strength not accepted."""
    if isinstance(key, RSAPublicKey):
        if key.key_size < _MIN_RSA_BITS:
            raise ValueError(f"an RSA key must have at least {_MIN_RSA_BITS} bits")
        return VerifyingKey(key, "RS256", kid)
    if isinstance(key, EllipticCurvePublicKey):
        if not isinstance(key.curve, SECP256R1):
            raise ValueError("an EC key must be on P-256 (ES256)")
        return VerifyingKey(key, "ES256", kid)
    if isinstance(key, Ed25519PublicKey):
        return VerifyingKey(key, "EdDSA", kid)
    raise ValueError("a key must be RSA (RS256), P-256 (ES256) or Ed25519 (EdDSA)")


def from_pem(text: str) -> VerifyingKey:
    """The key in a PEM ``PUBLIC KEY`` block. Raises ``ValueError``."""
    try:
        key = load_pem_public_key(text.encode())
    except Exception as error:  # the library raises several kinds for bad PEM
        raise ValueError("not a PEM public key") from error
    return verifying_key(key)


def from_jwk(jwk: Json) -> VerifyingKey | None:
    """The key of one JWKS entry; ``None`` for one that is not for signatures of our kinds."""
    if not isinstance(jwk, dict) or "d" in jwk or jwk.get("use", "sig") != "sig":
        return None
    kid = jwk.get("kid")
    if not isinstance(kid, str) or len(kid) > 256:
        kid = None
    try:
        key = verifying_key(_public_key(jwk), kid)
    except (ValueError, TypeError):
        return None
    return key if jwk.get("alg", key.algorithm) == key.algorithm else None


def _public_key(jwk: Mapping[str, Json]) -> PublicKey | None:
    match jwk.get("kty"), jwk.get("crv"):
        case "RSA", _:
            return RSAPublicNumbers(_number(jwk, "e"), _number(jwk, "n")).public_key()
        case "EC", "P-256":
            numbers = EllipticCurvePublicNumbers(_number(jwk, "x"), _number(jwk, "y"), SECP256R1())
            return numbers.public_key()
        case "OKP", "Ed25519":
            return Ed25519PublicKey.from_public_bytes(_bytes(jwk, "x"))
        case _:
            return None


def _bytes(jwk: Mapping[str, Json], name: str) -> bytes:
    text = jwk.get(name)
    if not isinstance(text, str):
        raise ValueError(f"{name} is missing")
    return decode(text)


def _number(jwk: Mapping[str, Json], name: str) -> int:
    return int.from_bytes(_bytes(jwk, name), "big")


def _object(part: str) -> dict[str, Json]:
    value: Json = orjson.loads(decode(part))
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    return value


def _der(signature: bytes) -> bytes:
    """An ES256 signature (r and s, 32 bytes each) in the form the library checks."""
    if len(signature) != 64:
        raise ValueError("an ES256 signature has 64 bytes")
    return encode_dss_signature(
        int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    )
