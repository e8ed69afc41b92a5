"""Numbered migrations, the same files for both databases."""

from __future__ import annotations

import re
import secrets
import time
from pathlib import Path
from typing import Final

from envsync import __version__
from envsync.server.services.times import timestamp
from envsync.server.store.interface import Transaction

SCHEMA: Final = 1
"""The newest migration. A database that has it is opened without looking at the files."""

_FOLDER: Final = Path(__file__).parent / "migrations"
_COMMENT: Final = re.compile(r"^\s*--.*\n", re.MULTILINE)
_CROCKFORD: Final = "0123456789abcdefghjkmnpqrstvwxyz"


def pending(schema: int) -> list[tuple[int, list[str]]]:
    """The migrations after ``schema``: number and statements, in order."""
    found = []
    for path in sorted(_FOLDER.glob("[0-9]*.sql")):
        number = int(path.name.split("_", 1)[0])
        if number > schema:
            text = _COMMENT.sub("", path.read_text(encoding="utf-8"))
            found.append((number, [part.strip() for part in text.split(";\n") if part.strip()]))
    return found


def record(tx: Transaction, number: int) -> None:
    """Writes down that migration ``number`` was made, and by which program."""
    tx.execute("record_schema_version", version=number, program=__version__, now=timestamp())


def found(tx: Transaction) -> None:
    """Gives a new database its identity."""
    now = timestamp()
    tenant = new_id("tn")
    tx.execute("add_tenant", id=tenant, now=now)
    tx.execute("add_host", id=new_id("hs"), tenant=tenant, now=now)


def new_id(prefix: str) -> str:
    """``<prefix>_`` and a ULID in lower case: 48 bits of time, 80 random ones."""
    number = (time.time_ns() // 1_000_000) << 80 | secrets.randbits(80)
    digits = [_CROCKFORD[number >> shift & 31] for shift in range(125, -5, -5)]
    return f"{prefix}_{''.join(digits)}"
