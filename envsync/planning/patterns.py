"""Name patterns, as ``owns``, ``ignore`` and ``--name`` write them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache


def matches(pattern: str, name: str) -> bool:
    """Whether ``pattern`` covers ``name``: ``*`` stands for any run of characters (``/`` too, so
    that ``users/*`` covers every depth below), ``?`` for one; all else stands for itself."""
    return pattern == "*" or _compiled(pattern).fullmatch(name) is not None


def matches_any(patterns: Iterable[str], name: str) -> bool:
    return any(matches(pattern, name) for pattern in patterns)


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    parts = (
        ".*" if char == "*" else "." if char == "?" else re.escape(char)
        for char in re.sub(r"\*+", "*", pattern)
    )
    return re.compile("".join(parts), re.DOTALL)
