"""The bearer of a request: read from its headers, and told apart without a look-up."""

from __future__ import annotations

import re
from typing import Final

_BEARER: Final = re.compile(r"bearer +(\S+) *", re.IGNORECASE)
_JWT: Final = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*")


def bearer_of(authorization: str | None) -> str | None:
    """The token of an ``Authorization`` header; ``None`` without one or for another scheme."""
    found = _BEARER.fullmatch(authorization or "")
    return found[1] if found else None


def looks_like_token(bearer: str) -> bool:
    """Whether ``bearer`` has the shape of a JWT, which no key has."""
    return _JWT.fullmatch(bearer) is not None
