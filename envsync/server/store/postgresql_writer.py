"""A connection that writes to PostgreSQL, side by side with those of other processes."""

from __future__ import annotations

import contextlib

import psycopg
from psycopg import errors

from envsync.errors import StoreError
from envsync.server.store import failures
from envsync.server.store.committer import Conflict, Spoilt
from envsync.server.store.interface import Transaction
from envsync.server.store.postgresql_database import Connection, connect, run, shown, store_error
from envsync.server.store.postgresql_transaction import PostgresqlTransaction
from envsync.server.store.settings import StoreSettings


class PostgresqlWriter:
    """Writes in SERIALIZABLE transactions, first beside others, then alone.

    Every writer holds a weak lock on one table; one whose transaction failed because of others
    takes the strong lock of that table and is alone, so the second try cannot fail likewise.
    LOCK TABLE comes first, because the snapshot is taken by what follows it.
    """

    def __init__(self, url: str, settings: StoreSettings) -> None:
        self._url = url
        self._address = shown(url)
        self._settings = settings
        self._alone = False
        # A savepoint is set at a work's first write, and given up by the next one: each
        # statement less is a trip to the server less.
        self._marked = False
        self._savepoint = False
        self._connection = self._connect()
        self._transaction = PostgresqlTransaction(self._connection, self._mark)

    def begin(self, *, alone: bool) -> Transaction:
        self._alone = alone
        self._savepoint = False
        if self._connection.closed:
            try:
                self._connection = self._connect()
            except StoreError as error:
                raise Spoilt(error) from error
            self._transaction = PostgresqlTransaction(self._connection, self._mark)
        mode = "EXCLUSIVE" if alone else "ROW SHARE"
        self._run(
            "BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE;"
            f" LOCK TABLE schema_versions IN {mode} MODE"
        )
        return self._transaction

    def settle(self) -> None:
        self._marked = False

    def undo(self) -> None:
        if self._marked:
            self._marked = False
            self._run("ROLLBACK TO work")

    def commit(self) -> None:
        try:
            run(self._connection, "COMMIT")
        except psycopg.Error as error:
            if self._connection.closed:
                cause = failures.unknown_outcome(self._address, " ".join(str(error).split()))
                raise Spoilt(cause, final=True) from error
            raise self._failure(error) from error

    def abandon(self) -> None:
        self._marked = False
        with contextlib.suppress(psycopg.Error):
            if not self._connection.closed:
                self._connection.rollback()

    def translated(self, error: Exception) -> Exception | None:
        return self._failure(error) if isinstance(error, psycopg.Error) else None

    def crowded(self, attempts: int) -> StoreError:
        return failures.crowded(self._address, attempts)

    def close(self) -> None:
        self._connection.close()

    def _connect(self) -> Connection:
        connection = connect(self._url, self._settings)
        setting = run(connection, "SHOW synchronous_commit").fetchone()
        if setting is not None and setting[0] == "off":
            # An answered write survives a power cut.
            run(connection, "SET synchronous_commit = on")
        return connection

    def _mark(self) -> None:
        if not self._marked:
            previous = "RELEASE work; " if self._savepoint else ""
            run(self._connection, f"{previous}SAVEPOINT work")
            self._marked = self._savepoint = True

    def _run(self, statement: str) -> None:
        try:
            run(self._connection, statement)
        except psycopg.Error as error:
            raise self._failure(error) from error

    def _failure(self, error: psycopg.Error) -> Exception:
        if isinstance(error, errors.SerializationFailure | errors.DeadlockDetected):
            return Conflict()
        if not self._alone and (
            # Before the COMMIT nothing was done, so another connection may try; and what a
            # constraint refuses may be what another writer has just done.
            self._connection.closed or isinstance(error, psycopg.IntegrityError)
        ):
            return Conflict()
        waited = isinstance(error, errors.LockNotAvailable)
        return Spoilt(store_error(error, self._address, self._settings), final=waited)
