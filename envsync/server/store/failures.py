"""What can be wrong with a database, as a person reads it: one function a code."""

from __future__ import annotations

from envsync import __version__
from envsync.errors import StoreError


def newer(address: str, schema: int, known: int, program: str) -> StoreError:
    by = f", written by envsync {program}" if program else ""
    return StoreError(
        "E701",
        f"the database {address} has schema {schema}{by}; "
        f"this is envsync {__version__}, which knows schemas up to {known}",
        remedy="use the newer envsync, or restore a backup that this version made",
    )


def locked(address: str, seconds: float) -> StoreError:
    return StoreError(
        "E702",
        f"the database {address} is locked: another program has held it for {seconds:g} s",
        remedy="wait for the other program to finish, or stop it, then try again",
    )


def read_only(address: str, reason: str = "") -> StoreError:
    return StoreError(
        "E703",
        f"the database {address} cannot be written" + (f": {reason}" if reason else ""),
        remedy="give this user the right to write the database and the folder that holds it",
    )


def not_a_database(address: str, reason: str) -> StoreError:
    return StoreError(
        "E704",
        f"{address} is not a database of envsync: {reason}",
        remedy="name another file; this one was not touched",
    )


def damaged(address: str, reason: str) -> StoreError:
    return StoreError(
        "E705",
        f"the database {address} is damaged: {reason}",
        remedy="keep a copy of it, then restore the last backup into a new database",
    )


def full(address: str, reason: str) -> StoreError:
    return StoreError(
        "E706",
        f"the database {address} cannot grow: {reason}",
        remedy="make room on that disk, then try again; what was saved before is kept",
    )


def unopenable(address: str, reason: str, remedy: str) -> StoreError:
    return StoreError("E707", f"the database {address} cannot be used: {reason}", remedy=remedy)


def driver_missing(address: str) -> StoreError:
    return StoreError(
        "E708",
        f"{address} needs PostgreSQL support, which is not installed",
        remedy="pip install 'envsync[postgresql]'",
    )


def unreachable(address: str, reason: str) -> StoreError:
    return StoreError(
        "E709",
        f"no connection to {address}: {reason}",
        remedy="check that PostgreSQL runs there, and the host, user, password and database name",
    )


def unknown_outcome(address: str, reason: str) -> StoreError:
    return StoreError(
        "E710",
        f"the connection to {address} broke while it committed: {reason}",
        remedy="read before you try again: it may have been saved",
    )


def occupied(what: str, remedy: str) -> StoreError:
    return StoreError("E711", what, remedy=remedy)


def bad_backup(path: str, reason: str) -> StoreError:
    return StoreError(
        "E712",
        f"{path} is not a whole backup of envsync: {reason}",
        remedy="use another backup; the database was not changed",
    )


def crowded(address: str, attempts: int) -> StoreError:
    return StoreError(
        "E713",
        f"other writers were in the way of {address} {attempts} times in a row",
        remedy="try again",
    )


def broken_query(address: str, reason: str) -> StoreError:
    return StoreError(
        "E714",
        f"the database {address} refused a statement of envsync: {reason}",
        remedy="this is a fault of envsync, or someone else changed the tables; please report it",
    )


def unwritable_backup(path: str, reason: str) -> StoreError:
    return StoreError(
        "E715",
        f"the backup {path} cannot be written: {reason}",
        remedy="name a file in a folder that has room and that this user may write",
    )
