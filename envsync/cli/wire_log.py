"""What ``--debug`` shows: one line a request, never a header or a body."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from envsync.api.messages import Request, Response, Transport
from envsync.cli.console import Console
from envsync.errors import NetworkError
from envsync.rendering.text import line, quiet

if TYPE_CHECKING:
    from envsync.operations.workspace import Connect
    from envsync.project.config import Project
    from envsync.project.context import Context


def telling(connect: Connect, console: Console) -> Connect:
    """``connect``, but its transports print what they carry on stderr."""

    def connect_and_tell(project: Project, context: Context) -> Transport:
        return TellingTransport(connect(project, context), console)

    return connect_and_tell


class TellingTransport:
    """Wraps a transport. There is nothing to mask: what could be secret is never looked at."""

    def __init__(self, inner: Transport, console: Console) -> None:
        self._inner = inner
        self._console = console

    @property
    def address(self) -> str:
        return self._inner.address

    async def send(self, request: Request) -> Response:
        started = time.perf_counter()
        query = "&".join(f"{name}={value}" for name, value in request.query)
        asked = f"{request.method} {request.path}" + (f"?{query}" if query else "")
        sent = len(request.body or b"")
        try:
            response = await self._inner.send(request)
        except NetworkError as error:
            self._tell(f"{asked} -> no answer ({error.code})", started, sent, 0)
            raise
        self._tell(f"{asked} -> {response.status}", started, sent, len(response.body))
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()

    def _tell(self, what: str, started: float, sent: int, received: int) -> None:
        milliseconds = (time.perf_counter() - started) * 1000
        text = f"{what}, {milliseconds:.1f} ms, {sent} B out, {received} B in"
        self._console.err([line(quiet(text))])
