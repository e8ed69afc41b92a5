"""History: real commits, in every kind of clone they lie in."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from envsync.project.config import Project, load
from envsync.project.git import clean_environment
from envsync.project.history import LostHistoryError, open_history

Write = Callable[[Mapping[str, str | bytes]], Project]
BOX = "manifests/box.yaml"


def git(folder: Path, *arguments: str, at: int = 0) -> str:
    """``at`` is when it happens, in seconds after some Monday."""
    when = f"{1_790_000_000 + at} +0000"
    environment = clean_environment(os.environ) | {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "protocol.file.allow",
        "GIT_CONFIG_VALUE_0": "always",
        "GIT_AUTHOR_NAME": "Alice",
        "GIT_AUTHOR_EMAIL": "alice@acme.example",
        "GIT_COMMITTER_NAME": "Alice",
        "GIT_COMMITTER_EMAIL": "alice@acme.example",
        "GIT_AUTHOR_DATE": when,
        "GIT_COMMITTER_DATE": when,
    }
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


class Clone:
    """A repository that commits what it is told."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.root = project.root
        self.clock = 0

    def commit(self, files: Mapping[str, str | None], subject: str = "Change") -> str:
        for path, text in files.items():
            target = self.root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if text is None:
                target.unlink()
            else:
                target.write_text(text, encoding="utf-8")
        self.clock += 60
        git(self.root, "add", "-A")
        git(self.root, "commit", "-q", "--allow-empty", "-m", subject, at=self.clock)
        return git(self.root, "rev-parse", "HEAD")


@pytest.fixture
def clone(write: Write, root: Path) -> Clone:
    project = write({})
    git(root, "init", "-q", "-b", "main")
    return Clone(project)


def told(project: Project, *paths: str) -> list[tuple[str, list[str]]]:
    history = open_history(project)
    assert history is not None
    with history:
        return [(each.id, sorted(touched)) for each, touched in history.commits_touching(paths)]


def test_a_folder_without_git_or_commits_has_no_history(write: Write, root: Path) -> None:
    assert open_history(write({})) is None
    git(root, "init", "-q")
    assert open_history(load(root)) is None


def test_without_the_program_there_is_no_history(
    clone: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone.commit({BOX: "{}\n"})
    monkeypatch.setenv("PATH", "")
    assert open_history(clone.project) is None


def test_commits_come_newest_first_with_what_they_touched(clone: Clone) -> None:
    first = clone.commit({BOX: "harness: a\n", "manifests/other.yaml": "{}\n"})
    clone.commit({"README.md": "x\n"})
    second = clone.commit({BOX: "harness: b\n"}, "Say b")
    assert told(clone.project, BOX) == [(second, [BOX]), (first, [BOX])]
    with open_history(clone.project) as history:
        commit, touched = next(history.commits_touching([BOX]))
        assert (commit.author, commit.at, commit.subject) == (
            "Alice",
            "2026-09-21T14:16:20Z",
            "Say b",
        )
        assert history.blob(touched[BOX]) == b"harness: b\n"
        assert history.read(first, BOX) == b"harness: a\n"
        assert history.read(first, "manifests/nothing.yaml") is None
        assert history.read(first, "manifests") is None
        assert history.read(second, BOX) == b"harness: b\n"


def test_a_removal_is_told_as_such(clone: Clone) -> None:
    clone.commit({BOX: "{}\n"})
    clone.commit({BOX: None})
    with open_history(clone.project) as history:
        assert [touched[BOX] == "" for _, touched in history.commits_touching([BOX])] == [
            True,
            False,
        ]


def test_what_other_branches_and_remotes_said_counts_and_a_stash_does_not(clone: Clone) -> None:
    first = clone.commit({BOX: "harness: a\n"})
    git(clone.root, "checkout", "-q", "-b", "other")
    other = clone.commit({BOX: "harness: b\n"})
    git(clone.root, "update-ref", "refs/remotes/origin/topic", other)
    git(clone.root, "checkout", "-q", "main")
    git(clone.root, "branch", "-q", "-D", "other")
    (clone.root / BOX).write_text("harness: stashed\n")
    git(clone.root, "stash", "-q")
    assert [commit for commit, _ in told(clone.project, BOX)] == [other, first]


def test_a_merge_counts_where_it_says_something_of_its_own(clone: Clone) -> None:
    clone.commit({BOX: "harness: a\n"})
    git(clone.root, "checkout", "-q", "-b", "topic")
    clone.commit({"manifests/b.yaml": "{}\n"})
    git(clone.root, "checkout", "-q", "main")
    clone.commit({"manifests/c.yaml": "{}\n"})
    git(clone.root, "merge", "-q", "--no-commit", "topic")
    merged = clone.commit({BOX: "harness: merged\n"})
    commits = told(clone.project, "manifests")
    assert commits[0] == (merged, [BOX])
    assert len(commits) == 4
    with open_history(clone.project) as history:
        _, touched = next(history.commits_touching(["manifests"]))
        assert history.blob(touched[BOX]) == b"harness: merged\n"


def test_only_what_the_project_s_folder_holds_is_told(write: Write, root: Path) -> None:
    git(root.parent, "init", "-q")
    clone = Clone(write({}))
    commit = clone.commit({BOX: "{}\n"})
    (root.parent / BOX).parent.mkdir()
    (root.parent / BOX).write_text("elsewhere\n")
    git(root.parent, "add", "-A")
    git(root.parent, "commit", "-q", "-m", "Elsewhere")
    assert told(clone.project, BOX) == [(commit, [BOX])]
    with open_history(clone.project) as history:
        assert history.read("HEAD", BOX) == b"{}\n"


def test_hostile_subjects_and_paths_are_read_as_they_are(clone: Clone) -> None:
    path = "manifests/\n:100644 x.yaml"
    clone.commit({path: "{}\n", "manifests/[a]*.yaml": "{}\n"}, ":100644 \x1b[31m\x02 subject")
    git(clone.root, "commit", "-q", "--allow-empty", "--allow-empty-message", "-m", "")
    with open_history(clone.project) as history:
        commits = list(history.commits_touching(["manifests"]))
        assert [commit.subject for commit, _ in commits] == [":100644 \x1b[31m\x02 subject"]
        assert sorted(commits[0][1]) == sorted([path, "manifests/[a]*.yaml"])
        assert history.read("HEAD", path) is None
    assert len(told(clone.project, "manifests/[a]*.yaml")) == 1
    assert told(clone.project, "manifests/*") == []


@pytest.mark.parametrize("glob", ["manifests/box.*", "manifests/box.json", "**/b?x.json"])
def test_globs_find_a_name_where_they_say(clone: Clone, glob: str) -> None:
    clone.commit({"manifests/box.json": "{}\n", "manifests/boxer.yaml": "{}\n"})
    with open_history(clone.project) as history:
        found = [touched for _, touched in history.commits_matching([glob])]
    assert [list(touched) for touched in found] == [["manifests/box.json"]]


def test_a_stream_that_nobody_reads_to_its_end_leaves_no_process(clone: Clone) -> None:
    for number in range(5):
        clone.commit({BOX: f"harness: h{number}\n"})
    with open_history(clone.project) as history:
        stream = history.commits_touching([BOX])
        next(stream)
        stream.close()
        history.read("HEAD", BOX)
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    assert not children.exists() or "git" not in _names(children.read_text().split())


def _names(processes: list[str]) -> set[str]:
    comms = (Path(f"/proc/{each}/comm") for each in processes)
    return {comm.read_text().strip() for comm in comms if comm.exists()}


def test_a_worktree_sees_the_history_of_all(clone: Clone, tmp_path: Path) -> None:
    first = clone.commit({BOX: "harness: a\n"})
    git(clone.root, "worktree", "add", "-q", str(tmp_path / "tree"), "-b", "topic")
    second = clone.commit({BOX: "harness: b\n"})
    assert [commit for commit, _ in told(load(tmp_path / "tree"), BOX)] == [second, first]


def test_a_submodule_has_a_history_of_its_own(clone: Clone, tmp_path: Path) -> None:
    first = clone.commit({BOX: "harness: a\n"})
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q")
    git(outer, "submodule", "--quiet", "add", clone.root.as_uri(), "inner")
    git(outer, "commit", "-q", "-m", "Outer")
    assert [commit for commit, _ in told(load(outer / "inner"), BOX)] == [first]


def test_a_shallow_clone_says_so(clone: Clone, tmp_path: Path) -> None:
    clone.commit({BOX: "harness: a\n"})
    last = clone.commit({BOX: "harness: b\n"})
    git(tmp_path, "clone", "-q", "--depth", "1", clone.root.as_uri(), "shallow")
    project = load(tmp_path / "shallow")
    with open_history(project) as history:
        assert (history.shallow, history.partial) == (True, False)
    assert [commit for commit, _ in told(project, BOX)] == [last]


def test_a_partial_clone_fetches_what_is_read(clone: Clone, tmp_path: Path) -> None:
    git(clone.root, "config", "uploadpack.allowFilter", "true")
    first = clone.commit({BOX: "harness: a\n"})
    clone.commit({BOX: "harness: b\n"})
    git(tmp_path, "clone", "-q", "--filter=blob:none", clone.root.as_uri(), "partial")
    with open_history(load(tmp_path / "partial")) as history:
        assert (history.shallow, history.partial) == (False, True)
        assert history.read(first, BOX) == b"harness: a\n"


def test_content_that_cannot_be_fetched_is_told(clone: Clone, tmp_path: Path) -> None:
    git(clone.root, "config", "uploadpack.allowFilter", "true")
    first = clone.commit({BOX: "harness: a\n"})
    clone.commit({BOX: "harness: b\n"})
    git(tmp_path, "clone", "-q", "--filter=blob:none", clone.root.as_uri(), "partial")
    shutil.move(clone.root, tmp_path / "away")
    with open_history(load(tmp_path / "partial")) as history:
        with pytest.raises(LostHistoryError):
            history.read(first, BOX)
        assert history.read("HEAD", BOX) == b"harness: b\n"


def test_variables_that_point_git_elsewhere_are_not_followed(
    clone: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = clone.commit({BOX: "{}\n"})
    monkeypatch.setenv("GIT_DIR", "/nonexistent")
    assert told(clone.project, BOX) == [(commit, [BOX])]
