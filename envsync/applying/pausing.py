"""How long to wait before trying again."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Final

Pause = Callable[[int], Awaitable[None]]
"""Waits before the try that follows the given one; tries are counted from 1."""

_FIRST_SECONDS: Final = 0.05


async def jittered(attempt: int) -> None:
    """Up to 0.1, 0.2, 0.4 seconds: two runs that met once should not meet again."""
    longest = _FIRST_SECONDS * 2**attempt
    await asyncio.sleep(random.uniform(0, longest))  # noqa: S311 - no secret depends on it
