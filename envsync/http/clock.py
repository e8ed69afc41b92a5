"""Time and chance, in one place that a test can replace; and the budget that counts it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class Clock(Protocol):
    """``monotonic`` is in seconds from anywhere; ``wall`` is seconds since 1970 (UTC)."""

    def monotonic(self) -> float: ...

    def wall(self) -> float: ...

    def chance(self) -> float:
        """A number from 0 (included) to 1 (excluded)."""
        ...

    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """The clock on the wall."""

    def monotonic(self) -> float:
        import time

        return time.monotonic()

    def wall(self) -> float:
        import time

        return time.time()

    def chance(self) -> float:
        import random

        return random.random()  # noqa: S311  spreads retries; nothing secret depends on it

    async def sleep(self, seconds: float) -> None:
        import asyncio

        await asyncio.sleep(seconds)


@dataclass(slots=True)
class Budget:
    """The seconds that a whole command may spend on the network, counted from its first use."""

    seconds: float
    clock: Clock
    _ends: float | None = None

    def left(self) -> float:
        """What is left, never below 0. The first call starts the count."""
        now = self.clock.monotonic()
        if self._ends is None:
            self._ends = now + self.seconds
        return max(0.0, self._ends - now)
