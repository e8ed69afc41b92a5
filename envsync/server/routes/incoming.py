"""Incoming: what the web server hands over, read into what the routes work with."""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from envsync.contract.features import PROTOCOL_MAX, PROTOCOL_MIN
from envsync.server.routes.call import Call

Message = MutableMapping[str, Any]

_BROKEN_ESCAPE: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
_DIGITS: Final = re.compile(r"[0-9]{1,9}")


def call_of(scope: Message) -> Call:
    """The request of an ASGI ``scope``."""
    headers: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        headers.setdefault(name.decode("latin-1"), []).append(value.decode("latin-1"))
    return Call(
        method=scope["method"],
        headers=headers,
        query_string=scope.get("query_string", b"").decode("latin-1"),
        scheme=scope.get("scheme", "http"),
    )


def raw_path(scope: Message) -> str:
    """The path as it was sent, percent-encoded, so that an encoded slash stays in its segment."""
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    return raw.decode("latin-1")


def segments_of(path: str) -> list[str] | None:
    """The decoded segments of ``path``; ``None`` when an escape or the UTF-8 is broken."""
    parts = path.split("/")[1:]
    if "%" not in path and path.isascii():
        return parts
    if _BROKEN_ESCAPE.search(path):
        return None
    try:
        return [unquote_to_bytes(part).decode() for part in parts]
    except UnicodeDecodeError:
        return None


def host_name(header: str) -> str:
    """The name in a ``Host`` header, lower-case, without its port."""
    if header.startswith("["):
        return header.partition("]")[0].removeprefix("[").lower()
    return header.partition(":")[0].rstrip(".").lower()


def is_spoken_here(header: str | None) -> bool:
    """Whether ``Nylorun-Protocol`` names a protocol that this server serves."""
    text = (header or "").strip()
    return bool(_DIGITS.fullmatch(text)) and PROTOCOL_MIN <= int(text) <= PROTOCOL_MAX
