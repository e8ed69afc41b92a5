"""Named queries: SQL files, read once, in the dialect of SQLite or of PostgreSQL.

The files hold the SQL that both understand, with ``:name`` parameters. What differs is written
for SQLite and translated for PostgreSQL: the parameters, the byte order of text (``COLLATE
BINARY``), and rows that are kept in the order of their key (``WITHOUT ROWID``).
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Final

_FOLDER: Final = Path(__file__).parent / "queries"
_NAME: Final = re.compile(r"^-- name: ([a-z][a-z0-9_]*)\n", re.MULTILINE)
_COMMENT: Final = re.compile(r"^--.*\n", re.MULTILINE)
_PARAMETER: Final = re.compile(r"(?<![:\w]):([a-z_]+)")


@lru_cache(maxsize=1)
def sqlite_queries() -> dict[str, str]:
    """Every query by its name, as written."""
    queries: dict[str, str] = {}
    for path in sorted(_FOLDER.glob("*.sql")):
        _, *parts = _NAME.split(path.read_text(encoding="utf-8"))
        for name, text in zip(parts[::2], parts[1::2], strict=True):
            if name in queries:
                raise ValueError(f"{path.name}: a second query named {name}")
            queries[name] = _COMMENT.sub("", text).strip().removesuffix(";")
    return queries


@lru_cache(maxsize=1)
def postgresql_queries() -> dict[str, str]:
    """Every query by its name, for psycopg."""
    return {
        name: _PARAMETER.sub(r"%(\1)s", for_postgresql(text).replace("%", "%%"))
        for name, text in sqlite_queries().items()
    }


def for_postgresql(sql: str) -> str:
    """``sql`` with the words that PostgreSQL spells otherwise or does without."""
    return sql.replace("COLLATE BINARY", 'COLLATE "C"').replace(") WITHOUT ROWID", ")")
