"""Whose certificates are believed: a bundle that was named, or else the operating system's store.

There is no setting that turns verification off.
"""

from __future__ import annotations

import ssl
from pathlib import Path

from msgspec import Struct

from envsync.errors import NetworkError
from envsync.http.settings import HttpSettings


class Trust(Struct, frozen=True):
    """``source`` names the setting that decided; ``bundle`` is ``None`` for the system's store."""

    source: str
    bundle: Path | None = None

    def __str__(self) -> str:
        return f"{self.bundle} ({self.source})" if self.bundle else self.source


def trust_of(settings: HttpSettings) -> Trust:
    """``ca_bundle`` wins over ``SSL_CERT_FILE``, which wins over the system's store. A bundle
    stands instead of the system's store, not beside it."""
    if settings.ca_bundle is not None:
        return Trust("ca_bundle", settings.ca_bundle)
    named = settings.environment.get("SSL_CERT_FILE", "").strip()
    if named:
        return Trust("SSL_CERT_FILE", Path(named))
    return Trust("the operating system's trust store")


def ssl_context(trust: Trust) -> ssl.SSLContext:
    """Raises ``NetworkError`` when the bundle cannot be read or holds no certificate."""
    if trust.bundle is None:
        import truststore

        return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_verify_locations(cafile=trust.bundle)
    except ssl.SSLError:
        raise _unusable(trust, "it holds no certificate in PEM form") from None
    except OSError as error:
        raise _unusable(trust, error.strerror or "it cannot be read") from None
    return context


def _unusable(trust: Trust, why: str) -> NetworkError:
    return NetworkError(
        "E617",
        f"the CA bundle {trust.bundle} cannot be used: {why}",
        remedy=f"correct {trust.source}: it names a PEM file with the certificates to trust",
    )
