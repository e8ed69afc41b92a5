"""Connection: uvicorn's, with a bound on a request's head, in bytes and in time.

uvicorn bounds neither with its fast parser: anybody who reaches the port could fill the memory
with one header that never ends, or hold connections open by sending nothing.
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from envsync.server.refusal import Refusal
from envsync.server.routes.answer import rejected

MAX_HEAD_BYTES: Final = 64 * 1024


class Connection(HttpToolsProtocol):
    """Ends with 431 when a head is too large, with 408 when it takes too long.

    The head of a first request counts from the moment the connection is made; between requests
    the keep-alive timeout counts.
    """

    head_seconds: float = 30.0

    _head_bytes = 0
    _in_head = True
    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._start_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_head()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._in_head:
            self._head_bytes += len(data)
        super().data_received(data)
        if self._in_head and self._head_bytes > MAX_HEAD_BYTES:
            self._refuse(431, f"The request's head is larger than {MAX_HEAD_BYTES} bytes")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if not self._in_head:
            self._start_head()

    def on_headers_complete(self) -> None:
        self._end_head()
        super().on_headers_complete()

    def _start_head(self) -> None:
        self._in_head = True
        self._head_bytes = 0
        self._head_timer = self.loop.call_later(
            self.head_seconds, self._refuse, 408, "The request's head did not arrive in time"
        )

    def _end_head(self) -> None:
        self._in_head = False
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _refuse(self, status: int, message: str) -> None:
        if self.transport.is_closing():
            return
        body = rejected(Refusal(status, "request_rejected", message)).body or b""
        head = (
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\nconnection: close\r\n"
            f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()
        self._end_head()


def connection_type(head_seconds: float) -> type[Connection]:
    """``Connection`` with its own time for a head."""
    return type("TimedConnection", (Connection,), {"head_seconds": head_seconds})
