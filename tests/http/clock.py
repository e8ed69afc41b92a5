"""A clock that only moves when somebody sleeps, and chance that always says the same."""

from __future__ import annotations


class StillClock:
    def __init__(self, chance: float = 0.5, wall: float = 1_800_000_000.0) -> None:
        self._chance = chance
        self._wall = wall
        self.now = 0.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def wall(self) -> float:
        return self._wall + self.now

    def chance(self) -> float:
        return self._chance

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
