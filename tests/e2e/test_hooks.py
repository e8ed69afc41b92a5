"""Hooks of a real clone that run the real envsync against a real server."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.e2e.conftest import ENVSYNC, Done, Repository, Server

BOX = "kind: virtual\nsetup:\n  - command: make {name}\n"
WRONG = "kind: virtual\nsetup:\n  - comand: make it\n"
ROOT = Path(__file__).parents[2]


@pytest.fixture
def repository(
    make_repository: Callable[..., Repository], start_server: Callable[..., Server]
) -> Repository:
    repository = make_repository({"alpha": BOX.format(name="alpha")}, start_server().address)
    for name, value in (("user.name", "Alice"), ("user.email", "alice@team.example")):
        repository.git("config", name, value)
    return repository


def commit(repository: Repository, *arguments: str, **environ: str) -> Done:
    """``git commit``, as a person runs it: envsync is wherever the hook knows it to be."""
    done = subprocess.run(
        ["git", "commit", "-m", "x", *arguments],
        cwd=repository.root,
        env={**os.environ, **repository.environ, **environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def saved(repository: Repository) -> str:
    done = repository.run("show", "alpha", "--output", "json")
    return str(json.loads(done.out)["body"]["setup"][0]["command"])


@pytest.fixture
def checked(repository: Repository) -> Repository:
    """With the pre-commit hook, installed with no envsync on the ``PATH``."""
    done = repository.run("hook", "install")
    assert done.code == 0, done.err
    return repository


def test_what_is_staged_is_checked_and_not_what_lies_there(checked: Repository) -> None:
    checked.write("manifests/alpha.yaml", WRONG)
    checked.git("add", "manifests")
    checked.write("manifests/alpha.yaml", BOX.format(name="mended"))
    refused = commit(checked)
    assert refused.code == 1
    assert "manifests/alpha.yaml:3:5" in refused.err
    assert "comand: make it" in refused.err
    assert "envsync-staged" not in refused.err
    checked.git("add", "manifests")
    checked.write("manifests/alpha.yaml", WRONG)
    assert commit(checked).code == 0
    assert checked.git("show", "HEAD:manifests/alpha.yaml") == BOX.format(name="mended")


@pytest.mark.parametrize("arguments", [["-a"], ["manifests/alpha.yaml"], ["-i", "manifests"]])
def test_every_way_to_commit(checked: Repository, arguments: list[str]) -> None:
    checked.write("manifests/alpha.yaml", WRONG)
    assert commit(checked, *arguments).code == 1
    checked.write("manifests/alpha.yaml", BOX.format(name="new"))
    done = commit(checked, *arguments)
    assert done.code == 0, done.err


def test_what_is_staged_and_not_in_this_commit_does_not_matter(checked: Repository) -> None:
    checked.write("manifests/wrong.yaml", WRONG)
    checked.git("add", "manifests/wrong.yaml")
    checked.write("notes.txt", "unrelated\n")
    checked.git("add", "-N", "notes.txt")
    assert commit(checked, "notes.txt").code == 0
    assert commit(checked).code == 1


def test_a_file_that_goes_and_leaves_its_overlay(checked: Repository) -> None:
    checked.write("overlays/local/manifests/alpha.yaml", "kind: pod\n")
    checked.git("add", "-A")
    assert commit(checked).code == 0
    checked.git("rm", "-q", "--cached", "manifests/alpha.yaml")
    refused = commit(checked)
    assert refused.code == 1
    assert "overlays/local/manifests/alpha.yaml" in refused.err


def test_a_worktree_of_another_branch_without_envsync(checked: Repository, tmp_path: Path) -> None:
    other = Repository(tmp_path / "other", checked.environ)
    checked.git("worktree", "add", "-q", "--detach", str(other.root))
    other.git("switch", "-q", "--orphan", "pages")
    other.write("index.html", "<p>\n")
    other.git("add", "-A")
    done = commit(other)
    assert done.code == 0, done.err


def test_a_commit_is_applied_in_the_context_of_the_hook(repository: Repository) -> None:
    done = repository.run("hook", "install", "--type", "post-commit", "--context", "remote")
    assert done.code == 0, done.err
    repository.write("manifests/alpha.yaml", BOX.format(name="new"))
    made = commit(repository, "-a")
    assert made.code == 0
    assert "applied 1" in made.err
    assert saved(repository) == "make new"


def test_an_apply_that_fails_leaves_the_commit(repository: Repository) -> None:
    repository.run("hook", "install", "--type", "post-commit", "--context", "remote")
    repository.write("manifests/alpha.yaml", BOX.format(name="new"))
    made = commit(repository, "-a", NYLORUN_SERVER_KEY="b" * 64)
    assert made.code == 0
    assert "the commit stands" in made.err
    assert repository.git("status", "--porcelain") == ""


def test_what_a_pull_brought_is_applied(repository: Repository, tmp_path: Path) -> None:
    colleague = Repository(tmp_path / "colleague", repository.environ)
    repository.git("clone", "-q", str(repository.root), str(colleague.root))
    done = colleague.run("hook", "install", "--type", "post-merge", "--context", "remote")
    assert done.code == 0, done.err
    repository.write("manifests/alpha.yaml", BOX.format(name="pulled"))
    assert commit(repository, "-a").code == 0
    subprocess.run(
        ["git", "pull", "-q", "--ff-only"],
        cwd=colleague.root,
        env={**os.environ, **colleague.environ},
        check=True,
        capture_output=True,
    )
    assert saved(colleague) == "make pulled"


def test_a_sync_applies_once_whatever_hooks_there_are(repository: Repository) -> None:
    for hook in ("post-commit", "post-merge"):
        repository.run("hook", "install", "--type", hook, "--context", "remote")
    repository.run("hook", "install")
    repository.write("manifests/alpha.yaml", BOX.format(name="new"))
    done = repository.run("sync", "-m", "New", "--output", "json")
    assert done.code == 0, done.err
    results = [each["result"] for each in json.loads(done.out)["apply"]["outcomes"]]
    assert results == ["applied"]


def test_a_context_that_became_protected_is_left_alone(repository: Repository) -> None:
    refused = repository.run("hook", "install", "--type", "post-commit", "--context", "guarded")
    assert (refused.code, "E473" in refused.err) == (4, True)
    repository.run("hook", "install", "--type", "post-commit", "--context", "remote")
    text = (repository.root / "envsync.yaml").read_text()
    line = next(each for each in text.splitlines() if each.strip().startswith("remote:"))
    repository.write("envsync.yaml", text.replace(line, line.replace("}", ", protected: true}")))
    made = commit(repository, "-a")
    assert made.code == 0
    assert "E909" in made.err
    assert repository.run("show", "alpha").code != 0


def test_the_hook_of_the_pre_commit_framework(repository: Repository) -> None:
    """Its manifest is whole, and what it runs does what the hook does."""
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert {"id", "name", "entry", "language"} <= hook.keys()
    assert (hook["id"], hook["language"], hook["pass_filenames"]) == (
        "envsync-validate",
        "python",
        False,
    )
    program, *arguments = shlex.split(hook["entry"])
    assert program == ENVSYNC.name
    assert repository.run(*arguments).code == 0
    repository.write("manifests/alpha.yaml", WRONG)
    assert repository.run(*arguments).code == 0
    repository.git("add", "-A")
    assert repository.run(*arguments).code == 1
    # In a project in a folder, by the args of .pre-commit-config.yaml.
    assert (
        Repository(repository.root.parent, repository.environ)
        .run(*arguments, "-C", repository.root.name)
        .code
        == 1
    )
