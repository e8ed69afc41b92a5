"""The server's app: ASGI 3, one pipeline of checks in the order that clients rely on.

``Host``, ``Origin`` and ``OPTIONS``, ``Content-Type``, discovery, ``Nylorun-Protocol``, the
tenant, the credential and its scopes, then the path, the body and the other parameters, and at
last the route's own work inside one transaction.

The dispatch is our own because the whole of it is smaller than a framework's import, which
in-process use would pay for at every command.
"""

from __future__ import annotations

import logging
from asyncio import CancelledError
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import Any, Final

from envsync.errors import StoreError
from envsync.server.access_log import AccessLog
from envsync.server.auth.access import ANY, Access
from envsync.server.auth.authenticator import Authenticator, ByCredential, KeyCredential
from envsync.server.auth.caller import Caller
from envsync.server.auth.challenge import credential_required
from envsync.server.refusal import Refusal
from envsync.server.routes.answer import Answer, protocol_rejected, rejected
from envsync.server.routes.call import Call, bad_request
from envsync.server.routes.discovery import Discovery, is_protected_resource
from envsync.server.routes.incoming import (
    Message,
    call_of,
    host_name,
    is_spoken_here,
    raw_path,
    segments_of,
)
from envsync.server.routes.keys import key_routes
from envsync.server.routes.manifests import manifest_routes
from envsync.server.routes.me import me_routes
from envsync.server.routes.receiving import has_body, is_json, receive_body
from envsync.server.routes.table import Route, RouteTable
from envsync.server.services.times import timestamp
from envsync.server.settings import AppSettings
from envsync.server.store.interface import Store, Transaction

Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

ALLOWED_METHODS: Final = "GET, POST, PUT, DELETE, OPTIONS"

_log: Final = logging.getLogger("envsync.server")
_LARGE_BODY: Final = 32 * 1024
_RETRY_SOON: Final = (("retry-after", "1"),)


class App:
    """Serves one store. ``closing`` makes ``/ready`` say no, before the listener closes.

    ``in_process`` says that the caller owns the database: it gets the ``StoreError`` itself, which
    names the file and the way out, where a caller from elsewhere only learns that it can't be used.
    """

    def __init__(
        self,
        store: Store,
        settings: AppSettings,
        authenticator: Authenticator,
        access_log: AccessLog | None,
        *,
        in_process: bool = False,
    ) -> None:
        self._store = store
        self._in_process = in_process
        self._settings = settings
        self._authenticator = authenticator
        self._access_log = access_log
        self._discovery = Discovery(store, settings)
        self._table = RouteTable(
            (*manifest_routes(settings.abilities), *key_routes(), *me_routes())
        )

    @property
    def routes(self) -> tuple[Route, ...]:
        """Every route below ``/v1``."""
        return self._table.routes

    def close_soon(self) -> None:
        self._discovery.closing = True

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
            return
        if scope["type"] != "http":
            raise ValueError(f"this server does not speak {scope['type']}")
        started = perf_counter()
        call = call_of(scope)
        served = _Served()
        request_id = ""
        try:
            answer = await self._answer(raw_path(scope), call, receive, served)
        except Refusal as refusal:
            answer = rejected(refusal)
        except StoreError as error:
            if self._in_process:
                raise
            _log.error("database: %s", error.message)
            answer = rejected(_unavailable())
        except CancelledError:
            if not self._discovery.closing:
                raise
            answer = rejected(_stopped())
        except Exception:  # noqa: BLE001 - the last line of defence: say nothing, log all
            request_id = _request_id()
            _log.exception("request %s failed", request_id)
            answer = rejected(_failed(served), request_id)
        await _send(answer, call.method, send)
        if self._access_log is not None:
            self._access_log.write(
                scope,
                call,
                served.route,
                answer,
                milliseconds=(perf_counter() - started) * 1000,
                request_id=request_id,
            )

    async def _answer(self, path: str, call: Call, receive: Receive, served: _Served) -> Answer:
        self._check_host(call)
        in_v1 = path == "/v1" or path.startswith("/v1/")
        if "origin" in call.headers and not in_v1 and not is_protected_resource(path):
            raise Refusal(403, "origin_rejected", "Requests from browsers are not accepted here")
        if call.method == "OPTIONS":
            return Answer(204, None, (("allow", ALLOWED_METHODS),))
        if has_body(call) and not is_json(call.header("content-type")):
            raise Refusal(415, "unsupported_media_type", "Request bodies must be application/json")
        if not in_v1:
            known = await self._discovery.answer(path, call)
            if known is not None:
                return known
        segments = segments_of(path)
        if segments is not None:
            served.route, call.parameters = self._table.find(call.method, segments)
        return await self._tenant_route(served.route, segments is None, call, receive)

    async def _tenant_route(
        self, route: Route | None, malformed: bool, call: Call, receive: Receive
    ) -> Answer:
        access = ANY if route is None else route.access
        metadata_url = self._discovery.metadata_url(call) if access.application else ""
        spoken = call.header("nylorun-protocol")
        if spoken is None and route is not None and "authorization" not in call.headers:
            # A generic OAuth client knows neither header: it gets the challenge, not the 426.
            if not isinstance(self._authenticator, ByCredential):
                return protocol_rejected()
            raise credential_required(metadata_url)
        if not is_spoken_here(spoken):
            return protocol_rejected()
        host = await self._discovery.host()
        named = (call.header("nylorun-tenant") or "").strip()
        if named and named != host.tenant:
            raise Refusal(404, "not_found", "Not found")
        call.tenant = host.tenant
        who = await self._authenticator.identify(call, access, metadata_url)
        if route is None:
            await self._resolved(who, call, access, metadata_url)
            raise _no_route(malformed)
        return await self._serve(route, who, call, receive, metadata_url)

    async def _serve(
        self,
        route: Route,
        who: Caller | KeyCredential,
        call: Call,
        receive: Receive,
        metadata_url: str,
    ) -> Answer:
        if not route.takes_body and route.writes is None:
            # One snapshot answers who calls and what they asked for.
            def look_up_and_run(tx: Transaction) -> Answer:
                call.caller = _caller(who, tx, call, route.access, metadata_url)
                return route.run(tx, call, route.prepare(call))

            return await self._store.read(look_up_and_run, heavy=route.heavy)
        call.caller = await self._resolved(who, call, route.access, metadata_url)
        if route.takes_body:
            call.body = await receive_body(call, receive, self._settings.body_seconds)
        prepared = await self._prepared(route, call)
        call.now = timestamp()

        def run(tx: Transaction) -> Answer:
            return route.run(tx, call, prepared)

        if route.writes is not None and route.writes(prepared):
            return await self._store.write(run)
        return await self._store.read(run, heavy=route.heavy)

    async def _prepared(self, route: Route, call: Call) -> Any:
        """What the route reads in the call; a large body doesn't hold up other requests."""
        if len(call.body) <= _LARGE_BODY:
            return route.prepare(call)
        from asyncio import to_thread

        return await to_thread(route.prepare, call)

    async def _resolved(
        self, who: Caller | KeyCredential, call: Call, access: Access, metadata_url: str
    ) -> Caller:
        if isinstance(who, Caller):
            return who
        return await self._store.read(lambda tx: who.resolve(tx, call, access, metadata_url))

    def _check_host(self, call: Call) -> None:
        allowed = self._settings.allowed_hosts
        if allowed and host_name(call.header("host") or "") not in allowed:
            raise Refusal(421, "host_rejected", "The Host header names none of this server's hosts")


class _Served:
    """What became known of a request on its way, for the log."""

    __slots__ = ("route",)

    def __init__(self) -> None:
        self.route: Route | None = None


def build_app(
    store: Store,
    settings: AppSettings | None = None,
    *,
    authenticator: Authenticator | None = None,
    access_log: AccessLog | None = None,
    in_process: bool = False,
) -> App:
    """The app over an open ``store``, which stays the caller's to close.

    Without an ``authenticator`` every request needs a key, or a token of one of the issuers that
    ``settings`` name. ``in_process``: calls raise ``StoreError``, since the caller owns the
    database.
    """
    chosen = settings or AppSettings()
    if authenticator is None:
        authenticator = ByCredential(_trusted(chosen))
    return App(store, chosen, authenticator, access_log, in_process=in_process)


def _trusted(settings: AppSettings) -> Any:
    if not settings.issuers:
        return None
    from envsync.server.auth.issuers import TrustedIssuers

    return TrustedIssuers(settings.issuers)


def _caller(
    who: Caller | KeyCredential, tx: Transaction, call: Call, access: Access, metadata_url: str
) -> Caller:
    return who if isinstance(who, Caller) else who.resolve(tx, call, access, metadata_url)


def _request_id() -> str:
    from secrets import token_hex

    return token_hex(8)


def _no_route(malformed: bool) -> Refusal:
    if malformed:
        return bad_request("The path's percent-encoding is broken")
    return Refusal(404, "request_rejected", "Route not found")


def _unavailable() -> Refusal:
    return Refusal(503, "request_rejected", "The database cannot be used now", headers=_RETRY_SOON)


def _stopped() -> Refusal:
    """For a request that was in flight when the time to stop was over."""
    return Refusal(
        503,
        "request_rejected",
        "The server stopped before it could answer; read before you try again",
        headers=(*_RETRY_SOON, ("connection", "close")),
    )


def _failed(served: _Served) -> Refusal:
    message = "Internal error" if served.route is None else "Runtime request failed"
    return Refusal(500, "internal_error", message)


async def _send(answer: Answer, method: str, send: Send) -> None:
    headers = [(name.encode(), value.encode("latin-1")) for name, value in answer.headers]
    body = answer.body
    if body is not None:
        headers.append((b"content-type", b"application/json"))
        headers.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if method == "HEAD" else body or b""})


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
