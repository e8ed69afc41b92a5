"""The app in this process, and the server in another one."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from envsync.server.app import App, build_app
from envsync.server.auth.caller import TOKEN_SCOPES
from envsync.server.auth.identity import IssuerConfig
from envsync.server.auth.issuers import TrustedIssuers
from envsync.server.auth.jwt import verifying_key
from envsync.server.services import keys
from envsync.server.services.host import host
from envsync.server.services.times import timestamp
from envsync.server.settings import AppSettings
from envsync.server.store.interface import Store
from envsync.server.store.opening import open_store

T = TypeVar("T")

KEY_TEXTS = {role: (f"{number}" * 64)[:64] for number, role in enumerate(keys.Role, start=1)}
"""The text of the one key of each role that the tests make."""


@dataclass(frozen=True)
class Reply:
    status: int
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str | None:
        return dict(self.headers).get(name)

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class InProcess:
    """Sends requests to an app as a web server would, without one."""

    app: App
    runner: asyncio.Runner
    store: Store
    tenant: str = ""
    bearer: str = KEY_TEXTS[keys.Role.APPLICATION]
    seen: list[Reply] = field(default_factory=list)

    def send(
        self,
        method: str,
        path: str,
        body: object = None,
        headers: Mapping[str, str] | list[tuple[str, str]] = (),
        *,
        bearer: str | None = "",
        protocol: str | None = "14",
        host_name: str | None = "runtime.example",
        chunks: list[bytes] | None = None,
    ) -> Reply:
        """``body`` is JSON unless it is bytes. ``bearer`` None sends no credential."""
        sent = [(b"host", host_name.encode())] if host_name is not None else []
        if protocol is not None:
            sent.append((b"nylorun-protocol", protocol.encode()))
        text = self.bearer if bearer == "" else bearer
        if text is not None:
            sent.append((b"authorization", f"Bearer {text}".encode()))
        given = list(headers.items()) if isinstance(headers, Mapping) else list(headers)
        parts = chunks
        if parts is None:
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            parts = [b"" if body is None else data]
            if body is not None:
                sent.append((b"content-length", str(len(data)).encode()))
        else:
            sent.append((b"transfer-encoding", b"chunked"))
        if (body is not None or chunks is not None) and "content-type" not in dict(given):
            sent.append((b"content-type", b"application/json"))
        sent += [(name.lower().encode(), value.encode("latin-1")) for name, value in given]
        return self.runner.run(self._send(method, path, sent, parts))

    async def _send(
        self, method: str, path: str, headers: list[tuple[bytes, bytes]], parts: list[bytes]
    ) -> Reply:
        raw, _, query = path.partition("?")
        scope = {
            "type": "http",
            "method": method,
            "path": raw,
            "raw_path": raw.encode(),
            "query_string": query.encode(),
            "headers": headers,
            "scheme": "http",
            "client": ("127.0.0.1", 1),
        }
        left = list(parts)
        answered: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            part = left.pop(0)
            return {"type": "http.request", "body": part, "more_body": bool(left)}

        async def send(message: Any) -> None:
            answered.append(message)

        await self.app(scope, receive, send)
        start, end = answered
        named = [(name.decode(), value.decode("latin-1")) for name, value in start["headers"]]
        reply = Reply(start["status"], named, end["body"])
        self.seen.append(reply)
        return reply


async def make_keys(store: Store) -> str:
    """One key of each role, with the texts of ``KEY_TEXTS``. Returns the tenant."""

    def work(tx: Any) -> str:
        tenant = host(tx).tenant
        for role, text in KEY_TEXTS.items():
            keys.put_key(tx, tenant, f"the-{role}", role, timestamp(), text=text)
        return tenant

    return await store.write(work)


Build = Callable[..., InProcess]


@pytest.fixture
def run_here() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture
def build(location: str, run_here: asyncio.Runner) -> Iterator[Build]:
    """``build(settings, authenticator=...)``: an app over an empty database that has keys."""

    async def opened() -> tuple[Store, str]:
        store = open_store(location)
        return store, await make_keys(store)

    store, tenant = run_here.run(opened())

    def make(settings: AppSettings | None = None, **more: Any) -> InProcess:
        return InProcess(build_app(store, settings, **more), run_here, store, tenant)

    yield make
    run_here.run(store.aclose())


@pytest.fixture
def api(build: Build) -> InProcess:
    """The app as it is without any settings, spoken to with an application key."""
    return build()


@dataclass
class Server:
    """A server in a process of its own."""

    process: subprocess.Popen[str]
    address: str
    events: list[dict[str, Any]]
    log: Path

    @property
    def port(self) -> int:
        return urlsplit(self.address).port or 0

    def stop(self, how: int = signal.SIGTERM, *, seconds: float = 20) -> int:
        self.process.send_signal(how)
        return self.process.wait(seconds)

    def log_lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]


@contextmanager
def server_process(database: str, folder: Path, *arguments: str) -> Iterator[Server]:
    """Runs ``python -m envsync.server`` until it listens, and ends it afterwards."""
    log = folder / f"server-{os.urandom(4).hex()}.log"
    command = [sys.executable, "-m", "envsync.server", "--database", database, "--port", "0"]
    with log.open("w") as stderr:
        process = subprocess.Popen(
            [*command, *arguments], stdout=subprocess.PIPE, stderr=stderr, text=True
        )
    assert process.stdout is not None
    events = []
    try:
        for line in process.stdout:
            events.append(json.loads(line))
            if events[-1]["event"] == "listening":
                break
        else:
            raise AssertionError(log.read_text())
        yield Server(process, events[-1]["address"], events, log)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stdout.close()


def in_a_database(database: str | Path, work: Callable[[Store], Coroutine[Any, Any, T]]) -> T:
    """Runs ``work`` over the store at ``database``, before or beside a server."""

    async def opened() -> T:
        store = open_store(database)
        try:
            return await work(store)
        finally:
            await store.aclose()

    return asyncio.run(opened())


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on SQLite with one key of each role."""
    folder = tmp_path_factory.mktemp("server")
    database = folder / "server.db"
    in_a_database(database, make_keys)
    with server_process(str(database), folder, "--body-seconds", "1", "--stop-seconds", "5") as it:
        yield it


@pytest.fixture
def start_server(tmp_path: Path) -> Callable[..., Any]:
    """``with start_server("--flag", ..., database=...) as server``."""

    def start(*arguments: str, database: str | Path | None = None) -> Any:
        return server_process(str(database or tmp_path / "server.db"), tmp_path, *arguments)

    return start


@pytest.fixture(scope="session")
def key_texts() -> Mapping[str, str]:
    return {str(role): text for role, text in KEY_TEXTS.items()}


@pytest.fixture(scope="session")
def prepare_database() -> Callable[[str | Path], str]:
    """Fills a database with one key of each role; returns the tenant."""
    return lambda database: in_a_database(database, make_keys)


class Issuer:
    """An identity provider of the tests: signs tokens with a key of its own."""

    def __init__(self) -> None:
        self.key = ed25519.Ed25519PrivateKey.generate()
        self.now = 1_800_000_000

    def config(self, **more: Any) -> IssuerConfig:
        given: dict[str, Any] = {
            "name": "sso",
            "issuer": "https://sso.example",
            "audience": "https://runtime.example",
            "keys": (verifying_key(self.key.public_key()),),
            "allowed_scopes": (*TOKEN_SCOPES, "studio"),
            "agents": ("support", "helper"),
            "environments": ("users/{sub}/*", "teams/{team}"),
        }
        return IssuerConfig(**{**given, **more})

    def trusted(self, *configs: IssuerConfig, **more: Any) -> TrustedIssuers:
        return TrustedIssuers(configs or (self.config(),), now=lambda: self.now, **more)

    def claims(self, **claims: Any) -> dict[str, Any]:
        given = {
            "iss": "https://sso.example",
            "aud": "https://runtime.example",
            "sub": "carol",
            "exp": self.now + 60,
            "iat": self.now,
        }
        return {name: value for name, value in {**given, **claims}.items() if value is not None}

    def token(self, header: Mapping[str, Any] | None = None, key: Any = None, **claims: Any) -> str:
        """A token; a claim that is None is left out, and ``header`` is added to ``alg``."""
        key = self.key if key is None else key
        return sign({"alg": algorithm_of(key), **(header or {})}, self.claims(**claims), key)


def algorithm_of(key: Any) -> str:
    kinds = {rsa.RSAPrivateKey: "RS256", ec.EllipticCurvePrivateKey: "ES256"}
    return next((name for kind, name in kinds.items() if isinstance(key, kind)), "EdDSA")


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def sign(header: Mapping[str, Any], claims: object, key: Any) -> str:
    """A JWS in compact form."""
    signed = ".".join(base64url(json.dumps(part).encode()) for part in (header, claims))
    if isinstance(key, rsa.RSAPrivateKey):
        signature = key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256())
    elif isinstance(key, ec.EllipticCurvePrivateKey):
        r, s = decode_dss_signature(key.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
        size = (key.curve.key_size + 7) // 8
        signature = r.to_bytes(size, "big") + s.to_bytes(size, "big")
    else:
        signature = key.sign(signed.encode())
    return f"{signed}.{base64url(signature)}"


@pytest.fixture(scope="session")
def issuer() -> Issuer:
    return Issuer()


@pytest.fixture(scope="session")
def sign_token() -> Callable[..., str]:
    return sign
