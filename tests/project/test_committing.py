"""Committing: exactly the envsync files, by the real Git, whatever state the clone is in."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from envsync.errors import EnvsyncError, RefusedError
from envsync.project.clone import Clone, Upstream, look, require_committable, require_identity
from envsync.project.committing import commit, head, holds, pending, push, settle
from envsync.project.config import Project, load

Write = Callable[[Mapping[str, str | bytes]], Project]

ENVIRON = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Alice",
    "GIT_AUTHOR_EMAIL": "alice@acme.example",
    "GIT_COMMITTER_NAME": "Alice",
    "GIT_COMMITTER_EMAIL": "alice@acme.example",
}
TRAILERS = {"Envsync-Plan": "f" * 64, "Envsync-Context": "local"}


def git(folder: Path, *arguments: str, check: bool = True) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=ENVIRON, check=check, capture_output=True, text=True
    )
    return done.stdout.rstrip("\n")


@pytest.fixture
def project(write: Write, root: Path) -> Project:
    project = write({"manifests/a.yaml": "{}\n", "manifests/b.yaml": "{}\n", "notes.txt": "x\n"})
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "First")
    return project


def make(project: Project, message: str = "Why", environ: Mapping[str, str] = ENVIRON) -> str:
    clone = look(project)
    require_committable(clone, pushes=False)
    return commit(project, pending(project, clone), message, TRAILERS, environ)


def hook(root: Path, name: str, script: str) -> None:
    path = root / ".git/hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def files_of(root: Path, commit_id: str = "HEAD") -> list[str]:
    return git(root, "show", "--format=", "--name-status", "--no-renames", commit_id).splitlines()


def test_new_changed_and_deleted_files_are_committed_and_nothing_else(
    project: Project, root: Path
) -> None:
    (root / "manifests/a.yaml").write_text("kind: pod\n")
    (root / "manifests/b.yaml").unlink()
    (root / "manifests/new one.yaml").write_text("{}\n")
    (root / "overlays/local/manifests").mkdir(parents=True)
    (root / "overlays/local/manifests/a.yaml").write_text("kind: none\n")
    (root / "notes.txt").write_text("staged\n")
    (root / "manifests/readme.txt").write_text("not ours\n")
    git(root, "add", "notes.txt")
    (root / "notes.txt").write_text("and edited after that\n")
    before = git(root, "status", "--porcelain", "notes.txt", "manifests/readme.txt")
    staged = git(root, "diff", "--cached", "notes.txt")
    made = make(project)
    assert made == head(project) == git(root, "rev-parse", "HEAD")
    assert files_of(root) == [
        "M\tmanifests/a.yaml",
        "D\tmanifests/b.yaml",
        "A\tmanifests/new one.yaml",
        "A\toverlays/local/manifests/a.yaml",
    ]
    assert git(root, "status", "--porcelain") == before
    assert git(root, "diff", "--cached") == staged


def test_the_message_ends_with_the_trailers(project: Project, root: Path) -> None:
    (root / "manifests/a.yaml").write_text("kind: pod\n")
    make(project, "Why\n\n# not a comment\n\nSigned-off-by: Alice <alice@acme.example>")
    assert git(root, "log", "-1", "--format=%B").rstrip() == (
        "Why\n\n# not a comment\n\nSigned-off-by: Alice <alice@acme.example>\n"
        f"Envsync-Plan: {'f' * 64}\nEnvsync-Context: local"
    )
    assert git(root, "log", "-1", "--format=%(trailers:key=Envsync-Context,valueonly)") == "local"


def test_a_partially_staged_file_is_committed_as_it_lies_there(
    project: Project, root: Path
) -> None:
    (root / "manifests/a.yaml").write_text("kind: pod\n")
    git(root, "add", "manifests/a.yaml")
    (root / "manifests/a.yaml").write_text("kind: none\n")
    make(project)
    assert git(root, "show", "HEAD:manifests/a.yaml") == "kind: none"
    assert git(root, "status", "--porcelain") == ""


def test_what_is_staged_and_taken_back_in_the_file_is_no_change(
    project: Project, root: Path
) -> None:
    (root / "manifests/a.yaml").write_text("kind: pod\n")
    git(root, "add", "manifests/a.yaml")
    (root / "manifests/a.yaml").write_text("{}\n")
    found = pending(project, look(project))
    assert found.files == {}
    settle(project, found, ENVIRON)
    assert git(root, "status", "--porcelain") == ""


def test_new_files_that_were_staged_deleted_or_announced(project: Project, root: Path) -> None:
    for name in ("staged", "dropped", "announced"):
        (root / f"manifests/{name}.yaml").write_text("{}\n")
    git(root, "add", "manifests/staged.yaml", "manifests/dropped.yaml")
    git(root, "add", "-N", "manifests/announced.yaml")
    (root / "manifests/dropped.yaml").unlink()
    git(root, "rm", "-q", "--cached", "manifests/b.yaml")
    found = pending(project, look(project))
    assert sorted(found.files) == ["manifests/announced.yaml", "manifests/staged.yaml"]
    make(project)
    assert files_of(root) == ["A\tmanifests/announced.yaml", "A\tmanifests/staged.yaml"]
    assert git(root, "status", "--porcelain") == ""


def test_line_ends_that_git_converts_are_no_change(project: Project, root: Path) -> None:
    git(root, "config", "core.autocrlf", "true")
    (root / "manifests/a.yaml").write_bytes(b"{}\r\n")
    (root / "manifests/b.yaml").write_bytes(b"kind: pod\r\n")
    found = pending(project, look(project))
    assert list(found.files) == ["manifests/b.yaml"]
    made = make(project)
    assert holds(project, made, found)
    assert git(root, "show", "HEAD:manifests/b.yaml") == "kind: pod"


def test_names_that_look_like_patterns_and_options(project: Project, root: Path) -> None:
    for name in ("*.yaml", "größe.yaml", "-m.yaml", ":(top)x.yaml", "a b.yaml"):
        (root / "manifests" / name).write_text("{}\n")
    make(project)
    assert len(files_of(root)) == 5
    assert git(root, "status", "--porcelain") == ""


def test_the_first_commit_of_a_repository(write: Write, root: Path) -> None:
    project = write({"manifests/a.yaml": "{}\n", "other": "x"})
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "other")
    made = make(project)
    assert files_of(root, made) == ["A\tenvsync.yaml", "A\tmanifests/a.yaml"]
    assert git(root, "status", "--porcelain") == "A  other"


@pytest.mark.parametrize("name", ["pre-commit", "commit-msg"])
def test_a_hook_that_refuses_leaves_everything_as_it_was(
    project: Project, root: Path, name: str
) -> None:
    (root / "manifests/a.yaml").write_text("kind: pod\n")
    (root / "manifests/new.yaml").write_text("{}\n")
    git(root, "add", "manifests/a.yaml")
    hook(root, name, "echo 'no tickets, no commit' >&2; exit 1")
    before = git(root, "status", "--porcelain=v2")
    with pytest.raises(EnvsyncError) as caught:
        make(project)
    assert caught.value.code == "E467"
    assert "no tickets, no commit" in caught.value.message
    assert git(root, "status", "--porcelain=v2") == before
    assert git(root, "rev-list", "--count", "HEAD") == "1"


def test_hooks_see_what_is_committed_and_that_it_is_a_sync(project: Project, root: Path) -> None:
    (root / "notes.txt").write_text("staged\n")
    git(root, "add", "notes.txt")
    (root / "manifests/a.yaml").write_text("kind: pod\n")
    hook(root, "pre-commit", "git diff --cached --name-only '*.yaml' '*.txt' > .git/seen")
    hook(root, "post-commit", "echo $ENVSYNC_SYNCING >> .git/seen")
    make(project)
    assert (root / ".git/seen").read_text() == "manifests/a.yaml\n1\n"


def test_a_hook_that_rewrites_the_commit_is_noticed(project: Project, root: Path) -> None:
    (root / "manifests/a.yaml").write_text("kind: pod\n")
    hook(
        root,
        "pre-commit",
        "echo 'kind: none' > manifests/a.yaml && git add manifests/a.yaml",
    )
    found = pending(project, look(project))
    made = commit(project, found, "Why", TRAILERS, ENVIRON)
    assert not holds(project, made, found)


def test_signing_is_the_persons(project: Project, root: Path) -> None:
    (root / "manifests/new.yaml").write_text("{}\n")
    git(root, "config", "commit.gpgSign", "true")
    git(root, "config", "gpg.program", "false")
    with pytest.raises(EnvsyncError) as caught:
        make(project)
    assert caught.value.code == "E467"
    assert "sign" in caught.value.message
    assert git(root, "status", "--porcelain") == "?? manifests/new.yaml"


def test_a_lock_that_somebody_holds_is_named(project: Project, root: Path) -> None:
    (root / "manifests/new.yaml").write_text("{}\n")
    (root / ".git/index.lock").touch()
    with pytest.raises(EnvsyncError) as caught:
        make(project)
    assert caught.value.code == "E467"
    assert "index.lock" in caught.value.remedy
    (root / ".git/index.lock").unlink()
    make(project)


def test_without_an_identity_git_says_how_to_give_one(project: Project, root: Path) -> None:
    git(root, "config", "user.useConfigOnly", "true")
    nobody = {name: value for name, value in ENVIRON.items() if "AUTHOR" not in name}
    with pytest.raises(EnvsyncError) as caught:
        require_identity(project, nobody)
    assert caught.value.code == "E466"
    assert "git config user.email" in caught.value.remedy
    require_identity(project, ENVIRON)


def test_a_repository_in_a_folder_of_a_larger_one(write: Write, tmp_path: Path) -> None:
    project = write({"manifests/a.yaml": "{}\n"})
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "manifests").mkdir()
    (tmp_path / "manifests/a.yaml").write_text("not ours\n")
    git(tmp_path, "add", "manifests")
    make(project)
    assert files_of(tmp_path) == ["A\trepository/envsync.yaml", "A\trepository/manifests/a.yaml"]
    assert git(tmp_path, "status", "--porcelain") == "A  manifests/a.yaml"


def test_a_second_working_tree_commits_to_its_own_branch(
    project: Project, root: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other tree"
    git(root, "worktree", "add", "-q", "-b", "other", str(other))
    (other / "manifests/a.yaml").write_text("kind: pod\n")
    (root / "manifests/b.yaml").write_text("kind: pod\n")
    make(load(other))
    assert git(root, "log", "-1", "--format=%s", "other") == "Why"
    assert git(root, "log", "-1", "--format=%s", "main") == "First"
    assert git(root, "status", "--porcelain") == " M manifests/b.yaml"


def test_variables_of_a_hook_lead_nowhere_else(project: Project, root: Path) -> None:
    (root / "manifests/a.yaml").write_text("kind: pod\n")
    misleading = {
        "GIT_DIR": "/nowhere",
        "GIT_INDEX_FILE": "/no-index",
        "GIT_LITERAL_PATHSPECS": "1",
    }
    make(project, environ=ENVIRON | misleading)
    assert files_of(root) == ["M\tmanifests/a.yaml"]


# What keeps a commit from being made.


def refusal(project: Project, *, pushes: bool = False) -> str:
    with pytest.raises(RefusedError) as caught:
        require_committable(look(project), pushes=pushes)
    assert caught.value.remedy
    return caught.value.code


def test_outside_git_there_is_nothing_to_commit_to(write: Write) -> None:
    with pytest.raises(EnvsyncError) as caught:
        look(write({}))
    assert caught.value.code == "E460"
    assert "git init" in caught.value.remedy


def test_without_the_program(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(EnvsyncError) as caught:
        look(project)
    assert caught.value.code == "E460"


def test_on_a_detached_head_only_a_commit_or_a_push_is_refused(
    project: Project, root: Path
) -> None:
    git(root, "checkout", "-q", "--detach")
    require_committable(look(project), pushes=False)
    assert refusal(project, pushes=True) == "E462"
    (root / "manifests/a.yaml").write_text("kind: pod\n")
    assert refusal(project) == "E462"


def conflicting(root: Path) -> None:
    git(root, "checkout", "-q", "-b", "other")
    (root / "manifests/a.yaml").write_text("kind: pod\n")
    git(root, "commit", "-qam", "theirs")
    git(root, "checkout", "-q", "main")
    (root / "manifests/a.yaml").write_text("kind: none\n")
    git(root, "commit", "-qam", "ours")


@pytest.mark.parametrize("command", ["rebase", "merge", "cherry-pick", "revert"])
def test_in_the_middle_of_something(project: Project, root: Path, command: str) -> None:
    conflicting(root)
    what = "HEAD~1" if command == "revert" else "other"
    git(root, command, what, check=False)
    if not look(project).under_way:
        assert command == "revert"
        git(root, "revert", "--no-commit", "HEAD")
    assert refusal(project) == "E461"
    git(root, command, "--abort")
    require_committable(look(project), pushes=False)


def test_a_conflict_that_nothing_is_in_the_middle_of(project: Project, root: Path) -> None:
    (root / "manifests/a.yaml").write_text("kind: pod\n")
    git(root, "stash")
    (root / "manifests/a.yaml").write_text("kind: none\n")
    git(root, "commit", "-qam", "ours")
    git(root, "stash", "pop", check=False)
    assert refusal(project) == "E465"


def test_a_file_that_git_ignores(project: Project, root: Path) -> None:
    (root / ".gitignore").write_text("manifests/local-*\n")
    (root / "manifests/local-box.yaml").write_text("{}\n")
    assert refusal(project) == "E464"
    git(root, "add", "-f", "manifests/local-box.yaml")
    make(project)
    assert files_of(root) == ["A\tmanifests/local-box.yaml"]


def test_a_project_in_a_submodule(project: Project, root: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q", "-b", "main")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(root), "agents")
    git(outer, "commit", "-qm", "With agents")
    git(outer / "agents", "checkout", "-q", "--detach")
    inner = load(outer / "agents")
    (outer / "agents/manifests/a.yaml").write_text("kind: pod\n")
    assert refusal(inner) == "E462"
    git(outer / "agents", "switch", "-q", "main")
    make(inner)
    assert files_of(outer / "agents") == ["M\tmanifests/a.yaml"]
    assert git(outer, "diff", "--cached", "--name-only") == ""


# Pushing.


@pytest.fixture
def remote(project: Project, root: Path, tmp_path: Path) -> Path:
    bare = tmp_path / "remote.git"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(bare))
    git(root, "remote", "add", "origin", bare.as_uri())
    git(root, "push", "-q", "-u", "origin", "main")
    return bare


def upstream(project: Project) -> Upstream:
    found: Clone = look(project)
    assert found.upstream is not None
    return found.upstream


def test_a_branch_without_upstream(project: Project) -> None:
    assert refusal(project, pushes=True) == "E463"


def test_the_commit_goes_to_the_upstream_whatever_it_is_called(
    project: Project, root: Path, remote: Path
) -> None:
    git(root, "checkout", "-q", "-b", "my.topic")
    git(root, "push", "-q", "-u", "origin", "my.topic:shared/topic")
    (root / "manifests/a.yaml").write_text("kind: pod\n")
    made = make(project)
    assert str(upstream(project)) == "origin/shared/topic"
    assert push(project, made, upstream(project), ENVIRON) is True
    assert git(remote, "rev-parse", "shared/topic") == made
    assert push(project, made, upstream(project), ENVIRON) is False


def test_an_upstream_that_moved_on_refuses(
    project: Project, root: Path, remote: Path, tmp_path: Path
) -> None:
    git(tmp_path, "clone", "-q", remote.as_uri(), "colleague")
    git(tmp_path / "colleague", "commit", "-q", "--allow-empty", "-m", "Theirs")
    git(tmp_path / "colleague", "push", "-q")
    (root / "manifests/a.yaml").write_text("kind: pod\n")
    made = make(project)
    with pytest.raises(RefusedError) as caught:
        push(project, made, upstream(project), ENVIRON | {"LC_ALL": "de_DE.UTF-8"})
    assert caught.value.code == "E468"
    assert "git pull --rebase" in caught.value.remedy
    git(root, "pull", "-q", "--rebase")
    assert push(project, head(project), upstream(project), ENVIRON)


def test_a_remote_that_refuses_or_is_not_there(project: Project, root: Path, remote: Path) -> None:
    (root / "manifests/a.yaml").write_text("kind: pod\n")
    made = make(project)
    refusing = remote / "hooks/pre-receive"
    refusing.write_text("#!/bin/sh\necho 'main is protected' >&2; exit 1\n")
    refusing.chmod(0o755)
    with pytest.raises(EnvsyncError) as caught:
        push(project, made, upstream(project), ENVIRON)
    assert caught.value.code == "E469"
    assert "pre-receive hook declined" in caught.value.message
    remote.rename(remote.with_name("moved.git"))
    with pytest.raises(EnvsyncError) as caught:
        push(project, made, upstream(project), ENVIRON)
    assert caught.value.code == "E469"
    assert caught.value.exit_code == 1


def test_a_pre_push_hook_of_the_person(project: Project, root: Path, remote: Path) -> None:
    (root / "manifests/a.yaml").write_text("kind: pod\n")
    made = make(project)
    hook(root, "pre-push", "echo 'not on a Friday' >&2; exit 1")
    with pytest.raises(EnvsyncError) as caught:
        push(project, made, upstream(project), ENVIRON)
    assert caught.value.code == "E469"
    assert git(remote, "rev-parse", "main") != made
