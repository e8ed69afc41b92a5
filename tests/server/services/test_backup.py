"""Backup and restore: whole, from either database into either, and never over anything."""

from __future__ import annotations

import asyncio
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from envsync.errors import StoreError
from envsync.server.backup import BackupReport, back_up, restore
from envsync.server.services import keys
from envsync.server.services.host import host
from envsync.server.store.interface import Store
from envsync.server.store.opening import open_store

if TYPE_CHECKING:
    from .conftest import Tenant

NOW = "2026-01-02T03:04:05.678Z"


@pytest.fixture
def filled(tenant: Tenant) -> Tenant:
    """A database with something in every table."""
    tenant.save("box", {"kind": "pod", "setup": [{"command": "echo 'é\u2028\U0001f600' \"\\\""}]})
    tenant.save("box", {"kind": "virtual"})
    tenant.save("gone", {})
    tenant.delete("gone")
    tenant.make_environment("users/a", "box", 1)
    tenant.make_environment("inline", None, None)
    tenant.write(
        lambda tx: keys.create_key(
            tx, tenant.id, "ci", keys.Role.APPLICATION, NOW, text="0123456789abcdef" * 4
        )
    )
    return tenant


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where to restore to: not the database that was backed up."""
    if request.param == "sqlite":
        return str(tmp_path / "restored.db")
    url: str = request.getfixturevalue("second_postgresql_url")
    return url


def fill(location: str, source: Path, *, overwrite: bool = False) -> BackupReport:
    async def run() -> BackupReport:
        store = open_store(location)
        try:
            return await restore(store, source, overwrite=overwrite)
        finally:
            await store.aclose()

    return asyncio.run(run())


def backed_up(store: Store, path: Path) -> BackupReport:
    return asyncio.run(back_up(store, path, NOW))


def test_what_is_restored_is_what_was_backed_up(
    filled: Tenant, target: str, tmp_path: Path
) -> None:
    first, second = tmp_path / "first.backup", tmp_path / "second.backup"
    report = backed_up(filled.store, first)
    assert report.rows == {
        "tenants": 1,
        "hosts": 1,
        "keys": 1,
        "manifests": 1,
        "manifest_versions": 2,
        "deleted_manifests": 1,
        "environments": 2,
    }
    assert fill(target, first).rows == report.rows
    store = open_store(target)
    backed_up(store, second)
    assert asyncio.run(store.read(host)) == filled.read(host), "it is the same server again"
    asyncio.run(store.aclose())
    assert second.read_bytes() == first.read_bytes()


def test_only_its_owner_can_read_a_backup(filled: Tenant, tmp_path: Path) -> None:
    backed_up(filled.store, tmp_path / "a.backup")
    assert stat.S_IMODE((tmp_path / "a.backup").stat().st_mode) == 0o600


def test_a_backup_holds_no_key(filled: Tenant, tmp_path: Path) -> None:
    backed_up(filled.store, tmp_path / "a.backup")
    assert b"0123456789abcdef0123" not in (tmp_path / "a.backup").read_bytes()


def test_a_backup_overwrites_nothing_unless_told(filled: Tenant, tmp_path: Path) -> None:
    path = tmp_path / "precious.txt"
    path.write_text("precious")
    with pytest.raises(StoreError) as caught:
        backed_up(filled.store, path)
    assert caught.value.code == "E711"
    assert path.read_text() == "precious"
    asyncio.run(back_up(filled.store, path, NOW, overwrite=True))
    assert path.read_text().startswith('{"format":"envsync-backup/1"')


def test_a_backup_that_cannot_be_written_leaves_nothing(filled: Tenant, tmp_path: Path) -> None:
    with pytest.raises(StoreError) as caught:
        backed_up(filled.store, tmp_path / "nowhere" / "a.backup")
    assert caught.value.code == "E715"
    assert not [path for path in tmp_path.iterdir() if "backup" in path.name]


def test_a_restore_overwrites_nothing_unless_told(filled: Tenant, tmp_path: Path) -> None:
    path = tmp_path / "a.backup"
    backed_up(filled.store, path)
    filled.save("newer", {})
    with pytest.raises(StoreError) as caught:
        asyncio.run(restore(filled.store, path))
    assert caught.value.code == "E711"
    assert "2 manifests, 1 keys and 2 Environments" in caught.value.message
    assert filled.get("newer")["version"] == 1
    asyncio.run(restore(filled.store, path, overwrite=True))
    assert [each["name"] for each in filled.listed()["manifests"]] == ["box"]


@pytest.mark.parametrize(
    ("damage", "code", "reason"),
    [
        (lambda text: b"", "E712", "not JSON"),
        (lambda text: b"hello\n", "E712", "not JSON"),
        (lambda text: b'{"format": "other"}\n', "E712", "does not start"),
        (lambda text: text[: len(text) // 2], "E712", ""),
        (lambda text: text[: text.rindex(b'{"sha256"')], "E712", "end is missing"),
        (lambda text: text.replace(b'"box"', b'"fox"'), "E712", "altered"),
        (lambda text: text.replace(b'"schema":1', b'"schema":99'), "E701", "schema 99"),
    ],
)
def test_a_file_that_is_no_whole_backup_changes_nothing(
    filled: Tenant, tmp_path: Path, damage: object, code: str, reason: str
) -> None:
    path = tmp_path / "a.backup"
    backed_up(filled.store, path)
    path.write_bytes(damage(path.read_bytes()))  # type: ignore[operator]
    with pytest.raises(StoreError) as caught:
        asyncio.run(restore(filled.store, path, overwrite=True))
    assert caught.value.code == code
    assert reason in caught.value.message
    assert filled.get("box")["version"] == 2


def test_a_backup_that_is_not_there_is_named(filled: Tenant, tmp_path: Path) -> None:
    with pytest.raises(StoreError) as caught:
        asyncio.run(restore(filled.store, tmp_path / "absent", overwrite=True))
    assert caught.value.code == "E712"
    assert "absent" in caught.value.message


def test_a_backup_is_of_one_moment(filled: Tenant, tmp_path: Path) -> None:
    """Saves go on while it is made: what it holds fits together all the same."""

    async def run() -> None:
        store = filled.store
        saving = [
            asyncio.to_thread(filled.save, f"busy-{number}", {"resources": {"cpus": number + 1}})
            for number in range(20)
        ]
        reports = [back_up(store, tmp_path / f"{number}.backup", NOW) for number in range(3)]
        await asyncio.gather(*saving, *reports)

    asyncio.run(run())
    for number in range(3):
        report = fill(str(tmp_path / f"{number}.db"), tmp_path / f"{number}.backup")
        assert report.rows["manifest_versions"] == report.rows["manifests"] + 1
