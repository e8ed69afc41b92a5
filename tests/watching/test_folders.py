"""Which folders are watched, and which entries in them are a reason to look."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from pathlib import Path

import pytest

from envsync.project import config
from envsync.watching.folders import Folders, folders, git_is_busy, git_stamp
from envsync.watching.watcher import Watcher

CONFIG = "format: 1\nproject: acme\ncontexts: {local: {server: embedded}}\n"


def repository(root: Path, more: str = "") -> Path:
    (root / "manifests").mkdir(parents=True)
    (root / "envsync.yaml").write_text(CONFIG + more)
    (root / "manifests" / "web.yaml").write_text("kind: virtual\n")
    return root


def watched(root: Path) -> Folders:
    return folders(root, config.load(root))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return repository(tmp_path / "repository")


def test_only_folders_are_watched_and_only_those_that_can_say_something(root: Path) -> None:
    (root / "node_modules" / "a" / "manifests").mkdir(parents=True)
    (root / "overlays" / "local" / "manifests").mkdir(parents=True)
    (root / "policies").mkdir()
    found = watched(root)
    relative = {os.path.relpath(path, root) for path in found.inodes}
    assert relative == {
        ".",
        "manifests",
        "overlays",
        "overlays/local",
        "overlays/local/manifests",
        "policies",
    }


def test_what_is_not_there_yet_is_watched_from_above(root: Path) -> None:
    text = "files: {manifests: ['teams/*/boxes/*']}\n"
    (root / "envsync.yaml").write_text(CONFIG + text)
    assert watched(root).concerns(f"{root}/teams")
    (root / "teams" / "a" / "boxes").mkdir(parents=True)
    found = watched(root)
    assert found.concerns(f"{root}/teams/a/boxes/web.yaml")
    assert found.concerns(f"{root}/teams/b")


@pytest.mark.parametrize(
    ("path", "concerns"),
    [
        ("envsync.yaml", True),
        ("manifests", True),
        ("manifests/web.yaml", True),
        ("manifests/deeper", True),
        ("overlays", True),
        ("README.md", False),
        ("4913", False),
        ("manifests/.web.yaml.swp", False),
        ("manifests/web.yaml~", False),
        ("elsewhere/web.yaml", False),
    ],
)
def test_our_own_filter(root: Path, path: str, concerns: bool) -> None:
    assert watched(root).concerns(f"{root}/{path}") is concerns


def test_a_repository_below_a_folder_named_node_modules_is_watched(tmp_path: Path) -> None:
    root = repository(tmp_path / "node_modules" / "__pycache__" / ".git-like" / "repository")
    found = watched(root)
    assert found.concerns(f"{root}/manifests/web.yaml")
    assert f"{root}/manifests" in found.inodes


def test_where_links_lead_is_watched_too(root: Path) -> None:
    (root / "shared").mkdir()
    (root / "shared" / "base.yaml").write_text("kind: virtual\n")
    (root / "manifests" / "linked.yaml").symlink_to("../shared/base.yaml")
    found = watched(root)
    assert found.concerns(f"{root}/shared/base.yaml")
    assert not found.concerns(f"{root}/shared/other.yaml")


def test_links_that_lead_in_a_circle_end(root: Path) -> None:
    (root / "overlays" / "local").mkdir(parents=True)
    (root / "overlays" / "local" / "again").symlink_to("..")
    assert len(watched(root).inodes) < 20


def test_branches_and_head_are_watched_and_other_things_of_git_are_not(root: Path) -> None:
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=root, check=True)
    found = watched(root)
    assert found.concerns(f"{root}/.git/HEAD")
    assert found.concerns(f"{root}/.git/packed-refs")
    assert found.concerns(f"{root}/.git/refs/heads/main")
    assert not found.concerns(f"{root}/.git/refs/heads/main.lock")
    assert not found.concerns(f"{root}/.git/index")
    assert not found.concerns(f"{root}/.git/envsync")


def test_without_an_envsync_yaml_that_can_be_used_only_it_is_waited_for(root: Path) -> None:
    found = folders(root, None)
    assert set(found.inodes) == {str(root)}
    assert found.concerns(f"{root}/envsync.yaml")


def test_a_root_that_is_made_again_is_another_one(root: Path, tmp_path: Path) -> None:
    found = watched(root)
    assert not found.is_loose
    moved = tmp_path / "moved"
    root.rename(moved)
    assert found.is_loose
    gone = folders(root, None)
    assert not gone.is_loose
    repository(root)
    assert found.is_loose
    assert gone.is_loose


def test_the_stamp_of_git_tells_a_commit(root: Path) -> None:
    git = ["git", "-c", "user.name=Alice", "-c", "user.email=alice@team.example"]
    subprocess.run([*git, "init", "-q", "-b", "main"], cwd=root, check=True)
    before = git_stamp(root)
    assert git_stamp(root) == before
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "One"], cwd=root, check=True)
    assert git_stamp(root) != before


def test_a_lock_of_the_index_says_that_git_is_busy(root: Path) -> None:
    assert not git_is_busy(root)
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    assert not git_is_busy(root)
    (root / ".git" / "index.lock").touch()
    assert git_is_busy(root)


class Heard:
    def __init__(self) -> None:
        self.event = threading.Event()
        self.broken: list[str] = []

    def wait(self) -> bool:
        heard = self.event.wait(20)
        self.event.clear()
        return heard

    def break_(self, why: str) -> None:
        self.broken.append(why)
        self.event.set()


@pytest.fixture
def heard() -> Heard:
    return Heard()


def test_every_atomic_save_is_heard(root: Path, heard: Heard) -> None:
    watcher = Watcher(heard.event.set, heard.break_)
    watcher.arm(watched(root))
    try:
        for number in range(5):
            temporary = root / "manifests" / ".web.yaml.new"
            temporary.write_text(f"# {number}\nkind: virtual\n")
            temporary.replace(root / "manifests" / "web.yaml")
            assert heard.wait()
    finally:
        watcher.close()


def test_a_name_that_is_not_utf_8_ends_a_watch_which_can_be_armed_again(
    root: Path, heard: Heard
) -> None:
    watcher = Watcher(heard.event.set, heard.break_)
    watcher.arm(watched(root))
    try:
        name = os.fsencode(root / "manifests") + b"/\xff.yaml"
        try:
            os.close(os.open(name, os.O_CREAT | os.O_WRONLY))
        except OSError:
            return  # this file system has only names that are text
        assert heard.wait()
        assert heard.broken
        assert not watcher.is_armed
        watcher.arm(watched(root))
        (root / "manifests" / "data.yaml").write_text("kind: virtual\n")
        assert heard.wait()
    finally:
        watcher.close()


def test_nothing_is_heard_of_folders_that_are_no_longer_watched(root: Path, heard: Heard) -> None:
    watcher = Watcher(heard.event.set, heard.break_)
    watcher.arm(watched(root))
    watcher.disarm()
    watcher.arm(folders(root, None))
    try:
        (root / "manifests" / "data.yaml").write_text("kind: virtual\n")
        (root / "envsync.yaml").write_text(CONFIG)
        assert heard.wait()
    finally:
        watcher.close()
    shutil.rmtree(root)
