"""``envsync serve``: the app behind a port, until a signal."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
import ssl
import tempfile
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import Final, Literal

import orjson
import uvicorn
from uvicorn.loops.auto import auto_loop_factory

from envsync.errors import UsageError
from envsync.http.address import is_loopback
from envsync.server.access_log import AccessLog
from envsync.server.app import App, build_app
from envsync.server.auth.identity import read_identity_file
from envsync.server.events import Announce, FirstKey, Listening, Stopping, announce_as_json
from envsync.server.log_lines import log_to_stderr
from envsync.server.services import keys
from envsync.server.services.abilities import Abilities
from envsync.server.services.host import host
from envsync.server.services.times import timestamp
from envsync.server.settings import AppSettings, ServeSettings
from envsync.server.store.interface import Store, Transaction
from envsync.server.store.opening import open_store

FIRST_KEY_ID: Final = "first"

_KEEP_ALIVE_SECONDS: Final = 75
_BACKLOG: Final = 2048


def serve(settings: ServeSettings, announce: Announce = announce_as_json) -> None:
    """Serves until SIGINT or SIGTERM, then finishes what is in flight and returns.

    Raises ``UsageError`` for settings that can't be used (E750 to E756) and ``StoreError`` for
    a database that can't.
    """
    tls = _tls(settings)
    _check_bind(settings)
    app_settings = _app_settings(settings)
    first_key = _first_key_text(settings)
    access_log = _access_log(settings)
    listener = _listener(settings)
    handler = log_to_stderr()
    try:
        with asyncio.Runner(loop_factory=auto_loop_factory()) as runner:
            runner.run(
                _serve(settings, app_settings, first_key, access_log, listener, tls, announce)
            )
    finally:
        listener.close()
        for name in ("envsync.server", "uvicorn.error"):
            logging.getLogger(name).removeHandler(handler)


async def _serve(
    settings: ServeSettings,
    app_settings: AppSettings,
    first_key: str | None,
    access_log: AccessLog,
    listener: socket.socket,
    tls: ssl.SSLContext | None,
    announce: Announce,
) -> None:
    store = open_store(_location(settings.database))
    try:
        made = await _make_first_key(store, first_key)
        if made is not None and first_key is None:
            announce(FirstKey(made.key.id, made.text))
        _warm_up()
        app = build_app(store, app_settings, access_log=access_log)
        config = uvicorn.Config(
            app,
            http=_connection_type(settings.body_seconds),
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=settings.behind_proxy,
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=settings.stop_seconds,
            backlog=_BACKLOG,
            ssl_context_factory=None if tls is None else lambda *_: tls,
        )
        await _Server(config, app, settings, _address(listener, tls), announce).serve([listener])
    finally:
        await store.aclose()


class _Server(uvicorn.Server):
    """uvicorn's server, which also says when it listens and returns after a signal."""

    def __init__(
        self,
        config: uvicorn.Config,
        app: App,
        settings: ServeSettings,
        address: str,
        announce: Announce,
    ) -> None:
        super().__init__(config)
        self._app = app
        self._settings = settings
        self._address = address
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self._settings.ready_file is not None:
            _write_ready_file(self._settings.ready_file, self._address)
        self._announce(Listening(self._address))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._announce(Stopping(self._settings.stop_seconds))
        if self._settings.ready_file is not None:
            self._settings.ready_file.unlink(missing_ok=True)
        await super().shutdown(sockets)

    def handle_exit(self, _sig: int, _frame: FrameType | None) -> None:
        """The first signal ends the server gently, the second at once."""
        self._app.close_soon()
        self.force_exit = self.should_exit
        self.should_exit = True

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """As the base class, but a signal that was obeyed is not raised again at the end."""
        if threading.current_thread() is not threading.main_thread():
            yield  # signals are the main thread's: whoever started this one ends it
            return
        obeyed = (signal.SIGINT, signal.SIGTERM)
        before = {each: signal.signal(each, self.handle_exit) for each in obeyed}
        try:
            yield
        finally:
            for each, previous in before.items():
                signal.signal(each, previous)


def _warm_up() -> None:
    """Loads what the app loads on demand, so that no first request pays for it."""
    from envsync.contract import explain  # noqa: F401
    from envsync.contract.validator import MANIFEST_BODY, validator
    from envsync.server.routes import manifest_requests  # noqa: F401

    validator(MANIFEST_BODY)


async def _make_first_key(store: Store, text: str | None) -> keys.NewKey | None:
    """An application key for a database that has no key at all; ``None`` when it has one."""

    def make(tx: Transaction) -> keys.NewKey | None:
        tenant = host(tx).tenant
        if keys.list_keys(tx, tenant):
            return None
        role = keys.Role.APPLICATION
        return keys.create_key(tx, tenant, FIRST_KEY_ID, role, timestamp(), text=text)

    if await store.read(lambda tx: bool(keys.list_keys(tx, host(tx).tenant))):
        return None
    return await store.write(make)


def _app_settings(settings: ServeSettings) -> AppSettings:
    issuers = read_identity_file(settings.identity_file) if settings.identity_file else ()
    return AppSettings(
        allowed_hosts=frozenset(name.lower() for name in settings.allowed_hosts),
        public_url=settings.public_url,
        issuers=issuers,
        abilities=Abilities(pods=settings.pods),
        body_seconds=settings.body_seconds,
    )


def _location(database: str) -> str | Path:
    return database if "://" in database else Path(database)


def _check_bind(settings: ServeSettings) -> None:
    """Keys travel in every request, so beyond this machine they travel encrypted or not at all."""
    if settings.certificate or settings.behind_proxy or is_loopback(settings.host.strip("[]")):
        return
    raise UsageError(
        "E750",
        f"{settings.host} is reached from other machines, and no certificate is given",
        remedy="give a certificate and its key, say that a proxy ends TLS, or listen on 127.0.0.1",
    )


def _tls(settings: ServeSettings) -> ssl.SSLContext | None:
    if settings.certificate is None and settings.private_key is None:
        return None
    if settings.certificate is None or settings.private_key is None:
        raise UsageError("E751", "a certificate and its private key are given together")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        # An empty password, so that an encrypted key is an error and not a prompt.
        context.load_cert_chain(settings.certificate, settings.private_key, password="")
    except (OSError, ValueError) as error:
        raise UsageError(
            "E751",
            f"the certificate {settings.certificate} with the key {settings.private_key} cannot "
            f"be used: {getattr(error, 'strerror', None) or error}",
            remedy="give PEM files that belong together, the key without a password",
        ) from None
    return context


def _first_key_text(settings: ServeSettings) -> str | None:
    if settings.key_file is None:
        return None
    try:
        text = settings.key_file.read_text("ascii").strip()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a text file"
        raise UsageError(
            "E753", f"the key file {settings.key_file} cannot be read: {reason}"
        ) from None
    if not keys.is_key_text(text):
        raise UsageError(
            "E753",
            f"the key file {settings.key_file} does not hold a key",
            remedy="a key is 64 lower-case hexadecimal characters: openssl rand -hex 32",
        )
    return text


def _access_log(settings: ServeSettings) -> AccessLog:
    try:
        return AccessLog.open(settings.access_log)
    except OSError as error:
        raise UsageError(
            "E754", f"the access log {settings.access_log} cannot be written: {error.strerror}"
        ) from None


def _listener(settings: ServeSettings) -> socket.socket:
    """A socket that listens already, so that a taken port is an error before anything else."""
    name, port = settings.host.strip("[]"), settings.port
    try:
        found = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, _, _, _, address = found[0]
        return socket.create_server(address[:2], family=family, backlog=_BACKLOG)
    except (OSError, OverflowError) as error:
        raise UsageError(
            "E755",
            f"cannot listen on {settings.host} port {port}: "
            f"{getattr(error, 'strerror', None) or error}",
            remedy="take another port, or 0 for any that is free",
        ) from None


def _address(listener: socket.socket, tls: ssl.SSLContext | None) -> str:
    name, port = listener.getsockname()[:2]
    shown = f"[{name}]" if ":" in name else name
    return f"{'https' if tls else 'http'}://{shown}:{port}"


def _connection_type(head_seconds: float) -> type[asyncio.Protocol] | Literal["h11"]:
    """Ours over the fast parser; h11, which has a bound of its own, where that isn't installed."""
    if not find_spec("httptools"):
        return "h11"
    from envsync.server.connection import connection_type

    return connection_type(head_seconds)


def _write_ready_file(path: Path, address: str) -> None:
    body = orjson.dumps({"address": address, "pid": os.getpid()})
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as temporary:
            temporary.write(body)
        Path(temporary.name).replace(path)
    except OSError as error:
        raise UsageError(
            "E756", f"the ready file {path} cannot be written: {error.strerror}"
        ) from None
