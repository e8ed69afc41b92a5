"""If-Match and If-None-Match."""

from __future__ import annotations


def if_match_version(header: str | None) -> int | None:
    """The version that an ``If-Match`` expects; ``None`` when there is none.

    ``3``, ``"3"`` and ``W/"3"`` are the same; blank is absent; ``0`` expects nothing saved yet.
    Raises ``Refusal`` 400 ``request_rejected`` for anything else.
    """
    raise NotImplementedError


def etag_matches(if_none_match: str | None, etag: str) -> bool:
    """Whether ``If-None-Match`` (a list, or ``*``) holds ``etag`` by the weak comparison."""
    raise NotImplementedError
