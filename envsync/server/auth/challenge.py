"""``WWW-Authenticate: Bearer`` challenges (RFC 6750 section 3, RFC 9728 section 5.1)."""

from __future__ import annotations

from envsync.server.refusal import Refusal


def challenge(error: str = "", *, scope: str = "", metadata_url: str = "") -> str:
    """The header's value. A request without any credential gets no ``error``."""
    named = (("error", error), ("scope", scope), ("resource_metadata", metadata_url))
    parameters = ", ".join(f'{name}="{value}"' for name, value in named if value)
    return f"Bearer {parameters}" if parameters else "Bearer"


def credential_required(metadata_url: str = "") -> Refusal:
    return Refusal(
        401,
        "credential_required",
        "A bearer credential is required",
        headers=(("www-authenticate", challenge(metadata_url=metadata_url)),),
    )


def credential_invalid(metadata_url: str = "") -> Refusal:
    """Why it is not valid is for the log, never for the caller."""
    return Refusal(
        401,
        "credential_invalid",
        "The credential is not valid here",
        headers=(("www-authenticate", challenge("invalid_token", metadata_url=metadata_url)),),
    )


def token_expired(metadata_url: str = "") -> Refusal:
    return Refusal(
        401,
        "token_expired",
        "The token has expired",
        headers=(("www-authenticate", challenge("invalid_token", metadata_url=metadata_url)),),
    )


def issuer_unavailable(name: str, metadata_url: str = "") -> Refusal:
    """The token may be fine: no ``error``, so that a client tries again instead of signing in."""
    return Refusal(
        401,
        "issuer_unavailable",
        f"The keys of issuer {name} cannot be fetched now; try again later",
        headers=(("www-authenticate", challenge(metadata_url=metadata_url)),),
    )
