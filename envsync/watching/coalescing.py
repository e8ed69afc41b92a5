"""Many wake-ups, one look. Pure: every method is told what time it is, in seconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

QUIET: Final = 0.05
"""A look begins when nothing has happened for so long."""

CAP: Final = 0.5
"""Under a steady stream of wake-ups a look begins after so long all the same."""


@dataclass(slots=True)
class Coalescer:
    """Collects wake-ups until it is time to look."""

    quiet: float = QUIET
    cap: float = CAP
    _first: float | None = None
    _last: float = 0.0

    def note(self, now: float) -> None:
        """Something happened."""
        if self._first is None:
            self._first = now
        self._last = now

    @property
    def due(self) -> float | None:
        """When to look; ``None`` while nothing has happened."""
        if self._first is None:
            return None
        return min(self._last + self.quiet, self._first + self.cap)

    @property
    def since(self) -> float | None:
        """When the first of what is not looked at yet happened."""
        return self._first

    def take(self, now: float) -> bool:
        """Begins anew. Returns whether it was quiet before: what is seen in the middle of a
        stream may be half of something."""
        settled = self._first is None or now >= self._last + self.quiet
        self._first = None
        return settled
