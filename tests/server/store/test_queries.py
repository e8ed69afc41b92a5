"""The SQL files: every query is one that both databases can run."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from pathlib import Path

import pytest

from envsync.server.store import migrations
from envsync.server.store.opening import open_store
from envsync.server.store.queries import for_postgresql, postgresql_queries, sqlite_queries

NAMES = sorted(sqlite_queries())


def test_the_newest_migration_is_the_schema_that_the_program_wants() -> None:
    numbers = [number for number, _ in migrations.pending(0)]
    assert numbers == list(range(1, migrations.SCHEMA + 1))
    assert migrations.pending(migrations.SCHEMA) == []


def test_parameters_are_spelt_for_psycopg() -> None:
    assert postgresql_queries()["host"] == sqlite_queries()["host"]
    assert "%(tenant)s" in postgresql_queries()["manifest_heads"]
    assert ":tenant" not in postgresql_queries()["manifest_heads"]


def test_what_only_sqlite_says_is_translated() -> None:
    statement = "CREATE TABLE t (\n  a TEXT COLLATE BINARY PRIMARY KEY\n) WITHOUT ROWID"
    assert for_postgresql(statement) == 'CREATE TABLE t (\n  a TEXT COLLATE "C" PRIMARY KEY\n)'


def parameters(name: str) -> dict[str, None]:
    return dict.fromkeys(re.findall(r":([a-z_]+)", sqlite_queries()[name]))


def test_sqlite_understands_every_query(tmp_path: Path) -> None:
    asyncio.run(open_store(tmp_path / "a.db").aclose())
    connection = sqlite3.connect(tmp_path / "a.db")
    for name in NAMES:
        connection.execute(f"EXPLAIN {sqlite_queries()[name]}", parameters(name))
    connection.close()


@pytest.mark.postgresql
def test_postgresql_understands_every_query(postgresql_url: str) -> None:
    import psycopg

    asyncio.run(open_store(postgresql_url).aclose())
    with psycopg.connect(postgresql_url) as connection:
        for name in NAMES:
            connection.execute(f"EXPLAIN {postgresql_queries()[name]}", parameters(name))


@pytest.mark.parametrize(
    "query",
    [name for name in NAMES if "manifest" in name and not name.startswith(("backup", "clear"))],
)
def test_no_query_of_one_tenant_reads_a_whole_table(query: str, tmp_path: Path) -> None:
    asyncio.run(open_store(tmp_path / "a.db").aclose())
    connection = sqlite3.connect(tmp_path / "a.db")
    plan = connection.execute(f"EXPLAIN QUERY PLAN {sqlite_queries()[query]}", parameters(query))
    steps = [step for *_, step in plan]
    connection.close()
    assert not [step for step in steps if step.startswith("SCAN") and "CONSTANT" not in step]
    assert not [step for step in steps if "TEMP B-TREE" in step]
