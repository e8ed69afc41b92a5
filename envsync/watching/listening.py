"""A small HTTP server on loopback: ``/healthz`` and ``/metrics``, GET and HEAD, nothing else."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Final

from envsync.errors import UsageError
from envsync.watching.board import Board
from envsync.watching.metrics import metrics

LOOPBACK: Final = "127.0.0.1"
_LONGEST_HEAD: Final = 16_384
_SECONDS: Final = 5.0
_MOST_AT_ONCE: Final = 32
_LOCAL_NAMES: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})
_TEXT: Final = "text/plain; version=0.0.4; charset=utf-8"
_REASONS: Final = {200: "OK", 400: "Bad Request", 403: "Forbidden", 404: "Not Found",
                   405: "Method Not Allowed", 503: "Service Unavailable"}  # fmt: skip


class Listener:
    """Answers about ``board`` until it is closed. ``address`` is where, once it is open."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._server: asyncio.Server | None = None
        self._open = 0
        self.address = ""

    async def open(self, port: int) -> None:
        """Listens on loopback; 0 takes a free port. Raises ``UsageError`` when it can't."""
        try:
            self._server = await asyncio.start_server(
                self._serve, LOOPBACK, port, limit=_LONGEST_HEAD
            )
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or error
            raise UsageError(
                "E556",
                f"cannot listen on port {port} of {LOOPBACK}: {reason}",
                remedy="name a free one, or --listen 0 for any",
            ) from None
        taken = self._server.sockets[0].getsockname()[1]
        self.address = f"http://{LOOPBACK}:{taken}"

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open += 1
        try:
            async with asyncio.timeout(_SECONDS):
                if self._open <= _MOST_AT_ONCE:
                    head = await reader.readuntil(b"\r\n\r\n")
                    writer.write(self.answer(head))
                    await writer.drain()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            self._open -= 1
            writer.close()

    def answer(self, head: bytes) -> bytes:
        """The whole response to a request's head."""
        first, *rest = head.decode("latin-1").split("\r\n")
        parts = first.split(" ")
        if len(parts) != 3:
            return _response(400, "not a request\n")
        method, target, _ = parts
        if not _is_local(rest):
            # A page in a browser may have given its own name this address.
            return _response(403, "not for this host\n")
        if method not in ("GET", "HEAD"):
            return _response(405, "only GET and HEAD\n", "allow: GET, HEAD")
        answer = self._page(target.partition("?")[0])
        return answer if method == "GET" else answer.partition(b"\r\n\r\n")[0] + b"\r\n\r\n"

    def _page(self, path: str) -> bytes:
        if path == "/metrics":
            return _response(200, metrics(self._board, time.time()), content_type=_TEXT)
        if path != "/healthz":
            return _response(404, "there are /healthz and /metrics\n")
        board = self._board
        found = board.trouble or next(iter(board.wrong), None)
        said = {
            "status": "ok" if board.is_healthy else "trouble",
            "context": board.context,
            "doing": board.doing,
            "problem": None if found is None else {"code": found.code, "message": found.message},
        }
        return _response(
            200 if board.is_healthy else 503,
            json.dumps(said) + "\n",
            content_type="application/json",
        )


def _is_local(headers: list[str]) -> bool:
    for line in headers:
        name, _, value = line.partition(":")
        if name.strip().lower() == "host":
            host = value.strip().lower()
            bare, _, port = host.rpartition(":")
            return (bare if port.isdigit() and bare else host) in _LOCAL_NAMES
    return True


def _response(status: int, body: str, *more: str, content_type: str = "text/plain") -> bytes:
    data = body.encode()
    head = [
        f"HTTP/1.1 {status} {_REASONS[status]}",
        f"content-type: {content_type}",
        f"content-length: {len(data)}",
        "cache-control: no-store",
        "connection: close",
        *more,
    ]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + data
