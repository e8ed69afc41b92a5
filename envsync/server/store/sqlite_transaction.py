"""Named queries on one SQLite connection."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator

from envsync.server.store.interface import Row, SqlValue
from envsync.server.store.queries import sqlite_queries


class SqliteTransaction:
    """A Transaction. ``before_write`` is called before every statement that writes."""

    __slots__ = ("_before_write", "_connection", "_queries")

    def __init__(
        self, connection: sqlite3.Connection, before_write: Callable[[], None] | None = None
    ) -> None:
        self._connection = connection
        self._before_write = before_write
        self._queries = sqlite_queries()

    def all(self, query: str, /, **params: SqlValue) -> list[Row]:
        return self._connection.execute(self._queries[query], params).fetchall()

    def one(self, query: str, /, **params: SqlValue) -> Row | None:
        row: Row | None = self._connection.execute(self._queries[query], params).fetchone()
        return row

    def each(self, query: str, /, **params: SqlValue) -> Iterator[Row]:
        return self._connection.execute(self._queries[query], params)

    def execute(self, query: str, /, **params: SqlValue) -> int:
        if self._before_write is not None:
            self._before_write()
        return self._connection.execute(self._queries[query], params).rowcount
