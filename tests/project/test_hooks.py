"""Hooks: installed beside those of others, and taken away without a trace. All run by real Git."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from envsync.errors import EnvsyncError, RefusedError
from envsync.project.config import Project
from envsync.project.hook_script import Entry, recognised, script
from envsync.project.hooks import hooks_folder, install, state, uninstall

Write = Callable[[Mapping[str, str | bytes]], Project]

PROGRAM = """\
#!/bin/sh
echo "envsync $*" >> "$SAID"
[ -z "$FAILS" ]
"""


class Clone:
    """A clone, a program that stands in for envsync, and what ran in which order."""

    def __init__(self, top: Path, place: Path) -> None:
        self.top = top
        self.program = place / "bin" / "envsync"
        self.program.parent.mkdir(exist_ok=True)
        self.program.write_text(PROGRAM)
        self.program.chmod(0o755)
        self.said = place / "said"
        self.environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(place),
            "SAID": str(self.said),
            "FAILS": "",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "Alice",
            "GIT_AUTHOR_EMAIL": "alice@acme.example",
            "GIT_COMMITTER_NAME": "Alice",
            "GIT_COMMITTER_EMAIL": "alice@acme.example",
        }

    def git(self, *arguments: str, cwd: Path | None = None, **environ: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=cwd or self.top, env=self.environ | environ,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise AssertionError(done.stderr)
        return done.stdout.strip()

    def commit(self, **environ: str) -> list[str]:
        """What ran for one commit, in order."""
        self.said.write_text("")
        self.git("commit", "-q", "--allow-empty", "-m", "x", **environ)
        return self.said.read_text().splitlines()

    def foreign(self, name: str, script: str = "echo theirs >> $SAID") -> Path:
        hook = self.top / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\n{script}\n")
        hook.chmod(0o755)
        return hook


@pytest.fixture
def clone(write: Write, root: Path, tmp_path: Path) -> Clone:
    write({"manifests/a.yaml": "{}\n"})
    clone = Clone(root, tmp_path)
    clone.git("init", "-q", "-b", "main")
    clone.git("add", "-A")
    clone.git("commit", "-q", "-m", "First")
    shutil.rmtree(root / ".git/hooks", ignore_errors=True)
    return clone


VALIDATED = "envsync -C . validate --staged"
APPLIED = "envsync -C . apply --context local"


def put(clone: Clone, hook: str = "pre-commit", root: Path | None = None) -> bool:
    context = "" if hook == "pre-commit" else "local"
    folder = hooks_folder(root or clone.top)
    return install(folder, hook, context, str(clone.program))[1]


def test_installed_it_runs_and_installed_again_it_is_the_same(clone: Clone) -> None:
    assert put(clone)
    before = (clone.top / ".git/hooks/pre-commit").stat()
    assert not put(clone)
    assert (clone.top / ".git/hooks/pre-commit").stat() == before
    assert clone.commit() == [VALIDATED]
    assert state(hooks_folder(clone.top), "pre-commit").state == "installed"


def test_what_it_says_decides_about_the_commit(clone: Clone) -> None:
    put(clone)
    with pytest.raises(AssertionError):
        clone.commit(FAILS="yes")


def test_it_is_posix_sh(clone: Clone) -> None:
    for hook in ("pre-commit", "post-commit"):
        text = script(hook, [Entry("a 'b", "local"), Entry("", "")], "/opt/env sync/it's")
        done = subprocess.run(["sh", "-n"], input=text, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        found = recognised(text)
        assert found is not None
        assert found.pristine
        assert found.entries == (Entry("a 'b", "local"), Entry("", ""))


def test_after_a_commit_it_applies_but_not_within_a_sync_or_a_rebase(clone: Clone) -> None:
    put(clone, "post-commit")
    assert clone.commit() == [APPLIED]
    assert clone.commit(FAILS="yes") == [APPLIED]
    assert clone.commit(ENVSYNC_SYNCING="1") == []
    clone.said.write_text("")
    clone.git("rebase", "-q", "--force-rebase", "HEAD~2")
    assert clone.said.read_text() == ""


def test_after_a_merge_it_applies(clone: Clone) -> None:
    put(clone, "post-merge")
    clone.git("checkout", "-q", "-b", "other")
    clone.commit()
    clone.git("checkout", "-q", "main")
    clone.git("merge", "-q", "--no-ff", "other", "-m", "merge")
    assert clone.said.read_text().splitlines() == [APPLIED]


def test_without_envsync_yaml_in_the_commit_there_is_nothing_to_do(clone: Clone) -> None:
    put(clone)
    put(clone, "post-commit")
    clone.git("rm", "-q", "envsync.yaml")
    assert clone.commit() == []


def test_found_on_the_path_when_it_moved_and_missed_in_words(clone: Clone, tmp_path: Path) -> None:
    put(clone)
    elsewhere = tmp_path / "elsewhere"
    clone.program.parent.rename(elsewhere)
    with pytest.raises(AssertionError, match="does not find the program envsync"):
        clone.commit()
    assert clone.commit(PATH=f"{elsewhere}:{os.environ['PATH']}") == [VALIDATED]


# Beside hooks of others.


def test_a_hook_that_was_there_runs_first_and_is_there_again(clone: Clone) -> None:
    theirs = clone.foreign("pre-commit")
    before = (theirs.read_bytes(), theirs.stat().st_mode, theirs.stat().st_ino)
    put(clone)
    assert not put(clone)
    assert clone.commit() == ["theirs", VALIDATED]
    again, gone = uninstall(hooks_folder(clone.top), "pre-commit")
    assert (gone, again.state) == (True, "other")
    assert (theirs.read_bytes(), theirs.stat().st_mode, theirs.stat().st_ino) == before
    assert [each.name for each in theirs.parent.iterdir()] == ["pre-commit"]
    assert clone.commit() == ["theirs"]


def test_a_hook_that_refuses_ends_it(clone: Clone) -> None:
    clone.foreign("pre-commit", "echo theirs >> $SAID; exit 7")
    put(clone)
    with pytest.raises(AssertionError):
        clone.commit()
    assert clone.said.read_text() == "theirs\n"


def test_a_link_and_a_hook_that_is_switched_off(clone: Clone) -> None:
    (clone.top / "tool.sh").write_text("#!/bin/sh\necho linked >> $SAID\n")
    (clone.top / "tool.sh").chmod(0o755)
    link = clone.top / ".git/hooks/pre-commit"
    link.parent.mkdir(exist_ok=True)
    link.symlink_to("../../tool.sh")
    off = clone.foreign("post-commit")
    off.chmod(0o644)
    put(clone)
    put(clone, "post-commit")
    assert clone.commit() == ["linked", VALIDATED, APPLIED]
    for hook in ("pre-commit", "post-commit"):
        uninstall(hooks_folder(clone.top), hook)
    assert str(link.readlink()) == "../../tool.sh"
    assert off.stat().st_mode & 0o777 == 0o644


def test_a_tool_that_comes_later_and_keeps_ours(clone: Clone) -> None:
    """As the pre-commit framework does: what it finds is moved aside and run by its own hook."""
    clone.foreign("pre-commit", "echo older >> $SAID")
    put(clone)
    hooks = clone.top / ".git/hooks"
    (hooks / "pre-commit").rename(hooks / "pre-commit.legacy")
    clone.foreign("pre-commit", 'echo framework >> $SAID; exec "$(dirname "$0")/pre-commit.legacy"')
    assert clone.commit() == ["framework", "older", VALIDATED]
    assert not put(clone)
    assert state(hooks_folder(clone.top), "pre-commit").file.name == "pre-commit.legacy"
    uninstall(hooks_folder(clone.top), "pre-commit")
    assert clone.commit() == ["framework", "older"]


def test_two_tools_that_run_each_other_end(clone: Clone) -> None:
    hooks = clone.top / ".git/hooks"
    put(clone)
    clone.foreign("pre-commit.before-envsync", f"echo theirs >> $SAID; exec {hooks}/pre-commit")
    assert clone.commit() == ["theirs", VALIDATED]


def test_cut_off_between_the_two_steps_of_an_install(clone: Clone) -> None:
    theirs = clone.foreign("pre-commit")
    theirs.rename(theirs.with_name("pre-commit.before-envsync"))
    put(clone)
    assert clone.commit() == ["theirs", VALIDATED]


def test_two_hooks_of_others_are_not_sorted_out_by_us(clone: Clone) -> None:
    clone.foreign("pre-commit")
    clone.foreign("pre-commit.before-envsync")
    with pytest.raises(RefusedError) as caught:
        put(clone)
    assert caught.value.code == "E472"


def test_lines_that_somebody_added_are_never_lost(clone: Clone) -> None:
    put(clone)
    hook = clone.top / ".git/hooks/pre-commit"
    with hook.open("a") as file:
        file.write("echo mine\n")
    text = hook.read_text()
    folder = hooks_folder(clone.top)
    assert state(folder, "pre-commit").state == "changed"
    for attempt in (lambda: put(clone), lambda: uninstall(folder, "pre-commit")):
        with pytest.raises(RefusedError) as caught:
            attempt()
        assert caught.value.code == "E472"
        assert hook.read_text() == text


def test_nothing_installed_is_nothing_to_take_away(clone: Clone) -> None:
    theirs = clone.foreign("pre-commit")
    text = theirs.read_text()
    assert uninstall(hooks_folder(clone.top), "pre-commit")[1] is False
    assert uninstall(hooks_folder(clone.top), "post-merge")[1] is False
    assert theirs.read_text() == text


# Where hooks are.


def test_two_projects_of_one_repository_share_a_hook(clone: Clone) -> None:
    inner = clone.top / "agents" / "it's"
    inner.mkdir(parents=True)
    shutil.copy(clone.top / "envsync.yaml", inner / "envsync.yaml")
    clone.git("add", "-A")
    put(clone)
    put(clone, root=inner)
    assert not put(clone)
    inner_one = "envsync -C agents/it's validate --staged"
    assert clone.commit() == [VALIDATED, inner_one]
    uninstall(hooks_folder(clone.top), "pre-commit")
    assert state(hooks_folder(clone.top), "pre-commit").state == "absent"
    assert state(hooks_folder(inner), "pre-commit").state == "installed"
    assert clone.commit() == [inner_one]
    uninstall(hooks_folder(inner), "pre-commit")
    assert list((clone.top / ".git/hooks").iterdir()) == []


def test_every_working_tree_of_the_clone_has_it(clone: Clone, tmp_path: Path) -> None:
    other = tmp_path / "other tree"
    clone.git("worktree", "add", "-q", "-b", "other", str(other))
    put(clone, root=other)
    assert (clone.top / ".git/hooks/pre-commit").exists()
    assert clone.commit() == [VALIDATED]
    clone.said.write_text("")
    clone.git("commit", "-q", "--allow-empty", "-m", "x", cwd=other)
    assert clone.said.read_text().splitlines() == [VALIDATED]


@pytest.mark.parametrize("place", [".githooks", "~/hooks of this clone", "absolute"])
def test_hooks_that_the_clone_keeps_elsewhere(
    clone: Clone, tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    value = str(tmp_path / "absolute") if place == "absolute" else place
    clone.git("config", "core.hooksPath", value)
    inner = clone.top / "inner"
    inner.mkdir()
    shutil.copy(clone.top / "envsync.yaml", inner)
    clone.git("add", "-A")
    put(clone, root=inner)
    assert hooks_folder(inner).tracked is (place == ".githooks")
    assert clone.commit() == ["envsync -C inner validate --staged"]


def test_hooks_of_every_repository_and_hooks_that_do_not_last(
    clone: Clone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    clone.git("config", "--global", "core.hooksPath", "~/my-hooks")
    with pytest.raises(RefusedError) as caught:
        hooks_folder(clone.top)
    assert caught.value.code == "E471"
    clone.git("config", "core.hooksPath", ".husky/_")
    with pytest.raises(RefusedError) as caught:
        hooks_folder(clone.top)
    assert caught.value.code == "E471"
    assert ".husky/pre-commit" in caught.value.remedy


def test_outside_git(write: Write, root: Path) -> None:
    write({})
    with pytest.raises(EnvsyncError) as caught:
        hooks_folder(root)
    assert caught.value.code == "E460"
