"""Connecting to a PostgreSQL database and bringing its schema up to date."""

from __future__ import annotations

from typing import Any, Final, cast
from urllib.parse import urlsplit

import psycopg
from psycopg import errors

from envsync.errors import StoreError
from envsync.server.store import failures, migrations
from envsync.server.store.postgresql_transaction import (
    NamedRow,
    PostgresqlTransaction,
    named_rows,
)
from envsync.server.store.queries import for_postgresql
from envsync.server.store.settings import StoreSettings

_MIGRATION_LOCK: Final = 0x656E7673796E63
"""The key of the advisory lock that a migration holds ("envsync")."""

Connection = psycopg.Connection[NamedRow]


def connect(url: str, settings: StoreSettings) -> Connection:
    """A connection in autocommit mode. Raises ``StoreError`` E709."""
    try:
        connection: psycopg.Connection[Any] = psycopg.connect(
            url,
            autocommit=True,
            row_factory=cast("Any", named_rows),
            application_name="envsync",
            connect_timeout=max(2, round(settings.lock_timeout)),
        )
    except psycopg.Error as error:
        raise failures.unreachable(shown(url), _reason(error)) from error
    milliseconds = round(settings.lock_timeout * 1000)
    run(connection, f"SET lock_timeout = {milliseconds:d}")
    return connection


def open_database(url: str, settings: StoreSettings) -> None:
    """Makes sure that the database has the current schema. Raises ``StoreError``."""
    connection = connect(url, settings)
    try:
        if _schema(connection, shown(url)) != migrations.SCHEMA:
            _migrate(connection, shown(url))
    except psycopg.Error as error:
        raise store_error(error, shown(url), settings) from error
    finally:
        connection.close()


def run(connection: psycopg.Connection[Any], statement: str) -> psycopg.Cursor[Any]:
    """Runs a statement of ours that has no parameters."""
    return connection.execute(statement)


def store_error(error: psycopg.Error, address: str, settings: StoreSettings) -> StoreError:
    """What ``error`` means to a person."""
    reason = _reason(error)
    match error:
        case errors.LockNotAvailable() | errors.QueryCanceled():
            return failures.locked(address, settings.lock_timeout)
        case errors.ReadOnlySqlTransaction() | errors.InsufficientPrivilege():
            return failures.read_only(address, reason)
        case errors.DiskFull() | errors.OutOfMemory():
            return failures.full(address, reason)
        case errors.DataCorrupted() | errors.IndexCorrupted():
            return failures.damaged(address, reason)
        case psycopg.OperationalError():
            return failures.unreachable(address, reason)
    return failures.broken_query(address, reason)


def shown(url: str) -> str:
    """``url`` without its password and options."""
    try:
        parts = urlsplit(url)
        user = f"{parts.username}@" if parts.username else ""
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "postgresql://"
    return f"postgresql://{user}{parts.hostname or ''}{port}{parts.path}"


def _reason(error: psycopg.Error) -> str:
    text = error.diag.message_primary or str(error) or type(error).__name__
    return " ".join(text.split())


def _schema(connection: Connection, address: str) -> int:
    """The schema's number, 0 when there is none. Refuses a newer one."""
    try:
        row = PostgresqlTransaction(connection).one("schema_version")
    except errors.UndefinedTable:
        return 0
    except errors.UndefinedColumn as error:
        raise failures.not_a_database(address, "its schema_versions is another's") from error
    if row is not None and row["version"] > migrations.SCHEMA:
        raise failures.newer(address, row["version"], migrations.SCHEMA, row["program"])
    return 0 if row is None else int(row["version"])


def _migrate(connection: Connection, address: str) -> None:
    """Brings the schema up to date, one process at a time, all or nothing."""
    tx = PostgresqlTransaction(connection)
    with connection.transaction():
        run(connection, f"SELECT pg_advisory_xact_lock({_MIGRATION_LOCK:d})")
        exists = run(connection, "SELECT to_regclass('schema_versions') IS NOT NULL").fetchone()
        schema = _schema(connection, address) if exists and exists[0] else 0
        for number, statements in migrations.pending(schema):
            for statement in statements:
                run(connection, for_postgresql(statement))
            migrations.record(tx, number)
        if schema == 0:
            migrations.found(tx)
