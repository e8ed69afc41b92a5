"""What holds for a Store, whichever database is below."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import pytest

from envsync.errors import StoreError
from envsync.server.services.host import Host, host
from envsync.server.store import migrations
from envsync.server.store.interface import Store, Transaction
from envsync.server.store.opening import open_store

Opened = Callable[..., AbstractAsyncContextManager[Store]]


def add_tenant(name: str) -> Callable[[Transaction], int]:
    return lambda tx: tx.execute("add_tenant", id=name, now="2026-01-01T00:00:00.000Z")


def tenants(tx: Transaction) -> list[str]:
    return [row["id"] for row in tx.all("backup_tenants")]


def test_a_new_database_has_an_identity_that_stays(opened: Opened) -> None:
    async def use() -> tuple[Host, Host]:
        async with opened() as store:
            first = await store.read(host)
        async with opened() as store:
            return first, await store.read(host)

    first, second = asyncio.run(use())
    assert first == second
    assert first.id.startswith("hs_")
    assert first.tenant.startswith("tn_")


def test_two_databases_have_two_identities() -> None:
    ids = [migrations.new_id("hs") for _ in range(100)]
    assert len(set(ids)) == 100
    assert all(len(identity) == 29 for identity in ids)
    assert ids[0][:12] <= ids[-1][:12]


def test_what_was_written_can_be_read_once_it_was_answered(opened: Opened) -> None:
    async def use() -> list[str]:
        async with opened() as store:
            assert await store.write(add_tenant("a")) == 1
            return await store.read(tenants)

    assert "a" in asyncio.run(use())


def test_a_work_answers_what_it_returns_and_raises_what_it_raises(opened: Opened) -> None:
    def refuse(tx: Transaction) -> None:
        raise ValueError("no")

    async def use() -> None:
        async with opened() as store:
            assert await store.write(lambda tx: "yes") == "yes"
            with pytest.raises(ValueError, match="no"):
                await store.write(refuse)
            with pytest.raises(ValueError, match="no"):
                await store.read(refuse)

    asyncio.run(use())


def test_a_work_that_fails_after_it_wrote_is_undone_and_hurts_no_neighbour(opened: Opened) -> None:
    def work(number: int) -> Callable[[Transaction], int]:
        def run(tx: Transaction) -> int:
            add_tenant(f"t{number:02}")(tx)
            if number % 3 == 0:
                raise ValueError(number)
            return number

        return run

    async def use() -> tuple[list[int | BaseException], list[str]]:
        async with opened() as store:
            answers = await asyncio.gather(
                *(store.write(work(number)) for number in range(60)), return_exceptions=True
            )
            return answers, await store.read(tenants)

    answers, kept = asyncio.run(use())
    assert [type(answer) for answer in answers[:4]] == [ValueError, int, int, ValueError]
    assert [name for name in kept if name.startswith("t") and name[1:].isdigit()] == [
        f"t{number:02}" for number in range(60) if number % 3
    ]


def test_a_work_that_the_database_refuses_hurts_no_neighbour(opened: Opened) -> None:
    async def use() -> tuple[list[int | BaseException], list[str]]:
        async with opened() as store:
            await store.write(add_tenant("taken"))
            works = [add_tenant("taken") if n == 7 else add_tenant(f"n{n}") for n in range(20)]
            answers = await asyncio.gather(
                *(store.write(work) for work in works), return_exceptions=True
            )
            return answers, await store.read(tenants)

    answers, kept = asyncio.run(use())
    failed = [answer for answer in answers if isinstance(answer, BaseException)]
    assert [getattr(error, "code", error) for error in failed] == ["E714"]
    assert len([name for name in kept if name.startswith("n")]) == 19


def test_a_read_cannot_write(opened: Opened) -> None:
    async def use() -> list[str]:
        async with opened() as store:
            with pytest.raises(StoreError):
                await store.read(add_tenant("sneaky"))
            with pytest.raises(StoreError):
                await store.read(add_tenant("sneaky"), heavy=True)
            return await store.read(tenants)

    assert "sneaky" not in asyncio.run(use())


def test_a_read_sees_one_moment(opened: Opened) -> None:
    """What is committed while a work reads stays out of its sight."""
    looked, written = threading.Event(), threading.Event()

    def look_twice(tx: Transaction) -> tuple[list[str], list[str]]:
        before = tenants(tx)
        looked.set()
        assert written.wait(30)
        return before, tenants(tx)

    async def use() -> tuple[list[str], list[str]]:
        async with opened() as store:
            reading = asyncio.create_task(store.read(look_twice, heavy=True))
            await asyncio.to_thread(looked.wait, 30)
            await store.write(add_tenant("late"))
            written.set()
            return await reading

    before, after = asyncio.run(use())
    assert before == after
    assert "late" not in after


def test_rows_can_be_had_by_name_by_place_and_unpacked(opened: Opened) -> None:
    def look(tx: Transaction) -> None:
        (row,) = tx.all("host")
        assert row["id"] == row[0]
        assert row["tenant"] == row[-1]
        identity, tenant = row
        assert (identity, tenant) == (row["id"], row["tenant"])
        assert len(row) == 2
        assert [each["id"] for each in tx.each("host")] == [identity]
        assert tx.one("deleted_manifest", tenant="t", name="n") is None

    async def use() -> None:
        async with opened() as store:
            await store.read(look, heavy=True)

    asyncio.run(use())


def test_texts_sort_by_their_bytes(opened: Opened) -> None:
    names = ["Zebra", "a-b", "a.b", "aB", "a_b", "ab", "é", "\U0001f600"]

    async def use() -> list[str]:
        async with opened() as store:
            await asyncio.gather(*(store.write(add_tenant(name)) for name in reversed(names)))
            return [name for name in await store.read(tenants) if not name.startswith("tn_")]

    assert asyncio.run(use()) == sorted(names, key=str.encode)


def test_closing_finishes_what_was_accepted(opened: Opened) -> None:
    async def use() -> list[str]:
        async with opened() as store:
            pending = [asyncio.create_task(store.write(add_tenant(f"p{n}"))) for n in range(50)]
            await asyncio.sleep(0)
        await asyncio.gather(*pending)
        with pytest.raises(RuntimeError):
            await store.write(add_tenant("too late"))
        async with opened() as store:
            return await store.read(tenants)

    assert len([name for name in asyncio.run(use()) if name.startswith("p")]) == 50


def test_who_gives_up_waiting_does_not_stop_the_others(opened: Opened) -> None:
    async def use() -> list[str]:
        async with opened() as store:
            tasks = [asyncio.create_task(store.write(add_tenant(f"w{n}"))) for n in range(10)]
            await asyncio.sleep(0)
            tasks[3].cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            return await store.read(tenants)

    assert len([name for name in asyncio.run(use()) if name.startswith("w")]) >= 9


def test_a_store_outlives_an_event_loop(location: str) -> None:
    store = open_store(location)
    assert asyncio.run(store.write(add_tenant("first loop"))) == 1
    assert asyncio.run(store.write(add_tenant("second loop"))) == 1
    assert {"first loop", "second loop"} <= set(asyncio.run(store.read(tenants)))
    asyncio.run(store.aclose())


def test_no_count_is_lost_between_two_stores_on_one_database(opened: Opened) -> None:
    """Read, add one, write: each as if alone, though two stores race."""

    def count_up(tx: Transaction) -> None:
        row = tx.one("deleted_manifest", tenant="t", name="n")
        version = 1 if row is None else row["version"] + 1
        tx.execute("remember_deleted_manifest", tenant="t", name="n", version=version)

    async def use() -> int:
        async with opened() as one, opened() as other:
            await asyncio.gather(*(store.write(count_up) for store in [one, other] * 60))
            row = await one.read(lambda tx: tx.one("deleted_manifest", tenant="t", name="n"))
            assert row is not None
            return int(row["version"])

    assert asyncio.run(use()) == 120


def test_several_may_make_the_same_database_at_once(opened: Opened) -> None:
    def identity() -> Host:
        async def use() -> Host:
            async with opened() as store:
                return await store.read(host)

        return asyncio.run(use())

    async def race() -> list[Host]:
        return await asyncio.gather(*(asyncio.to_thread(identity) for _ in range(6)))

    assert len(set(asyncio.run(race()))) == 1
