"""Many writers at once: a precondition lets exactly one of them through."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from envsync.server.refusal import Refusal
from envsync.server.services import manifests
from envsync.server.services.abilities import Abilities
from envsync.server.services.drafts import draft
from envsync.server.store.interface import Store
from envsync.server.store.opening import open_store

if TYPE_CHECKING:
    from .conftest import Tenant

NOW = "2026-01-02T03:04:05.678Z"


async def race(tenant: Tenant, stores: list[Store], if_match: int | None, width: int) -> list[str]:
    """How ``width`` saves of ``box``, each of another body, end."""

    async def save(number: int) -> str:
        drafted = draft({"setup": [{"command": f"echo {number}"}]}, Abilities())
        try:
            await stores[number % len(stores)].write(
                lambda tx: manifests.save_manifest(
                    tx, tenant.id, "box", drafted, if_match, f"subject:{number}", NOW
                )
            )
        except Refusal as refusal:
            return refusal.code
        return "saved"

    return await asyncio.gather(*(save(number) for number in range(width)))


@pytest.mark.parametrize("if_match", [0, 1])
def test_of_many_saves_onto_one_version_exactly_one_wins(
    tenant: Tenant, location: str, if_match: int
) -> None:
    if if_match:
        tenant.save("box", {})

    async def run() -> list[str]:
        other = open_store(location)
        try:
            return await race(tenant, [tenant.store, other], if_match, 40)
        finally:
            await other.aclose()

    ends = asyncio.run(run())
    assert sorted(ends) == ["manifest_changed"] * 39 + ["saved"]
    assert tenant.get("box")["version"] == if_match + 1


def test_saves_without_a_precondition_all_get_a_version_of_their_own(
    tenant: Tenant, location: str
) -> None:
    async def run() -> list[str]:
        other = open_store(location)
        try:
            return await race(tenant, [tenant.store, other], None, 40)
        finally:
            await other.aclose()

    assert asyncio.run(run()) == ["saved"] * 40
    numbers = [each["version"] for each in tenant.versions("box")["versions"]]
    assert numbers == list(range(40, 0, -1))


def test_the_last_place_is_given_once(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifests, "MAX_MANIFESTS", 5)
    drafted = draft({}, Abilities())

    async def save(number: int) -> str:
        try:
            await tenant.store.write(
                lambda tx: manifests.save_manifest(
                    tx, tenant.id, f"box-{number}", drafted, None, "local:me", NOW
                )
            )
        except Refusal as refusal:
            return refusal.code
        return "saved"

    async def run() -> list[str]:
        return await asyncio.gather(*(save(number) for number in range(30)))

    assert sorted(asyncio.run(run())) == ["limit_exceeded"] * 25 + ["saved"] * 5
    assert len(tenant.listed()["manifests"]) == 5


def test_a_manifest_is_deleted_or_used_never_both(tenant: Tenant) -> None:
    """An Environment that is made while its manifest goes keeps it, or is not made."""

    async def run(number: int) -> None:
        name = f"box-{number}"
        drafted = draft({}, Abilities())
        await tenant.store.write(
            lambda tx: manifests.save_manifest(tx, tenant.id, name, drafted, 0, "local:me", NOW)
        )
        await asyncio.gather(
            tenant.store.write(lambda tx: manifests.delete_manifest(tx, tenant.id, name)),
            tenant.store.write(
                lambda tx: tx.execute(
                    "restore_environments",
                    tenant=tenant.id,
                    id=name,
                    manifest_name=name,
                    manifest_version=1,
                )
            ),
            return_exceptions=True,
        )

    async def all_of_them() -> None:
        await asyncio.gather(*(run(number) for number in range(20)))

    asyncio.run(all_of_them())
    kept = {each["name"]: each["environments"] for each in tenant.listed()["manifests"]}
    used = {row["id"] for row in tenant.read(lambda tx: tx.all("backup_environments"))}
    assert used == set(kept)
    assert set(kept.values()) <= {1}


CLAIMER = """
import asyncio, sys
from envsync.server.refusal import Refusal
from envsync.server.services import manifests
from envsync.server.services.abilities import Abilities
from envsync.server.services.drafts import draft
from envsync.server.services.host import host
from envsync.server.store.opening import open_store

async def main():
    store = open_store(sys.argv[1])
    tenant = (await store.read(host)).tenant
    drafted = draft({"setup": [{"command": sys.argv[2]}]}, Abilities())
    async def claim(number):
        work = lambda tx: manifests.save_manifest(
            tx, tenant, f"box-{number}", drafted, 0, f"local:{sys.argv[2]}", sys.argv[3])
        try:
            await store.write(work)
        except Refusal as refusal:
            return refusal.code == "manifest_changed"
        return None
    print(sum(end is None for end in await asyncio.gather(*map(claim, range(100)))))
    await store.aclose()

asyncio.run(main())
"""


def test_two_processes_never_both_win_one_name(tenant: Tenant, location: str) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", CLAIMER, location, name, NOW],
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("one", "other")
    ]
    wins = [int(process.communicate()[0]) for process in processes]
    assert sum(wins) == 100
    listed = tenant.listed()["manifests"]
    assert [each["version"] for each in listed] == [1] * 100
    by_one = json.dumps(listed).count('"savedBy": "local:one"')
    assert [by_one, 100 - by_one] == wins
