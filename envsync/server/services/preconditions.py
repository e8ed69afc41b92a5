"""If-Match and If-None-Match."""

from __future__ import annotations

import re
from typing import Final

from envsync.server.refusal import Refusal

_VERSION: Final = re.compile(r'(?:W/)?("?)([0-9]{1,15})\1')
_TAG: Final = re.compile(r'(?:W/)?("[^"]*")')


def if_match_version(header: str | None) -> int | None:
    """The version that an ``If-Match`` expects; ``None`` when there is none.

    ``3``, ``"3"`` and ``W/"3"`` are the same; blank is absent; ``0`` expects nothing saved yet.
    Raises ``Refusal`` 400 ``request_rejected`` for anything else.
    """
    text = (header or "").strip()
    if not text:
        return None
    found = _VERSION.fullmatch(text)
    if found is None:
        raise Refusal(
            400,
            "request_rejected",
            "If-Match is the version you read, such as 3, or 0 for a manifest that is new",
        )
    return int(found[2])


def etag_matches(if_none_match: str | None, etag: str) -> bool:
    """Whether ``If-None-Match`` (a list, or ``*``) holds ``etag`` by the weak comparison."""
    if if_none_match is None:
        return False
    if if_none_match.strip() == "*":
        return True
    return etag.removeprefix("W/") in _TAG.findall(if_none_match)
