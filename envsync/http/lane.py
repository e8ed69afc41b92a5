"""Lane: the way to one host. How many requests run side by side, and when none may.

Each place in a lane owns its own connection. One pool of many connections would be the usual way;
the library's pool walks all of its connections for each request, which made 16 side by side three
times slower than one.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from envsync.http.address import Address
from envsync.http.clock import Clock
from envsync.http.library import httpx


class Lane:
    """Places for requests to one host, the last used first, so that warm connections are used.

    ``proxy`` is the proxy on the way, without its credentials, or empty.
    """

    def __init__(
        self,
        address: Address,
        places: int,
        clock: Clock,
        connect: Callable[[], httpx.AsyncBaseTransport],
        *,
        proxy: str,
    ) -> None:
        self.address = address
        self.proxy = proxy
        self._clock = clock
        self._connect = connect
        self._free = asyncio.Semaphore(places)
        self._idle: list[httpx.AsyncBaseTransport] = []
        self._made: list[httpx.AsyncBaseTransport] = []
        self._not_before = 0.0

    def hold(self, seconds: float) -> None:
        """Let nobody start for ``seconds``: the server asked for it (``Retry-After``)."""
        self._not_before = max(self._not_before, self._clock.monotonic() + seconds)

    def held(self) -> float:
        """Seconds until the next request may start; 0 for at once."""
        return max(0.0, self._not_before - self._clock.monotonic())

    @asynccontextmanager
    async def place(self) -> AsyncIterator[httpx.AsyncBaseTransport]:
        """A connection of our own, for one attempt. Waits until one is free."""
        async with self._free:
            transport = self._idle.pop() if self._idle else self._new()
            try:
                yield transport
            finally:
                self._idle.append(transport)

    def _new(self) -> httpx.AsyncBaseTransport:
        transport = self._connect()
        self._made.append(transport)
        return transport

    async def aclose(self) -> None:
        made, self._made, self._idle = self._made, [], []
        for transport in made:
            await transport.aclose()
