"""Backup and restore: one portable text file, from either database into either.

The file holds JSON lines: a header, then for each table a line with its columns and a line for
each row, and at the end the SHA-256 of all that came before. It holds what the database holds:
manifests in the clear, keys only as their hash.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Final

import orjson
from msgspec import Struct

from envsync import __version__
from envsync.server.store import failures
from envsync.server.store.interface import SqlValue, Store, Transaction
from envsync.server.store.migrations import SCHEMA

FORMAT: Final = "envsync-backup/1"

_TABLES: Final = {
    "tenants": ("id", "created_at"),
    "hosts": ("id", "tenant", "created_at"),
    "keys": ("tenant", "role", "id", "hash", "created_at", "rotated_at"),
    "manifests": ("tenant", "name", "version", "kept", "hash", "kind", "saved_at", "saved_by"),
    "manifest_versions": (
        *("tenant", "name", "version", "hash", "kind", "saved_at", "saved_by", "body"),
    ),
    "deleted_manifests": ("tenant", "name", "version"),
    "environments": ("tenant", "id", "manifest_name", "manifest_version"),
}
"""In the order in which rows may be put back: what is referred to comes first."""


class BackupReport(Struct, frozen=True):
    """``rows`` by table name."""

    path: Path
    rows: dict[str, int]


async def back_up(store: Store, path: Path, now: str, *, overwrite: bool = False) -> BackupReport:
    """Writes everything to ``path`` (mode 0600) while the server runs.

    The file appears once it is whole. Raises ``StoreError`` E711 when ``path`` exists and
    ``overwrite`` is false, E715 when it cannot be written.
    """
    if not overwrite:
        _refuse_existing(path)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        rows = await store.read(lambda tx: _write(tx, partial, now), heavy=True)
        partial.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        raise failures.unwritable_backup(str(path), error.strerror or str(error)) from error
    finally:
        partial.unlink(missing_ok=True)
    return BackupReport(path, rows)


async def restore(store: Store, path: Path, *, overwrite: bool = False) -> BackupReport:
    """Fills ``store`` from a backup, all or nothing.

    Raises ``StoreError`` E711 when the store holds manifests, keys or Environments and
    ``overwrite`` is false; E712 when the file is no whole backup; E701 when it is newer.
    """
    _check(path)
    rows = await store.write(lambda tx: _put_back(tx, path, store.address, overwrite=overwrite))
    return BackupReport(path, rows)


def _refuse_existing(path: Path) -> None:
    if path.exists():
        raise failures.occupied(
            f"{path} exists already", "name another file, or replace it with --force"
        )


def _write(tx: Transaction, path: Path, now: str) -> dict[str, int]:
    rows = dict.fromkeys(_TABLES, 0)
    seen = sha256()
    descriptor = os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "wb") as file:

        def put(line: object) -> None:
            encoded = orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)
            seen.update(encoded)
            file.write(encoded)

        put({"format": FORMAT, "schema": SCHEMA, "program": __version__, "createdAt": now})
        for table, columns in _TABLES.items():
            put({"table": table, "columns": columns})
            for row in tx.each(f"backup_{table}"):
                put(list(row))
                rows[table] += 1
        put({"sha256": seen.hexdigest()})
        file.flush()
        os.fsync(file.fileno())
    return rows


def _check(path: Path) -> None:
    """Reads the whole file once, so that a broken one is refused before anything is touched."""
    seen = sha256()
    last = b""
    try:
        with path.open("rb") as file:
            _check_header(file, path)
            file.seek(0)
            for line in file:
                seen.update(last)
                last = line
    except OSError as error:
        raise failures.bad_backup(str(path), error.strerror or str(error)) from error
    end = _decoded(last, path)
    if not isinstance(end, dict) or "sha256" not in end:
        raise failures.bad_backup(str(path), "its end is missing")
    if end["sha256"] != seen.hexdigest():
        raise failures.bad_backup(str(path), "it was altered after it was written")


def _check_header(file: BinaryIO, path: Path) -> None:
    header = _decoded(file.readline(1000), path)
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise failures.bad_backup(str(path), f"it does not start as {FORMAT} does")
    schema = header.get("schema")
    if not isinstance(schema, int):
        raise failures.bad_backup(str(path), "it does not say which schema it has")
    if schema > SCHEMA:
        raise failures.newer(str(path), schema, SCHEMA, str(header.get("program", "")))


def _put_back(tx: Transaction, path: Path, address: str, *, overwrite: bool) -> dict[str, int]:
    contents = tx.one("contents")
    if contents is not None and sum(contents) and not overwrite:
        raise failures.occupied(
            f"the database {address} is not empty: it holds {contents['manifests']} manifests,"
            f" {contents['keys']} keys and {contents['environments']} Environments",
            "restore into a new database, or replace what this one holds with --force",
        )
    for table in reversed(_TABLES):
        tx.execute(f"clear_{table}")
    rows = dict.fromkeys(_TABLES, 0)
    for table, row in _rows(path):
        tx.execute(f"restore_{table}", **row)
        rows[table] += 1
    return rows


def _rows(path: Path) -> Iterator[tuple[str, dict[str, SqlValue]]]:
    """Each row of the file with its table, by column."""
    table = ""
    with path.open("rb") as file:
        file.readline()
        for line in file:
            value = _decoded(line, path)
            if isinstance(value, list) and len(value) == len(_TABLES.get(table, ())):
                yield table, dict(zip(_TABLES[table], value, strict=True))
            elif isinstance(value, dict) and "table" in value:
                table = str(value["table"])
                if list(_TABLES.get(table, ())) != value.get("columns"):
                    raise failures.bad_backup(str(path), f"this version has no table {table}")
            elif not (isinstance(value, dict) and "sha256" in value):
                raise failures.bad_backup(str(path), f"a row of {table} is not one")


def _decoded(line: bytes, path: Path) -> object:
    try:
        value: object = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise failures.bad_backup(str(path), "a line is not JSON") from error
    return value


def _sync_folder(folder: Path) -> None:
    """Makes the new name durable, where the system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
