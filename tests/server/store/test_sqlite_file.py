"""SQLite files that cannot be used: each is refused with its code, and none is altered."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import stat
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from envsync.errors import StoreError
from envsync.server.services.host import host
from envsync.server.store.interface import Store, Transaction
from envsync.server.store.opening import open_store
from envsync.server.store.settings import StoreSettings

IMPATIENT = StoreSettings(lock_timeout=0.05)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A current database."""
    path = tmp_path / "server.db"
    asyncio.run(open_store(path).aclose())
    return path


def refusal_of(path: Path, settings: StoreSettings | None = None) -> StoreError:
    with pytest.raises(StoreError) as caught:
        open_store(path, settings)
    assert str(path) in caught.value.message
    assert caught.value.remedy
    return caught.value


def using(path: Path, use: Callable[[Store], Awaitable[None]], settings: StoreSettings) -> None:
    async def run() -> None:
        store = open_store(path, settings)
        try:
            await use(store)
        finally:
            await store.aclose()

    asyncio.run(run())


def add(name: str, size: int = 0) -> Callable[[Transaction], int]:
    return lambda tx: tx.execute("add_tenant", id=name, now="x" * size)


def altered(path: Path, statement: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(statement)


def test_only_its_owner_can_read_a_new_database(database: Path) -> None:
    assert stat.S_IMODE(database.stat().st_mode) == 0o600


def test_a_new_database_keeps_a_write_ahead_log(database: Path) -> None:
    with contextlib.closing(sqlite3.connect(database)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_an_answered_write_waits_for_the_disk(database: Path) -> None:
    from envsync.server.store.sqlite_writer import SqliteWriter

    writer = SqliteWriter(database, StoreSettings())
    full = 2
    assert writer._connection.execute("PRAGMA synchronous").fetchone()[0] == full
    writer.close()


def test_an_empty_file_becomes_a_database(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    path.touch()

    async def use(store: Store) -> None:
        assert (await store.read(host)).id

    using(path, use, StoreSettings())


def test_a_database_of_a_newer_program_is_refused_by_name(database: Path) -> None:
    altered(
        database,
        "PRAGMA user_version = 99; INSERT INTO schema_versions VALUES (99, '7.1', 'then');",
    )
    before = database.read_bytes()
    error = refusal_of(database)
    assert error.code == "E701"
    assert "schema 99, written by envsync 7.1" in error.message
    assert database.read_bytes() == before


def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(
        "This is a text, and a longer one than a header of SQLite, which has 100 bytes.\n"
    )
    before = path.read_bytes()
    assert refusal_of(path).code == "E704"
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    altered(path, "CREATE TABLE songs (title TEXT);")
    before = path.read_bytes()
    error = refusal_of(path)
    assert error.code == "E704"
    assert "another program made it" in error.message
    assert path.read_bytes() == before


def test_a_database_that_another_program_holds_is_locked(database: Path) -> None:
    with contextlib.closing(sqlite3.connect(database, isolation_level=None)) as holder:
        holder.execute("PRAGMA locking_mode = EXCLUSIVE")
        holder.execute("BEGIN IMMEDIATE")
        holder.execute("PRAGMA user_version = 1")
        holder.execute("COMMIT")
        assert refusal_of(database, IMPATIENT).code == "E702"


def test_a_write_waits_for_another_writer_and_then_says_that_it_is_locked(database: Path) -> None:
    async def use(store: Store) -> None:
        with contextlib.closing(sqlite3.connect(database, isolation_level=None)) as holder:
            holder.execute("BEGIN IMMEDIATE")
            loop = asyncio.get_running_loop()
            before = loop.time()
            answers = await asyncio.gather(
                *(store.write(add(f"t{n}")) for n in range(100)), return_exceptions=True
            )
            assert {getattr(answer, "code", answer) for answer in answers} == {"E702"}
            assert loop.time() - before < 100 * IMPATIENT.lock_timeout, "they wait together"
            assert (await store.read(host)).id, "reading goes on"
            holder.execute("COMMIT")
        assert await store.write(add("t")) == 1

    using(database, use, IMPATIENT)


def test_opening_a_current_database_waits_for_no_writer(database: Path) -> None:
    with contextlib.closing(sqlite3.connect(database, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")

        async def use(store: Store) -> None:
            assert (await store.read(host)).id

        using(database, use, IMPATIENT)


def test_opening_a_current_database_writes_nothing(database: Path) -> None:
    before = database.read_bytes(), database.stat().st_mtime_ns

    async def use(store: Store) -> None:
        await store.read(host)

    using(database, use, StoreSettings())
    assert (database.read_bytes(), database.stat().st_mtime_ns) == before


def test_a_full_disk_loses_nothing_that_was_answered(database: Path) -> None:
    pages = database.stat().st_size // 4096

    async def use(store: Store) -> None:
        assert await store.write(add("before")) == 1
        answers = await asyncio.gather(
            *(store.write(add(f"t{n}", size=1_000_000 if n == 5 else 10)) for n in range(10)),
            return_exceptions=True,
        )
        failed = [answer for answer in answers if isinstance(answer, BaseException)]
        assert [getattr(error, "code", error) for error in failed] == ["E706"]
        kept = {row["id"] for row in await store.read(lambda tx: tx.all("backup_tenants"))}
        assert {"before"} | {f"t{n}" for n in range(10) if n != 5} <= kept

    using(database, use, StoreSettings(max_pages=pages + 20))


def test_a_damaged_database_is_said_to_be_damaged(database: Path) -> None:
    def fill(tx: Transaction) -> None:
        for number in range(200):
            tx.execute("add_tenant", id=f"t{number}", now="x" * 500)

    async def use(store: Store) -> None:
        await store.write(fill)

    using(database, use, StoreSettings())
    content = bytearray(database.read_bytes())
    content[4096 * 2 :] = os.urandom(len(content) - 4096 * 2)
    database.write_bytes(content)

    async def look(store: Store) -> None:
        await store.read(lambda tx: tx.all("backup_tenants"))

    with pytest.raises(StoreError) as caught:
        using(database, look, StoreSettings())
    assert caught.value.code == "E705"


def test_a_folder_is_no_database(tmp_path: Path) -> None:
    error = refusal_of(tmp_path)
    assert error.code == "E707"
    assert "it is a folder" in error.message


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    error = refusal_of(tmp_path / "nowhere" / "server.db")
    assert error.code == "E707"
    assert str(tmp_path / "nowhere") in error.remedy


def test_tables_that_somebody_changed_are_told_from_damage(database: Path) -> None:
    altered(database, "DROP TABLE hosts;")

    async def use(store: Store) -> None:
        await store.read(host)

    with pytest.raises(StoreError) as caught:
        using(database, use, StoreSettings())
    assert caught.value.code == "E714"


@pytest.fixture
def shared_folder() -> Iterator[Path]:
    """A folder that an unprivileged user may read but not write."""
    with tempfile.TemporaryDirectory(prefix="envsync-ro-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        folder.chmod(0o755)


UNPRIVILEGED = """
import asyncio, os, sys
from concurrent.futures import ThreadPoolExecutor
from envsync.errors import StoreError
from envsync.server.services.host import host
from envsync.server.store import sqlite
from envsync.server.store.opening import open_store
from envsync.server.store.queries import sqlite_queries

# Python itself may lie where only root can read: all of it is loaded before.
sqlite_queries()
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)

async def use(path):
    store = open_store(path)
    try:
        print((await store.read(host)).id)
        await store.write(lambda tx: tx.execute("add_tenant", id="t", now="now"))
    finally:
        await store.aclose()

try:
    asyncio.run(use(sys.argv[1]))
except StoreError as error:
    print(error.code, error.message)
"""


def unprivileged(path: Path) -> list[str]:
    """What someone sees who owns neither the file nor its folder."""
    done = subprocess.run(
        [sys.executable, "-c", UNPRIVILEGED, path], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def make_readable(folder: Path) -> None:
    for file in folder.iterdir():
        file.chmod(0o444)


def test_a_database_that_may_only_be_read_answers_reads_and_refuses_writes(
    shared_folder: Path,
) -> None:
    """While its owner has it open, so that the files beside it are there."""
    path = shared_folder / "server.db"

    async def use(store: Store) -> None:
        await store.write(add("owner"))
        make_readable(shared_folder)
        seen = await asyncio.to_thread(unprivileged, path)
        assert seen[0] == (await store.read(host)).id
        assert seen[1].startswith("E703 ")

    using(path, use, StoreSettings())


def test_a_database_in_a_folder_that_may_only_be_read_says_so(shared_folder: Path) -> None:
    path = shared_folder / "server.db"
    asyncio.run(open_store(path).aclose())
    path.chmod(0o444)
    shared_folder.chmod(0o555)
    (seen,) = unprivileged(path)
    assert seen.startswith(("E703 ", "E707 "))


def test_a_database_of_somebody_else_is_refused(shared_folder: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can make files for somebody else")
    path = shared_folder / "server.db"
    asyncio.run(open_store(path).aclose())
    (seen,) = unprivileged(path)
    assert seen.startswith("E707 ")
