"""What an operator may say about the server. No secret is in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from envsync.server.services.abilities import Abilities

if TYPE_CHECKING:
    from envsync.server.auth.identity import IssuerConfig

LOOPBACK: Final = "127.0.0.1"
DEFAULT_PORT: Final = 8787


class AppSettings(Struct, frozen=True):
    """What the app needs to answer.

    ``allowed_hosts`` are the names (without a port) that a ``Host`` header may have; empty lets
    every one pass. ``public_url`` is where clients reach the server, for OAuth metadata; empty
    takes each request's own origin. ``body_seconds`` bounds how long a body may take to arrive.
    """

    allowed_hosts: frozenset[str] = frozenset()
    public_url: str = ""
    issuers: tuple[IssuerConfig, ...] = ()
    abilities: Abilities = field(default_factory=Abilities)
    body_seconds: float = 30.0


class ServeSettings(Struct, frozen=True):
    """What ``envsync serve`` needs.

    ``database`` is a path (SQLite) or a ``postgresql://`` address. Port 0 takes a free one.
    ``certificate`` and ``private_key`` are PEM files, given together. ``behind_proxy`` says that
    a proxy ends TLS, so that a bind beyond loopback needs none here. ``key_file`` holds the first
    application key (64 hexadecimal characters); without it one is made and printed, once.
    ``stop_seconds`` is how long requests in flight may take after a signal. ``ready_file`` is
    written when the server listens. ``body_seconds`` is how long a request's head may take to
    arrive, and then again its body. ``access_log`` is a file, or ``-`` for standard error.
    """

    database: str
    host: str = LOOPBACK
    port: int = DEFAULT_PORT
    certificate: Path | None = None
    private_key: Path | None = None
    behind_proxy: bool = False
    allowed_hosts: tuple[str, ...] = ()
    public_url: str = ""
    identity_file: Path | None = None
    key_file: Path | None = None
    ready_file: Path | None = None
    access_log: str = "-"
    stop_seconds: int = 30
    body_seconds: float = 30.0
    pods: bool = True
