"""Receiving a request's body: at most 1 MiB, within a time, whether its length was told or not."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

from envsync.contract.features import BODY_MAX_BYTES
from envsync.server.refusal import Refusal
from envsync.server.routes.call import Call, bad_request

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]

_CLOSE: Final = (("connection", "close"),)

_DRAIN_BYTES: Final = 8 * BODY_MAX_BYTES
"""A body that is too large is read on up to here, so that a client that sends first and reads
afterwards sees the answer instead of a reset connection."""


def has_body(call: Call) -> bool:
    """Whether the request says that it brings a body."""
    length = call.header("content-length")
    return "transfer-encoding" in call.headers or (length is not None and length.strip("0") != "")


def is_json(content_type: str | None) -> bool:
    """``application/json``, with parameters or without."""
    media_type = (content_type or "").partition(";")[0]
    return media_type.strip().lower() == "application/json"


async def receive_body(call: Call, receive: Receive, seconds: float) -> bytes:
    """The body. Raises ``Refusal`` 413 when it is too large, 408 when it takes too long."""
    length = call.header("content-length") or ""
    told = int(length) if length.isdigit() else 0
    if told > BODY_MAX_BYTES and (told > _DRAIN_BYTES or "expect" in call.headers):
        raise _too_large()
    try:
        async with asyncio.timeout(seconds):
            return await _collect(receive)
    except TimeoutError:
        raise Refusal(
            408, "request_rejected", "The body did not arrive in time", headers=_CLOSE
        ) from None


async def _collect(receive: Receive) -> bytes:
    first = await receive()
    if not first.get("more_body", False) and first["type"] == "http.request":
        body: bytes = first.get("body", b"")
        if len(body) > BODY_MAX_BYTES:
            raise _too_large()
        return body
    parts, size, message = [], 0, first
    while True:
        if message["type"] == "http.disconnect":
            raise bad_request("The body was cut")
        part = message.get("body", b"")
        size += len(part)
        if size <= BODY_MAX_BYTES:
            parts.append(part)
        elif size > _DRAIN_BYTES:
            raise _too_large()
        if not message.get("more_body", False):
            break
        message = await receive()
    if size > BODY_MAX_BYTES:
        raise _too_large()
    return b"".join(parts)


def _too_large() -> Refusal:
    return Refusal(
        413,
        "request_rejected",
        f"The body is larger than {BODY_MAX_BYTES} bytes",
        headers=_CLOSE,
    )
