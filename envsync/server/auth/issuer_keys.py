"""The public keys of one issuer: given in the identity file, or fetched from its JWKS address."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

import orjson

from envsync.contract.json_types import Json
from envsync.server.auth.identity import IssuerConfig
from envsync.server.auth.jwt import VerifyingKey, from_jwk

Fetch = Callable[[str], Awaitable[bytes]]
"""Reads an address; raises ``OSError`` or ``EnvsyncError`` when it can't, within five seconds."""

MAX_JWKS_BYTES: Final = 256 * 1024
MAX_JWKS_KEYS: Final = 64
REFETCH_SECONDS: Final = 60.0
MAX_AGE_SECONDS: Final = 600.0

_log: Final = logging.getLogger("envsync.server")


class KeysUnavailableError(Exception):
    """The key that a token names is not known, and the issuer's JWKS can't be fetched now."""


class IssuerKeys:
    """``clock`` gives seconds that only grow. Each process keeps its own copy of what was fetched.

    Fetched at most once a minute for a key that is not known, and again in the background when
    the keys are ten minutes old. A fetch that fails keeps the keys there are.
    """

    def __init__(self, config: IssuerConfig, fetch: Fetch, clock: Callable[[], float]) -> None:
        self._address = config.jwks
        self._keys: tuple[VerifyingKey, ...] = config.keys
        self._fetch = fetch
        self._clock = clock
        self._tried_at = float("-inf")
        self._fetched_at = float("-inf")
        self._failed = False
        self._running: asyncio.Task[None] | None = None

    async def candidates(self, algorithm: str, kid: str | None) -> tuple[VerifyingKey, ...]:
        """The keys that may have signed a token. Raises ``KeysUnavailableError``."""
        found = self._matching(algorithm, kid)
        if not self._address:
            return found
        if not found:
            await self._refresh()
            found = self._matching(algorithm, kid)
            if not found and self._failed:
                raise KeysUnavailableError
        elif self._clock() - self._fetched_at >= MAX_AGE_SECONDS:
            self._start()
        return found

    def _matching(self, algorithm: str, kid: str | None) -> tuple[VerifyingKey, ...]:
        """Keys of the file have no ``kid``; a fetched key is meant by its ``kid`` alone."""
        by_kid = bool(self._address) and kid is not None
        return tuple(
            key
            for key in self._keys
            if key.algorithm == algorithm and (not by_kid or key.kid == kid)
        )

    async def _refresh(self) -> None:
        task = self._start()
        if task is not None:
            # A caller that goes away must not end the fetch that others wait for.
            await asyncio.shield(task)

    def _start(self) -> asyncio.Task[None] | None:
        """The fetch that runs, a new one, or ``None`` when it is too soon for one."""
        if self._running is not None and not self._running.done():
            return self._running
        if self._clock() - self._tried_at < REFETCH_SECONDS:
            return None
        self._tried_at = self._clock()
        self._running = asyncio.create_task(self._load())
        return self._running

    async def _load(self) -> None:
        try:
            async with asyncio.timeout(5):
                data = await self._fetch(self._address)
            self._keys = parse_jwks(data)
        except Exception as error:  # noqa: BLE001 - whatever it is, the keys stay as they are
            self._failed = True
            _log.warning("the keys at %s cannot be fetched: %s", self._address, error)
        else:
            self._failed = False
            self._fetched_at = self._clock()


def parse_jwks(data: bytes) -> tuple[VerifyingKey, ...]:
    """The usable keys of a JWK Set, of its first 64. Raises ``ValueError``."""
    if len(data) > MAX_JWKS_BYTES:
        raise ValueError("the key set is larger than 256 KiB")
    document: Json = orjson.loads(data)
    entries = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(entries, list):
        raise ValueError("the key set has no list of keys")
    keys = (from_jwk(entry) for entry in entries[:MAX_JWKS_KEYS])
    return tuple(key for key in keys if key is not None)
