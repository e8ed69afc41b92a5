"""What only PostgreSQL can do to us."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from urllib.parse import quote

import pytest

from envsync.errors import StoreError
from envsync.server.services.host import host
from envsync.server.store.interface import Store, Transaction
from envsync.server.store.opening import open_store
from envsync.server.store.settings import StoreSettings

IMPATIENT = StoreSettings(lock_timeout=0.05)


def using(url: str, use: Callable[[Store], Awaitable[None]], settings: StoreSettings) -> None:
    async def run() -> None:
        store = open_store(url, settings)
        try:
            await use(store)
        finally:
            await store.aclose()

    asyncio.run(run())


def add(name: str) -> Callable[[Transaction], int]:
    return lambda tx: tx.execute("add_tenant", id=name, now="then")


def run_sql(url: str, *statements: str) -> None:
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)


def test_a_missing_driver_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StoreError) as caught:
        open_store("postgresql://envsync@db.example/envsync")
    assert caught.value.code == "E708"
    assert "envsync[postgresql]" in caught.value.remedy


def test_an_address_is_shown_without_its_password() -> None:
    pytest.importorskip("psycopg")
    from envsync.server.store.postgresql_database import shown

    assert (
        shown("postgresql://ann:s3cret@db.example:5433/box?sslmode=require&password=s3cret")
        == "postgresql://ann@db.example:5433/box"
    )


@pytest.mark.postgresql
def test_a_server_that_is_not_there_is_named_without_the_password() -> None:
    with pytest.raises(StoreError) as caught:
        open_store("postgresql://ann:s3cret@127.0.0.1:1/box")
    assert caught.value.code == "E709"
    assert "postgresql://ann@127.0.0.1:1/box" in caught.value.message
    assert "s3cret" not in caught.value.message


@pytest.mark.postgresql
def test_a_missing_database_is_not_made(postgresql_server: str) -> None:
    with pytest.raises(StoreError) as caught:
        open_store(postgresql_server.replace("/postgres?", "/nowhere?"))
    assert caught.value.code == "E709"
    assert "nowhere" in caught.value.message


@pytest.mark.postgresql
def test_a_database_of_a_newer_program_is_refused_by_name(postgresql_url: str) -> None:
    asyncio.run(open_store(postgresql_url).aclose())
    run_sql(postgresql_url, "INSERT INTO schema_versions VALUES (99, '7.1', 'then')")
    with pytest.raises(StoreError) as caught:
        open_store(postgresql_url)
    assert caught.value.code == "E701"
    assert "schema 99, written by envsync 7.1" in caught.value.message


@pytest.mark.postgresql
def test_tables_of_another_program_are_left_alone(postgresql_url: str) -> None:
    run_sql(postgresql_url, "CREATE TABLE schema_versions (number INTEGER)")
    with pytest.raises(StoreError) as caught:
        open_store(postgresql_url)
    assert caught.value.code == "E704"


@pytest.mark.postgresql
def test_a_role_without_rights_is_told_which(postgresql_url: str) -> None:
    asyncio.run(open_store(postgresql_url).aclose())
    schema = postgresql_url.rpartition("%3D")[2]
    run_sql(
        postgresql_url,
        f"DROP ROLE IF EXISTS guest_of_{schema}",
        f"CREATE ROLE guest_of_{schema} LOGIN",
        f"GRANT USAGE ON SCHEMA {schema} TO guest_of_{schema}",
        f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO guest_of_{schema}",
    )

    async def use(store: Store) -> None:
        assert (await store.read(host)).id
        with pytest.raises(StoreError) as caught:
            await store.write(add("t"))
        assert caught.value.code == "E703"
        assert "permission denied" in caught.value.message

    guest = postgresql_url.replace("//envsync@", f"//guest_of_{schema}@")
    using(guest, use, StoreSettings())
    run_sql(postgresql_url, f"DROP OWNED BY guest_of_{schema}", f"DROP ROLE guest_of_{schema}")


@pytest.mark.postgresql
def test_a_lock_that_somebody_holds_is_waited_for_and_then_named(postgresql_url: str) -> None:
    import psycopg

    asyncio.run(open_store(postgresql_url).aclose())

    async def use(store: Store) -> None:
        with psycopg.connect(postgresql_url) as holder:
            holder.execute("LOCK TABLE tenants IN EXCLUSIVE MODE")
            answers = await asyncio.gather(
                *(store.write(add(f"t{n}")) for n in range(3)), return_exceptions=True
            )
            assert [getattr(answer, "code", answer) for answer in answers] == ["E702"] * 3
            assert (await store.read(host)).id, "reading goes on"
        assert await store.write(add("t")) == 1

    using(postgresql_url, use, IMPATIENT)


@pytest.mark.postgresql
def test_a_restart_of_postgresql_is_survived(postgresql_url: str) -> None:
    """Every connection breaks; the next read and the next write make new ones."""

    async def use(store: Store) -> None:
        await store.read(host)
        await store.write(add("before"))
        run_sql(
            postgresql_url,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND application_name = 'envsync'",
        )
        assert (await store.read(host)).id
        assert await store.write(add("after")) == 1

    using(postgresql_url, use, StoreSettings())


@pytest.mark.postgresql
def test_a_write_whose_connection_breaks_is_run_again(postgresql_url: str) -> None:
    runs = 0

    def break_once(tx: Transaction) -> int:
        nonlocal runs
        runs += 1
        done = add("once")(tx)
        if runs == 1:
            run_sql(
                postgresql_url,
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE pid <> pg_backend_pid() AND application_name = 'envsync'"
                " AND state = 'idle in transaction'",
            )
            tx.all("host")
        return done

    async def use(store: Store) -> None:
        assert await store.write(break_once) == 1

    using(postgresql_url, use, StoreSettings())
    assert runs == 2


@pytest.mark.postgresql
def test_a_commit_without_an_answer_is_said_to_be_unknown(postgresql_url: str) -> None:
    """Nobody can know; so it is not run again and not called a failure to write."""
    runs = 0

    def lose(tx: Transaction) -> None:
        nonlocal runs
        runs += 1
        tx.all("host")
        run_sql(
            postgresql_url,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND application_name = 'envsync'"
            " AND state = 'idle in transaction'",
        )

    async def use(store: Store) -> None:
        with pytest.raises(StoreError) as caught:
            await store.write(lose)
        assert caught.value.code == "E710"
        assert runs == 1

    using(postgresql_url, use, StoreSettings())


@pytest.mark.postgresql
def test_answered_writes_are_durable_even_where_the_default_is_not(postgresql_url: str) -> None:
    from envsync.server.store.postgresql_database import run
    from envsync.server.store.postgresql_writer import PostgresqlWriter

    asyncio.run(open_store(postgresql_url).aclose())
    hasty = f"{postgresql_url}{quote(' -csynchronous_commit=off')}"
    writer = PostgresqlWriter(hasty, StoreSettings())
    setting = run(writer._connection, "SHOW synchronous_commit").fetchone()
    writer.close()
    assert setting is not None
    assert setting[0] == "on"


@pytest.mark.postgresql
def test_writers_in_each_others_way_all_succeed(postgresql_url: str) -> None:
    """Many read what the others write: without running again most would fail."""

    def grow(name: str) -> Callable[[Transaction], int]:
        def run(tx: Transaction) -> int:
            count = len(tx.all("backup_tenants"))
            tx.execute("add_tenant", id=f"{name}-{count}", now="then")
            return count

        return run

    async def use(store: Store) -> None:
        other = open_store(postgresql_url, StoreSettings(writers=4, batch=2))
        try:
            counts = await asyncio.gather(
                *(each.write(grow(f"g{n}")) for n in range(30) for each in (store, other))
            )
        finally:
            await other.aclose()
        assert sorted(counts) == list(range(1, 61)), "each saw all that came before it"

    using(postgresql_url, use, StoreSettings(writers=4, batch=2))
