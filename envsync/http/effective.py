"""What is in effect for one server, for ``doctor``. Imports no network library and holds no
secret."""

from __future__ import annotations

from msgspec import Struct

from envsync.http.address import parse_address
from envsync.http.proxies import proxy_for
from envsync.http.settings import HttpSettings
from envsync.http.trust import trust_of


class Effective(Struct, frozen=True):
    """``proxy`` is without its credentials, and empty for a direct connection; ``proxy_reason``
    says what decided. Times in seconds, sizes in bytes."""

    address: str
    encrypted: bool
    proxy: str
    proxy_reason: str
    trust: str
    connect_seconds: float
    read_seconds: float
    write_seconds: float
    request_seconds: float
    budget_seconds: float
    attempts: int
    concurrency: int
    max_answer_bytes: int


def effective(settings: HttpSettings, url: str) -> Effective:
    """Raises ``AddressError`` or ``NetworkError`` for an address or a proxy that is not one."""
    address = parse_address(url)
    proxy = proxy_for(address, settings.environment)
    encrypted = address.scheme == "https"
    return Effective(
        address=str(address),
        encrypted=encrypted,
        proxy=proxy.shown,
        proxy_reason=proxy.reason,
        trust=str(trust_of(settings)) if encrypted else "not needed: the loopback is not encrypted",
        connect_seconds=settings.connect_seconds,
        read_seconds=settings.read_seconds,
        write_seconds=settings.write_seconds,
        request_seconds=settings.request_seconds,
        budget_seconds=settings.budget_seconds,
        attempts=settings.attempts,
        concurrency=settings.concurrency,
        max_answer_bytes=settings.max_answer_bytes,
    )
