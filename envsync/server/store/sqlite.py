"""The store on SQLite: one file, readers that never wait, one writer with group commit."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, TypeVar

from envsync.server.store.committer import GroupCommitter
from envsync.server.store.interface import Transaction
from envsync.server.store.settings import StoreSettings
from envsync.server.store.sqlite_file import connect, open_file, store_error
from envsync.server.store.sqlite_transaction import SqliteTransaction
from envsync.server.store.sqlite_writer import SqliteWriter

T = TypeVar("T")
_HEAVY_THREADS: Final = 4


class SqliteStore:
    """A Store over a file that ``open_file`` has found good or made."""

    def __init__(self, path: Path, settings: StoreSettings) -> None:
        self._path = path
        self._settings = settings
        self._guard = threading.Lock()
        self._inline = _Reader(path, settings, open_file(path, settings))
        self._idle: list[_Reader] = []
        self._threads: ThreadPoolExecutor | None = None
        self._committer = GroupCommitter(lambda: SqliteWriter(path, settings), batch=settings.batch)

    @property
    def address(self) -> str:
        return str(self._path)

    async def read(self, work: Callable[[Transaction], T], *, heavy: bool = False) -> T:
        if heavy:
            return await asyncio.get_running_loop().run_in_executor(
                self._executor(), self._read_aside, work
            )
        # A few rows come sooner than another thread could be woken.
        with self._guard:
            return self._inline.run(work)

    async def write(self, work: Callable[[Transaction], T]) -> T:
        return await self._committer.write(work)

    async def aclose(self) -> None:
        await asyncio.to_thread(self._committer.close)
        if self._threads is not None:
            self._threads.shutdown()
        with self._guard:
            self._inline.close()
        for reader in self._idle:
            reader.close()

    def _executor(self) -> ThreadPoolExecutor:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(_HEAVY_THREADS, "envsync-read")
        return self._threads

    def _read_aside(self, work: Callable[[Transaction], T]) -> T:
        try:
            reader = self._idle.pop()
        except IndexError:
            reader = _Reader(self._path, self._settings, connect(self._path, self._settings))
        try:
            return reader.run(work)
        finally:
            self._idle.append(reader)


class _Reader:
    """A connection that cannot write."""

    def __init__(self, path: Path, settings: StoreSettings, connection: sqlite3.Connection) -> None:
        self._path = path
        self._settings = settings
        self._connection = connection
        self._transaction = SqliteTransaction(connection)
        connection.execute("PRAGMA query_only = 1")

    def run(self, work: Callable[[Transaction], T]) -> T:
        """``work`` on one snapshot."""
        try:
            self._connection.execute("BEGIN")
            try:
                return work(self._transaction)
            finally:
                with contextlib.suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
        except sqlite3.Error as error:
            raise store_error(error, str(self._path), self._settings) from error

    def close(self) -> None:
        self._connection.close()
