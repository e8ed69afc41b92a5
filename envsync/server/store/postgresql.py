"""The store on PostgreSQL: any number of server processes share one database."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import psycopg

from envsync.server.store.committer import GroupCommitter
from envsync.server.store.interface import Transaction
from envsync.server.store.postgresql_database import (
    Connection,
    connect,
    open_database,
    run,
    shown,
    store_error,
)
from envsync.server.store.postgresql_transaction import PostgresqlTransaction
from envsync.server.store.postgresql_writer import PostgresqlWriter
from envsync.server.store.settings import StoreSettings

T = TypeVar("T")


class PostgresqlStore:
    """A Store over connections that are made when they are first wanted, and kept."""

    def __init__(self, url: str, settings: StoreSettings) -> None:
        self._url = url
        self._settings = settings
        self._idle: list[Connection] = []
        self._threads = ThreadPoolExecutor(settings.connections, "envsync-read")
        open_database(url, settings)
        self._committer = GroupCommitter(
            lambda: PostgresqlWriter(url, settings),
            batch=settings.batch,
            threads=settings.writers,
        )

    @property
    def address(self) -> str:
        return shown(self._url)

    async def read(self, work: Callable[[Transaction], T], *, heavy: bool = False) -> T:
        del heavy  # every read waits for the network, on a thread of its own
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._read, work)

    async def write(self, work: Callable[[Transaction], T]) -> T:
        return await self._committer.write(work)

    async def aclose(self) -> None:
        await asyncio.to_thread(self._committer.close)
        self._threads.shutdown()
        for connection in self._idle:
            connection.close()

    def _read(self, work: Callable[[Transaction], T]) -> T:
        """``work`` on one snapshot; once more when a kept connection turns out to be dead."""
        kept = self._take()
        if kept is not None:
            with contextlib.suppress(_Dead):
                return self._read_on(kept, work)
        try:
            return self._read_on(connect(self._url, self._settings), work)
        except _Dead as dead:
            raise store_error(dead.cause, self.address, self._settings) from dead.cause

    def _read_on(self, connection: Connection, work: Callable[[Transaction], T]) -> T:
        try:
            run(connection, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            try:
                return work(PostgresqlTransaction(connection))
            finally:
                with contextlib.suppress(psycopg.Error):
                    connection.rollback()
        except psycopg.Error as error:
            if connection.closed:
                raise _Dead(error) from error
            raise store_error(error, self.address, self._settings) from error
        finally:
            if not connection.closed:
                self._idle.append(connection)

    def _take(self) -> Connection | None:
        try:
            return self._idle.pop()
        except IndexError:
            return None


class _Dead(Exception):  # noqa: N818 - an event to react to
    """The connection broke."""

    def __init__(self, cause: psycopg.Error) -> None:
        super().__init__(str(cause))
        self.cause = cause
