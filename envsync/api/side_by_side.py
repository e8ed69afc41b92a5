"""Doing many things at once, but not all of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


async def side_by_side(
    width: int, items: Iterable[Item], work: Callable[[Item], Awaitable[Result]]
) -> list[Result]:
    """``work`` of every item, at most ``width`` at a time, in the order of ``items``.

    The first exception ends the rest and is raised as it is.
    """
    import asyncio

    queue = iter(enumerate(items))
    results: dict[int, Result] = {}

    async def worker() -> None:
        for index, item in queue:
            results[index] = await work(item)

    failure: BaseException | None = None
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(width):
                group.create_task(worker())
    except BaseExceptionGroup as failures:
        failure = failures.exceptions[0]
    if failure is not None:
        raise failure
    return [results[index] for index in sorted(results)]
