"""The embedded server: the same application as ``envsync serve``, in process, without a port.

The only module that knows both the client and the server. It also makes the choice between the
two transports, since nothing below may know that there is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote, urlencode

from envsync.api.messages import Request, Response, Transport
from envsync.project.config import Context, Project
from envsync.project.hints import state_folder

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, MutableMapping
    from pathlib import Path

    from envsync.server.local import LocalServer

    Message = MutableMapping[str, object]
    Application = Callable[
        [
            MutableMapping[str, object],
            Callable[[], Awaitable[Message]],
            Callable[[Message], Awaitable[None]],
        ],
        Awaitable[None],
    ]


def connect(project: Project, context: Context) -> Transport:
    """The transport of ``context``: in process for ``server: embedded``, the network otherwise."""
    if context.embedded:
        if context.database is None:
            state_folder(project)
        return EmbeddedTransport(context.database_path(project.home))
    from envsync.api.http_transport import HttpTransport
    from envsync.http.settings import HttpSettings

    return HttpTransport(context.server, HttpSettings(ca_bundle=context.ca_bundle))


class EmbeddedTransport:
    """Carries requests to the server inside this process.

    The database is opened at the first request and closed by ``aclose``; several processes may
    have it open at once.
    """

    def __init__(self, database: Path) -> None:
        self._database = database
        self._server: LocalServer | None = None

    @property
    def address(self) -> str:
        return "embedded"

    async def send(self, request: Request) -> Response:
        """Raises ``StoreError`` when the database cannot be used."""
        if self._server is None:
            self._server = await open_server(self._database)
        return await call(self._server.app, request)

    async def aclose(self) -> None:
        if self._server is not None:
            await self._server.aclose()
            self._server = None


async def open_server(database: Path) -> LocalServer:
    import getpass

    from envsync.server.local import open_local

    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = "unknown"
    return open_local(database, user=user)


async def call(app: Application, request: Request) -> Response:
    """One request through an ASGI application: ASGI 3.0, HTTP scope."""
    sent = False
    status = 500
    headers: dict[str, str] = {}
    chunks: list[bytes] = []

    async def receive() -> Message:
        nonlocal sent
        if sent:
            return {"type": "http.disconnect"}
        sent = True
        return {"type": "http.request", "body": request.body or b"", "more_body": False}

    async def send(message: Message) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = int(str(message["status"]))
            pairs = message.get("headers", ())
            assert isinstance(pairs, (list, tuple))
            for name, value in pairs:
                headers[name.decode("latin-1").lower()] = value.decode("latin-1")
        elif message["type"] == "http.response.body":
            body = message.get("body", b"")
            assert isinstance(body, bytes)
            chunks.append(body)

    await app(scope_of(request), receive, send)
    return Response(status, headers, b"".join(chunks))


def scope_of(request: Request) -> MutableMapping[str, object]:
    headers = [(b"host", b"embedded")]
    headers += [
        (name.lower().encode("latin-1"), value.encode("latin-1"))
        for name, value in request.headers.items()
    ]
    if request.body is not None:
        headers.append((b"content-length", str(len(request.body)).encode()))
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": "http",
        "path": unquote(request.path),
        "raw_path": request.path.encode("ascii"),
        "root_path": "",
        "query_string": urlencode(request.query).encode("ascii"),
        "headers": headers,
        "client": None,
        "server": ("embedded", None),
    }
