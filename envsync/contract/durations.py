"""Durations as manifests write them: a whole number and a unit, ``30m`` or ``7d``."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_DURATION = re.compile(r"([0-9]+)(ms|s|m|h|d)\Z")

UNITS: Final = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_LARGEST_FIRST = tuple(reversed(UNITS.items()))
_DIGITS_MAX: Final = 18


@lru_cache(maxsize=4096)
def parse_duration(text: str) -> int:
    """The milliseconds that ``text`` says, at least 1. Raises ``ValueError`` for anything else."""
    match = _DURATION.match(text)
    if match is None or len(match[1]) > _DIGITS_MAX:
        raise ValueError(f"{text!r} is not a duration such as 90s, 30m or 7d")
    duration = int(match[1]) * UNITS[match[2]]
    if duration == 0:
        raise ValueError(f"{text!r} is not more than zero")
    return duration


def format_duration(milliseconds: int) -> str:
    """``milliseconds`` in the largest unit that says it exactly: ``60_000`` is ``1m``."""
    for unit, factor in _LARGEST_FIRST:
        if milliseconds % factor == 0:
            return f"{milliseconds // factor}{unit}"
    raise AssertionError("every whole number divides by one millisecond")
