"""Git: the real program, in every kind of folder it meets."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from envsync.errors import EnvsyncError
from envsync.project.config import Project, load
from envsync.project.git import clean_environment, git_folder, state

Write = Callable[[Mapping[str, str | bytes]], Project]


def git(folder: Path, *arguments: str) -> str:
    environment = clean_environment(os.environ) | {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "Alice",
        "GIT_AUTHOR_EMAIL": "alice@acme.example",
        "GIT_COMMITTER_NAME": "Alice",
        "GIT_COMMITTER_EMAIL": "alice@acme.example",
    }
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def committed(write: Write, root: Path) -> Project:
    project = write({"manifests/a.yaml": "{}\n", "manifests/b.yaml": "{}\n", "README.md": "x\n"})
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "First")
    return project


def test_a_folder_outside_git_has_no_state(write: Write) -> None:
    assert state(write({})) is None


def test_without_the_program_there_is_no_state(
    committed: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    assert state(committed) is None


def test_a_clean_repository(committed: Project, root: Path) -> None:
    found = state(committed)
    assert found is not None
    assert found.commit == git(root, "rev-parse", "HEAD")
    assert found.short_commit == found.commit[:7]
    assert found.branch == "main"
    assert found.uncommitted == ()
    assert found.top.resolve() == root.resolve()
    assert found.folder.resolve() == (root / ".git").resolve()


def test_every_kind_of_uncommitted_file_is_named(committed: Project, root: Path) -> None:
    (root / "manifests/a.yaml").write_text("kind: pod\n")
    (root / "manifests/b.yaml").unlink()
    (root / "manifests/new one.yaml").write_text("{}\n")
    (root / "manifests/staged.yaml").write_text("{}\n")
    git(root, "add", "manifests/staged.yaml")
    (root / "overlays/local/manifests").mkdir(parents=True)
    (root / "overlays/local/manifests/a.yaml").write_text("{}\n")
    (root / "README.md").write_text("not ours\n")
    (root / "manifests/notes.txt").write_text("not ours\n")
    found = state(committed)
    assert found is not None
    assert found.uncommitted == (
        "manifests/a.yaml",
        "manifests/b.yaml",
        "manifests/new one.yaml",
        "manifests/staged.yaml",
        "overlays/local/manifests/a.yaml",
    )


def test_a_file_that_git_ignores_is_not_committed(committed: Project, root: Path) -> None:
    (root / ".gitignore").write_text("manifests/local-*\n")
    (root / "manifests/local-box.yaml").write_text("{}\n")
    found = state(committed)
    assert found is not None
    assert found.uncommitted == ("manifests/local-box.yaml",)


def test_a_repository_without_commits(write: Write, root: Path) -> None:
    project = write({"manifests/a.yaml": "{}"})
    git(root, "init", "-q")
    found = state(project)
    assert found is not None
    assert found.commit == ""
    assert found.uncommitted == ("envsync.yaml", "manifests/a.yaml")


def test_a_detached_head_has_no_branch(committed: Project, root: Path) -> None:
    git(root, "checkout", "-q", "--detach")
    found = state(committed)
    assert found is not None
    assert found.branch == ""
    assert found.commit


def test_a_second_working_tree_shares_the_git_folder(
    committed: Project, root: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other tree"
    git(root, "worktree", "add", "-q", "-b", "other", str(other))
    (other / "manifests/a.yaml").write_text("kind: pod\n")
    found = state(load(other))
    assert found is not None
    assert found.uncommitted == ("manifests/a.yaml",)
    assert found.folder.resolve() == (root / ".git").resolve()
    assert git_folder(other) == (root / ".git").resolve()
    assert git_folder(root) == root / ".git"


def test_a_project_in_a_folder_of_a_larger_repository(write: Write, tmp_path: Path) -> None:
    project = write({"manifests/a.yaml": "{}"})
    git(tmp_path, "init", "-q")
    (tmp_path / "manifests").mkdir()
    (tmp_path / "manifests/not-ours.yaml").write_text("{}")
    found = state(project)
    assert found is not None
    assert found.uncommitted == ("envsync.yaml", "manifests/a.yaml")
    assert found.top.resolve() == tmp_path.resolve()


def test_variables_of_a_hook_lead_nowhere_else(
    committed: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "no-index"))
    monkeypatch.setenv("GIT_WORK_TREE", "/")
    found = state(committed)
    assert found is not None
    assert found.uncommitted == ()


def test_names_that_are_not_ascii_and_other_languages(
    committed: Project, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    monkeypatch.setenv("LANGUAGE", "de")
    (root / "manifests/größe.yaml").write_text("{}")
    found = state(committed)
    assert found is not None
    assert found.uncommitted == ("manifests/größe.yaml",)


def test_looking_does_not_write_the_index(committed: Project, root: Path) -> None:
    index = root / ".git/index"
    before = index.stat().st_mtime_ns
    os.utime(root / "manifests/a.yaml", ns=(1, 1))
    assert state(committed) is not None
    assert index.stat().st_mtime_ns == before


def test_a_damaged_repository_is_an_error_with_gits_own_words(
    committed: Project, root: Path
) -> None:
    (root / ".git/HEAD").write_text("nonsense\n")
    with pytest.raises(EnvsyncError) as caught:
        state(committed)
    assert caught.value.code == "E440"
    assert "git status" in caught.value.remedy
