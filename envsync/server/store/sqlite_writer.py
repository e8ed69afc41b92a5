"""The one connection of a process that writes to a SQLite file."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from envsync.errors import StoreError
from envsync.server.store import failures
from envsync.server.store.committer import Spoilt
from envsync.server.store.interface import Transaction
from envsync.server.store.settings import StoreSettings
from envsync.server.store.sqlite_file import connect, store_error
from envsync.server.store.sqlite_transaction import SqliteTransaction


class SqliteWriter:
    """Writes under ``BEGIN IMMEDIATE``: other processes wait, so there are no conflicts."""

    def __init__(self, path: Path, settings: StoreSettings) -> None:
        self._address = str(path)
        self._settings = settings
        # A savepoint is set at a work's first write: most refusals come before it.
        self._marked = False
        self._connection = connect(path, settings)
        try:
            # An answered write survives a power cut.
            self._connection.execute("PRAGMA synchronous = FULL")
            if settings.max_pages is not None:
                self._connection.execute(f"PRAGMA max_page_count = {settings.max_pages:d}")
        except sqlite3.Error as error:
            self._connection.close()
            raise store_error(error, self._address, settings) from error
        self._transaction = SqliteTransaction(self._connection, self._mark)

    def begin(self, *, alone: bool) -> Transaction:
        self._run("BEGIN IMMEDIATE")
        return self._transaction

    def settle(self) -> None:
        if self._marked:
            self._run("RELEASE work")
            self._marked = False

    def undo(self) -> None:
        if self._marked:
            self._run("ROLLBACK TO work")
            self.settle()

    def commit(self) -> None:
        self._run("COMMIT")

    def abandon(self) -> None:
        self._marked = False
        if self._connection.in_transaction:
            self._run("ROLLBACK")

    def translated(self, error: Exception) -> Exception | None:
        if isinstance(error, sqlite3.Error):
            return Spoilt(store_error(error, self._address, self._settings))
        return None

    def crowded(self, attempts: int) -> StoreError:
        return failures.crowded(self._address, attempts)

    def close(self) -> None:
        self._connection.close()

    def _mark(self) -> None:
        if not self._marked:
            self._connection.execute("SAVEPOINT work")
            self._marked = True

    def _run(self, statement: str) -> None:
        try:
            self._connection.execute(statement)
        except sqlite3.Error as error:
            raise Spoilt(store_error(error, self._address, self._settings)) from error
