"""How often a server is asked whether anything has changed. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

SHORTEST: Final = 1.0
LONGEST: Final = 15.0
GROWTH: Final = 1.5


@dataclass(slots=True)
class Pace:
    """Seconds between questions: few while something happens, more and more while nothing does."""

    wait: float = SHORTEST

    def idle(self) -> None:
        """Nothing had changed."""
        self.wait = min(LONGEST, self.wait * GROWTH)

    def stir(self) -> None:
        """Something has changed, here or there."""
        self.wait = SHORTEST
