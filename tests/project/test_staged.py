"""What is staged: the index laid out in a folder of its own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from envsync.errors import EnvsyncError, FileError
from envsync.project.config import Project
from envsync.project.files import find
from envsync.project.staged import at_index

Write = Callable[[Mapping[str, str | bytes]], Project]

ENVIRON = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Alice",
    "GIT_AUTHOR_EMAIL": "alice@acme.example",
    "GIT_COMMITTER_NAME": "Alice",
    "GIT_COMMITTER_EMAIL": "alice@acme.example",
}


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=ENVIRON, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def project(write: Write, root: Path) -> Project:
    project = write({"manifests/a.yaml": "{}\n", "notes.txt": "x\n"})
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "First")
    return project


def staged(root: Path, **environ: str) -> dict[str, bytes]:
    """What each staged file that declares something holds."""
    with at_index(root, environ) as found:
        assert found is not None
        return {file.path: file.absolute.read_bytes() for file in find(found.project())}


def test_it_is_what_was_added_not_what_lies_there(project: Project, root: Path) -> None:
    (root / "manifests/a.yaml").write_text("kind: pod\n")
    (root / "manifests/new.yaml").write_text("{}\n")
    git(root, "add", "-A")
    (root / "manifests/a.yaml").write_text("half writ")
    (root / "manifests/new.yaml").unlink()
    (root / "manifests/later.yaml").write_text("{}\n")
    assert staged(root) == {"manifests/a.yaml": b"kind: pod\n", "manifests/new.yaml": b"{}\n"}


def test_only_files_that_say_something_are_laid_out(project: Project, root: Path) -> None:
    with at_index(root, {}) as found:
        assert found is not None
        assert found.project().home == root
        assert found.project().root == found.folder != root
        laid_out = sorted(path.name for path in found.folder.rglob("*") if path.is_file())
    assert laid_out == ["a.yaml", "envsync.yaml"]
    assert not found.folder.exists()


def test_nothing_is_touched_not_even_the_index(project: Project, root: Path) -> None:
    (root / "manifests/a.yaml").write_text("kind: pod\n")
    os.utime(root / "notes.txt", ns=(1, 1))
    index = (root / ".git/index").read_bytes()
    before = sorted(path.name for path in (root / ".git").iterdir())
    (root / ".git/index.lock").touch()
    staged(root)
    (root / ".git/index.lock").unlink()
    assert (root / ".git/index").read_bytes() == index
    assert sorted(path.name for path in (root / ".git").iterdir()) == before


def test_the_globs_are_those_of_the_staged_envsync_yaml(project: Project, root: Path) -> None:
    text = (root / "envsync.yaml").read_text()
    (root / "boxes").mkdir()
    (root / "boxes/b.yaml").write_text("{}\n")
    (root / "envsync.yaml").write_text(text + "files: {manifests: ['boxes/*']}\n")
    git(root, "add", "-A")
    (root / "envsync.yaml").write_text("project: [")
    assert list(staged(root)) == ["boxes/b.yaml"]


def test_a_broken_envsync_yaml_that_is_staged(project: Project, root: Path) -> None:
    good = (root / "envsync.yaml").read_text()
    (root / "envsync.yaml").write_text("project: [\n")
    git(root, "add", "-A")
    (root / "envsync.yaml").write_text(good)
    with at_index(root, {}) as found:
        assert found is not None
        with pytest.raises(FileError) as caught:
            found.project()
    assert caught.value.problems[0].position is not None
    assert caught.value.problems[0].position.path == "envsync.yaml"


def test_without_a_staged_envsync_yaml_there_is_nothing(project: Project, root: Path) -> None:
    git(root, "rm", "-q", "--cached", "envsync.yaml")
    with at_index(root, {}) as found:
        assert found is None


def test_what_is_only_announced_is_not_staged(project: Project, root: Path) -> None:
    (root / "manifests/new.yaml").write_text("{}\n")
    git(root, "add", "-N", "manifests/new.yaml")
    assert list(staged(root)) == ["manifests/a.yaml"]


def test_before_the_first_commit(write: Write, root: Path) -> None:
    write({"manifests/a.yaml": "{}\n"})
    git(root, "init", "-q")
    with at_index(root, {}) as found:
        assert found is None
    git(root, "add", "-A")
    assert list(staged(root)) == ["manifests/a.yaml"]


def test_a_project_in_a_folder_of_a_larger_repository(write: Write, tmp_path: Path) -> None:
    project = write({"manifests/a.yaml": "{}\n"})
    (tmp_path / "manifests").mkdir()
    (tmp_path / "manifests/not-ours.yaml").write_text("{}\n")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    assert list(staged(project.root)) == ["manifests/a.yaml"]


def test_links_are_laid_out_with_what_they_lead_to(project: Project, root: Path) -> None:
    (root / "shared").mkdir()
    (root / "shared/base.yaml").write_text("kind: pod\n")
    (root / "manifests/linked.yaml").symlink_to("../shared/base.yaml")
    git(root, "add", "-A")
    assert staged(root)["manifests/linked.yaml"] == b"kind: pod\n"


def test_line_ends_are_those_of_a_checkout(project: Project, root: Path) -> None:
    git(root, "config", "core.autocrlf", "true")
    assert staged(root)["manifests/a.yaml"] == b"{}\r\n"


def test_a_sparse_checkout_hides_nothing(project: Project, root: Path) -> None:
    git(root, "sparse-checkout", "set", "--no-cone", "/notes.txt", "/envsync.yaml")
    assert not (root / "manifests/a.yaml").exists()
    assert list(staged(root)) == ["manifests/a.yaml"]


def test_an_index_with_a_conflict(project: Project, root: Path) -> None:
    (root / "manifests/a.yaml").write_text("kind: pod\n")
    git(root, "stash")
    (root / "manifests/a.yaml").write_text("kind: none\n")
    git(root, "commit", "-qam", "ours")
    subprocess.run(["git", "stash", "pop"], cwd=root, env=ENVIRON, capture_output=True, check=False)
    with pytest.raises(EnvsyncError) as caught, at_index(root, {}):
        pass
    assert caught.value.code == "E465"
    assert caught.value.problems[0].position is not None
    assert caught.value.problems[0].position.path == "manifests/a.yaml"


def test_outside_git(write: Write) -> None:
    with pytest.raises(EnvsyncError) as caught, at_index(write({}).root, {}):
        pass
    assert caught.value.code == "E460"


@pytest.mark.parametrize(
    "command", [["commit", "-aqm", "x"], ["commit", "-qm", "x", "-o", "manifests/a.yaml"]]
)
def test_a_hook_sees_the_index_of_its_commit(
    project: Project, root: Path, command: list[str]
) -> None:
    """``git commit -a`` and ``git commit FILE`` have an index of their own."""
    (root / "manifests/a.yaml").write_text("kind: pod\n")
    told = root / ".git/told"
    hook = root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(
        f'#!/bin/sh\ncp "$GIT_INDEX_FILE" .git/copied\nprintf %s "$GIT_INDEX_FILE" > {told}\n'
    )
    hook.chmod(0o755)
    git(root, *command)
    assert Path(told.read_text()).name != "index"
    git(root, "reset", "-q", "--soft", "HEAD~1")
    git(root, "reset", "-q")
    assert staged(root)["manifests/a.yaml"] == b"{}\n"
    copied = str(root / ".git/copied")
    assert staged(root, GIT_INDEX_FILE=copied)["manifests/a.yaml"] == b"kind: pod\n"
