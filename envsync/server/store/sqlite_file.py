"""Opening a SQLite file: made, migrated, refused or, mostly, just opened."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from pathlib import Path
from typing import Final

from envsync.errors import StoreError
from envsync.server.store import failures, migrations
from envsync.server.store.settings import StoreSettings
from envsync.server.store.sqlite_transaction import SqliteTransaction

APPLICATION_ID: Final = 0x656E7673
"""Marks the file as ours ("envs"), so that another program's database is never touched."""

_RIGHTS: Final = "check that this user may read and write the file and the folder that holds it"


def connect(path: Path, settings: StoreSettings) -> sqlite3.Connection:
    """A connection in autocommit mode, with what SQLite keeps per connection set.

    Raises ``StoreError``.
    """
    try:
        connection = sqlite3.connect(
            path,
            timeout=settings.lock_timeout,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
        )
    except sqlite3.Error as error:
        raise store_error(error, str(path), settings) from error
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA foreign_keys = 1")
    return connection


def open_file(path: Path, settings: StoreSettings) -> sqlite3.Connection:
    """A connection to a database with the current schema. Raises ``StoreError``.

    A current one costs opening the file and reading two numbers of its header.
    """
    _check_place(path)
    connection = None
    try:
        _make(path)
        connection = connect(path, settings)
        schema = _schema(connection, str(path))
        if schema != migrations.SCHEMA:
            _migrate(connection, str(path))
    except StoreError:
        _close(connection)
        raise
    except (sqlite3.Error, OSError) as error:
        _close(connection)
        raise store_error(error, str(path), settings) from error
    return connection


def store_error(
    error: sqlite3.Error | OSError, address: str, settings: StoreSettings
) -> StoreError:
    """What ``error`` means to a person."""
    reason = str(error)
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    match code:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return failures.locked(address, settings.lock_timeout)
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return failures.read_only(address)
        case sqlite3.SQLITE_NOTADB:
            return failures.not_a_database(address, "it is not a SQLite file")
        case sqlite3.SQLITE_CORRUPT:
            return failures.damaged(address, reason)
        case sqlite3.SQLITE_FULL:
            return failures.full(address, reason)
        case sqlite3.SQLITE_IOERR:
            name = getattr(error, "sqlite_errorname", "")
            return failures.unopenable(address, f"{reason} ({name})", "check that disk")
        case sqlite3.SQLITE_CANTOPEN:
            return failures.unopenable(address, reason, _RIGHTS)
    if isinstance(error, OSError):
        return failures.unopenable(address, error.strerror or reason, _RIGHTS)
    return failures.broken_query(address, reason)


def _check_place(path: Path) -> None:
    if path.is_dir():
        raise failures.unopenable(str(path), "it is a folder", "name a file inside it")
    if not path.parent.is_dir():
        raise failures.unopenable(
            str(path), "there is no folder to hold it", f"make the folder {path.parent} first"
        )


def _make(path: Path) -> None:
    """An empty file that only its owner can read, if there is none: it will hold key hashes."""
    if not path.exists():
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _schema(connection: sqlite3.Connection, address: str) -> int:
    """The schema's number, 0 for an empty file. Refuses what is not ours or newer."""
    application, schema = connection.execute(
        "SELECT a.application_id, u.user_version"
        " FROM pragma_application_id AS a, pragma_user_version AS u"
    ).fetchone()
    if application != APPLICATION_ID:
        if schema or connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
            raise failures.not_a_database(address, "another program made it")
        return 0
    number = int(schema)
    if number > migrations.SCHEMA:
        raise failures.newer(address, number, migrations.SCHEMA, _program(connection))
    return number


def _program(connection: sqlite3.Connection) -> str:
    with contextlib.suppress(sqlite3.Error):
        row = connection.execute(
            "SELECT program FROM schema_versions ORDER BY version DESC LIMIT 1"
        ).fetchone()
        if row is not None:
            return str(row[0])
    return ""


def _migrate(connection: sqlite3.Connection, address: str) -> None:
    """Brings the schema up to date, one process at a time, all or nothing."""
    # Kept in the file; where WAL cannot be had, SQLite stays with a journal that is as safe.
    connection.execute("PRAGMA journal_mode = WAL")
    tx = SqliteTransaction(connection)
    connection.execute("BEGIN IMMEDIATE")
    try:
        schema = _schema(connection, address)
        for number, statements in migrations.pending(schema):
            for statement in statements:
                connection.execute(statement)
            migrations.record(tx, number)
            connection.execute(f"PRAGMA user_version = {number:d}")
        if schema == 0:
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID:d}")
            migrations.found(tx)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _close(connection: sqlite3.Connection | None) -> None:
    if connection is not None:
        connection.close()
