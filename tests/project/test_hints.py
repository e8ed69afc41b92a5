"""Hints: kept in the Git folder, and no harm when they are not."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from envsync.project.config import Project
from envsync.project.hints import Hint, hints_path, read_hints, record_hints, state_folder

Write = Callable[[Mapping[str, str | bytes]], Project]
FIRST = Hint(3, "aa", "bb", "4f2c1aa", "2026-11-30T10:00:00Z")
SECOND = Hint(1, "cc", "dd")


def test_what_was_applied_is_remembered_by_server(write: Write) -> None:
    project = write({})
    assert record_hints(project, "host-1", {("manifest", "a"): FIRST})
    assert record_hints(project, "host-2", {("manifest", "a"): SECOND})
    assert record_hints(project, "host-1", {("manifest", "b"): SECOND})
    assert read_hints(project, "host-1") == {("manifest", "a"): FIRST, ("manifest", "b"): SECOND}
    assert read_hints(project, "host-2") == {("manifest", "a"): SECOND}
    assert read_hints(project, "host-3") == {}


def test_what_was_deleted_is_forgotten(write: Write) -> None:
    project = write({})
    record_hints(project, "h", {("manifest", "a"): FIRST, ("manifest", "b"): SECOND})
    record_hints(project, "h", {}, (("manifest", "a"), ("manifest", "never-there")))
    assert read_hints(project, "h") == {("manifest", "b"): SECOND}


def test_they_lie_in_the_git_folder_where_there_is_one(write: Write, root: Path) -> None:
    project = write({})
    assert hints_path(project) == root / ".envsync" / "applied.json"
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    assert hints_path(project) == root / ".git" / "envsync" / "applied.json"
    assert record_hints(project, "h", {("manifest", "a"): FIRST})
    assert not (root / ".envsync").exists()


def test_without_git_their_folder_ignores_itself(write: Write, root: Path) -> None:
    record_hints(write({}), "h", {("manifest", "a"): FIRST})
    assert (root / ".envsync" / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"format": 9, "servers": {"h": {}}}',
        b'{"format": 1, "servers": []}',
        b'{"format": 1, "servers": {"h": []}}',
        b'{"format": 1, "servers": {"h": {"manifest a": 7, "nonsense": {}}}}',
        b'{"format": 1, "servers": {"h": {"manifest b": {"version": "1", "hash": "x"}}}}',
        b"[" * 100_000,
    ],
)
def test_a_damaged_file_is_no_hint_and_is_mended(write: Write, damage: bytes) -> None:
    project = write({})
    state_folder(project)
    hints_path(project).write_bytes(damage)
    assert read_hints(project, "h") == {}
    assert record_hints(project, "h", {("manifest", "a"): FIRST})
    assert read_hints(project, "h")["manifest", "a"] == FIRST


def test_where_nothing_can_be_written_nothing_is_said(write: Write, root: Path) -> None:
    project = write({})
    (root / ".envsync").write_text("a file in the way")
    assert not record_hints(project, "h", {("manifest", "a"): FIRST})
    assert read_hints(project, "h") == {}
