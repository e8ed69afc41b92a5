"""How long to wait before something that failed is tried again. Pure."""

from __future__ import annotations

from typing import Final

FIRST: Final = 1.0
LONGEST: Final = 60.0
LONGEST_UNREACHABLE: Final = 15.0
"""A server that was away is found again within this many seconds."""


def backoff(failures: int, chance: float, *, longest: float = LONGEST) -> float:
    """Seconds to wait after the ``failures``-th failure in a row: half of a bound that doubles
    each time up to ``longest``, and a part of the other half by ``chance`` (0 to 1), so that those
    who failed together return apart."""
    bound: float = min(longest, FIRST * 2 ** min(max(0, failures - 1), 30))
    return bound * (0.5 + chance / 2)
