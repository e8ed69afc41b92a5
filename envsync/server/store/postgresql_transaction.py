"""Named queries on one PostgreSQL connection."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, cast

import psycopg

from envsync.server.store.interface import Row, SqlValue
from envsync.server.store.queries import postgresql_queries

_STREAM = 1_000
"""Rows that ``each`` fetches at a time."""


class NamedRow(tuple[Any, ...]):
    """A tuple whose values can be had by column name too. One subclass a list of columns."""

    __slots__ = ()
    places: dict[str, int]

    def __getitem__(self, key: Any, /) -> Any:
        return tuple.__getitem__(self, self.places[key] if isinstance(key, str) else key)


def named_rows(cursor: psycopg.Cursor[Any]) -> Callable[[Sequence[Any]], NamedRow]:
    """The row factory of all our connections."""
    return _row_class(tuple(column.name for column in cursor.description or ()))


class PostgresqlTransaction:
    """A Transaction. ``before_write`` is called before every statement that writes."""

    __slots__ = ("_before_write", "_connection", "_queries")

    def __init__(
        self,
        connection: psycopg.Connection[NamedRow],
        before_write: Callable[[], None] | None = None,
    ) -> None:
        self._connection = connection
        self._before_write = before_write
        self._queries = postgresql_queries()

    def all(self, query: str, /, **params: SqlValue) -> list[Row]:
        return cast("list[Row]", self._run(query, params).fetchall())

    def one(self, query: str, /, **params: SqlValue) -> Row | None:
        return self._run(query, params).fetchone()

    def each(self, query: str, /, **params: SqlValue) -> Iterator[Row]:
        with self._connection.cursor(name="each") as cursor:
            cursor.itersize = _STREAM
            cursor.execute(self._queries[query], params)
            yield from cursor

    def execute(self, query: str, /, **params: SqlValue) -> int:
        if self._before_write is not None:
            self._before_write()
        return self._run(query, params).rowcount

    def _run(self, query: str, params: dict[str, SqlValue]) -> psycopg.Cursor[NamedRow]:
        return self._connection.execute(self._queries[query], params)


@lru_cache(maxsize=256)
def _row_class(columns: tuple[str, ...]) -> type[NamedRow]:
    places = {name: place for place, name in enumerate(columns)}
    return type("NamedRow", (NamedRow,), {"__slots__": (), "places": places})
