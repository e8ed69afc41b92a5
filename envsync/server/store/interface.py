"""Store and Transaction: all that the rest of the server knows of a database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeVar

SqlValue = str | int | float | None
T = TypeVar("T")


class Row(Protocol):
    """One row: by column name, by position, or unpacked. Values are what SQL gave."""

    def __getitem__(self, key: str | int, /) -> Any: ...

    def __iter__(self) -> Iterator[Any]: ...

    def __len__(self) -> int: ...


class Transaction(Protocol):
    """Named queries (``queries/*.sql``) inside one consistent view of the database.

    ``params`` are the query's ``:name`` parameters.
    """

    def all(self, query: str, /, **params: SqlValue) -> list[Row]: ...

    def one(self, query: str, /, **params: SqlValue) -> Row | None:
        """The first row, or ``None``."""
        ...

    def each(self, query: str, /, **params: SqlValue) -> Iterator[Row]:
        """Row after row, without holding them all. To be used up inside the work."""
        ...

    def execute(self, query: str, /, **params: SqlValue) -> int:
        """Runs a statement that writes; the number of rows it touched."""
        ...


class Store(Protocol):
    """A database that is open and has the schema of this program.

    Both methods raise ``StoreError`` when the database cannot do it (locked, full, read-only,
    damaged, gone), and otherwise whatever ``work`` raises.
    """

    @property
    def address(self) -> str:
        """The database as a person knows it: a path, or a URL without its password."""
        ...

    async def read(self, work: Callable[[Transaction], T], *, heavy: bool = False) -> T:
        """Runs ``work`` on one consistent snapshot. It must not write.

        A ``heavy`` work (its cost grows with what the tenant holds) never runs on the event
        loop's own thread; a cheap one may.
        """
        ...

    async def write(self, work: Callable[[Transaction], T]) -> T:
        """Runs ``work`` as if nobody else wrote, and returns once its effects are on disk.

        ``work`` may run more than once and on another thread, so it touches nothing but the
        transaction. If it raises, its effects are undone; other works are not hurt.
        """
        ...

    async def aclose(self) -> None:
        """Finishes the writes that were accepted, then closes every connection."""
        ...
