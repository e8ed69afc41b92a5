"""The database that a `serve` command works on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from envsync.cli import places
from envsync.cli.arguments import Arguments
from envsync.errors import EnvsyncError, FileError, UsageError

if TYPE_CHECKING:
    from envsync.server.store.interface import Store

Result = TypeVar("Result")


def location(arguments: Arguments) -> str:
    """A path or address: what ``--database`` says, else the embedded database of the repository
    and its context. Raises ``UsageError`` outside a repository."""
    start = places.start(arguments)
    given = arguments.text("database")
    if given is not None:
        return given if "://" in given else str(start / given)
    from envsync.operations.workspace import choose_context
    from envsync.project import config
    from envsync.project.hints import state_folder

    try:
        root = config.find_root(start)
    except FileError:
        raise UsageError(
            "E903",
            "outside a repository the database must be named",
            remedy="for example: --database team.db",
        ) from None
    project = config.load(root)
    context = choose_context(project, arguments.text("context"))
    if context.database is None:
        state_folder(project)
    return str(context.database_path(project.root))


def with_store(arguments: Arguments, work: Callable[[Store], Awaitable[Result]]) -> Result:
    """Opens the database, does ``work`` with it, and closes it whatever happens.

    A refusal of the server's services becomes an ``EnvsyncError``.
    """
    return asyncio.run(_with_store(location(arguments), work))


async def _with_store(place: str, work: Callable[[Store], Awaitable[Result]]) -> Result:
    from envsync.server.refusal import Refusal
    from envsync.server.store.opening import open_store

    store = open_store(place)
    try:
        return await work(store)
    except Refusal as refusal:
        raise EnvsyncError(
            "E912", refusal.message, remedy="see the keys with: envsync serve keys list"
        ) from refusal
    finally:
        await store.aclose()
