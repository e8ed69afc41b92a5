"""What file systems, editors and Git do to a watch. It always ends up with what lies there."""

from __future__ import annotations

import os
import pty
import shutil
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.e2e.conftest import ENVSYNC, Repository
from tests.e2e.watching import Told, Watching, changed

BOX = "kind: virtual\nsetup:\n  - command: make {name}\n"
FILES = 20_000
"""More than the kernel's queue of events holds."""


@pytest.fixture
def make_local(make_repository: Callable[..., Repository]) -> Callable[[str], Repository]:
    """A committed and applied repository on the embedded server, in a folder of that name."""

    def make(folder: str = "repository") -> Repository:
        made = make_repository({"alpha": BOX.format(name="alpha")}, folder=folder)
        assert made.run("apply", "--yes").code == 0
        return made

    return make


@pytest.fixture
def repository(make_local: Callable[..., Repository]) -> Repository:
    return make_local()


def say(repository: Repository, name: str, command: str) -> None:
    repository.write(f"manifests/{name}.yaml", BOX.format(name=command))


@pytest.mark.slow
def test_twenty_thousand_files_touched_while_it_was_stopped(repository: Repository) -> None:
    folder = repository.root / "manifests"
    with Watching(repository) as watching:
        watching.planned()
        watching.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, watching.process.pid, os.WSTOPPED | os.WNOWAIT)
        for number in range(FILES):
            (folder / f"note-{number}.txt").touch()
        say(repository, "alpha", "in-the-flood")
        for number in range(FILES):
            os.utime(folder / f"note-{number}.txt")
        say(repository, "beta", "at-its-end")
        watching.process.send_signal(signal.SIGCONT)
        watching.planned("alpha", "beta")
        say(repository, "alpha", "alpha")
        (folder / "beta.yaml").unlink()
        watching.planned()
        assert watching.stop() == 0


def test_atomic_saves_of_every_kind(repository: Repository) -> None:
    target = repository.root / "manifests" / "alpha.yaml"
    with Watching(repository) as watching:
        watching.planned()

        def rename_over(text: str) -> None:
            temporary = target.with_name(".alpha.yaml.tmp")
            temporary.write_text(text)
            temporary.replace(target)

        def backup_then_write(text: str) -> None:  # as vim does
            target.rename(target.with_name("alpha.yaml~"))
            target.write_text(text)
            target.with_name("alpha.yaml~").unlink()

        def remove_then_write(text: str) -> None:
            target.unlink()
            target.write_text(text)

        def in_place(text: str) -> None:
            with target.open("r+") as file:
                file.truncate(0)
                file.write(text)

        def from_elsewhere(text: str) -> None:
            other = repository.root.parent / "elsewhere.yaml"
            other.write_text(text)
            shutil.move(other, target)

        ways = (rename_over, backup_then_write, remove_then_write, in_place, from_elsewhere)
        for number, way in enumerate(ways * 2):
            way(BOX.format(name=f"number-{number}"))
            assert watching.planned("alpha")["changes"][0]["op"] == "update"
        assert watching.stop() == 0


def test_rename_storms(repository: Repository) -> None:
    folder = repository.root / "manifests"
    say(repository, "wanderer-0", "wander")
    with Watching(repository) as watching:
        watching.planned("wanderer-0")
        for number in range(500):
            (folder / f"wanderer-{number}.yaml").rename(folder / f"wanderer-{number + 1}.yaml")
        watching.planned("wanderer-500")
        assert watching.stop() == 0


def test_a_name_that_is_not_utf_8_is_told_and_the_watch_goes_on(repository: Repository) -> None:
    name = os.fsencode(repository.root / "manifests") + b"/caf\xe9.yaml"
    with Watching(repository) as watching:
        watching.planned()
        try:
            os.close(os.open(name, os.O_CREAT | os.O_WRONLY))
        except OSError:
            return  # this file system has only names that are text
        assert watching.until("files-wrong")["problems"][0]["code"] == "E422"
        Path(os.fsdecode(name)).unlink()
        watching.until("files-mended")
        say(repository, "alpha", "afterwards")
        watching.planned("alpha")
        assert watching.stop() == 0


def test_below_a_folder_named_node_modules(make_local: Callable[[str], Repository]) -> None:
    repository = make_local("node_modules/.venv/site-packages/repository")
    with Watching(repository) as watching:
        watching.planned()
        say(repository, "alpha", "seen")
        watching.planned("alpha")
        assert watching.stop() == 0


def test_folders_that_are_links(repository: Repository) -> None:
    root = repository.root
    (root / "manifests").rename(root / "blue")
    shutil.copytree(root / "blue", root / "green")
    (root / "green" / "alpha.yaml").write_text(BOX.format(name="green"))
    (root / "manifests").symlink_to("blue")
    with Watching(repository) as watching:
        watching.planned()
        (root / "blue" / "alpha.yaml").write_text(BOX.format(name="blue"))
        watching.planned("alpha")
        (root / "blue" / "alpha.yaml").write_text(BOX.format(name="alpha"))
        watching.planned()
        (root / "next").symlink_to("green")
        (root / "next").replace(root / "manifests")
        watching.planned("alpha")
        (root / "green" / "alpha.yaml").write_text(BOX.format(name="alpha"))
        watching.planned()
        assert watching.stop() == 0


def test_a_file_that_is_a_link(repository: Repository) -> None:
    root = repository.root
    (root / "shared").mkdir()
    (root / "manifests" / "alpha.yaml").rename(root / "shared" / "base.yaml")
    (root / "manifests" / "alpha.yaml").symlink_to("../shared/base.yaml")
    with Watching(repository) as watching:
        watching.planned()
        temporary = root / "shared" / "new.yaml"
        temporary.write_text(BOX.format(name="through-the-link"))
        temporary.replace(root / "shared" / "base.yaml")
        watching.planned("alpha")
        assert watching.stop() == 0


def test_folders_made_in_one_go_with_files_in_them(repository: Repository) -> None:
    config = (repository.root / "envsync.yaml").read_text()
    repository.write("envsync.yaml", config + "files: {manifests: ['manifests/*', 'a/**/*']}\n")
    with Watching(repository) as watching:
        watching.planned()
        repository.write("a/b/c/deep.yaml", BOX.format(name="deep"))
        watching.planned("deep")
        repository.write("a/b/c/deep.yaml", BOX.format(name="deep").replace("deep", "deeper"))
        assert watching.until("files-changed")["objects"][0]["name"] == "deep"
        shutil.rmtree(repository.root / "a")
        watching.planned()
        repository.write("a/x/y/other.yaml", BOX.format(name="other"))
        watching.planned("other")
        assert watching.stop() == 0


def test_a_folder_of_manifests_that_is_deleted_and_made_again(repository: Repository) -> None:
    folder = repository.root / "manifests"
    with Watching(repository) as watching:
        watching.planned()
        shutil.rmtree(folder)
        gone = watching.until("planned")
        assert not changed(gone)
        folder.mkdir()
        say(repository, "alpha", "again")
        watching.planned("alpha")
        say(repository, "alpha", "and-again")
        assert watching.until("files-changed")["objects"][0]["name"] == "alpha"
        assert watching.stop() == 0


def test_a_root_that_is_deleted_and_made_again(repository: Repository, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    shutil.copytree(repository.root, kept, symlinks=True)
    with Watching(repository) as watching:
        watching.planned()
        shutil.rmtree(repository.root)
        assert watching.until("files-wrong")["problems"][0]["code"] == "E401"
        kept.rename(repository.root)
        watching.until("files-mended")
        say(repository, "alpha", "again")
        watching.planned("alpha")
        assert watching.stop() == 0


def test_checking_out_a_branch_with_thousands_of_files(repository: Repository) -> None:
    count = 1_500
    repository.git("checkout", "-q", "-b", "many")
    for number in range(count):
        say(repository, f"box-{number:04}", f"number-{number}")
    repository.commit("Many")
    repository.git("checkout", "-q", "main")
    with Watching(repository, "--apply") as watching:
        watching.planned()
        repository.git("checkout", "-q", "many")
        applied = 0

        def counts(told: Told) -> bool:
            nonlocal applied
            applied += len(told["outcomes"])
            assert {each["result"] for each in told["outcomes"]} == {"applied"}
            return applied == count

        watching.until("applied", counts)
        watching.until("planned", lambda told: told["counts"] == {"in sync": count + 1})
        repository.git("checkout", "-q", "main")
        watching.until("planned", lambda told: told["counts"].get("in sync") == 1)
        assert watching.stop() == 0
    status = repository.run("status", "--output", "json")
    assert '"missing": 0' in status.out


def test_without_native_watches_the_files_are_looked_at_all_the_same(
    repository: Repository,
) -> None:
    deny = "import watchfiles._rust_notify as native\ndef no(*_): raise OSError(28, 'no space')\n"
    hook = repository.root.parent / "hook"
    hook.mkdir()
    (hook / "sitecustomize.py").write_text(f"{deny}native.RustNotify = no\n")
    with Watching(repository, PYTHONPATH=str(hook)) as watching:
        assert watching.until("rearmed")["native"] is False
        watching.planned()
        say(repository, "alpha", "found")
        watching.planned("alpha")
        assert watching.stop() == 0


class Terminal:
    """A watch on a pseudo-terminal."""

    def __init__(self, repository: Repository, *arguments: str) -> None:
        self.shown = b""
        self._main, self._other = pty.openpty()
        self.before = termios.tcgetattr(self._other)
        self.resize(100, 30)
        environ = {**os.environ, **repository.environ, "TERM": "xterm-256color"}
        environ.pop("COLUMNS")
        self.process = subprocess.Popen(
            [sys.executable, "-c", _IN_FRONT, str(ENVSYNC), "watch", *arguments],
            cwd=repository.root,
            env=environ,
            stdin=self._other,
            stdout=self._other,
            stderr=self._other,
            start_new_session=True,
        )

    def until(self, text: str) -> str:
        """What was shown up to ``text``; the next call goes on from there."""
        while text.encode() not in self.shown:
            try:
                chunk = os.read(self._main, 65536)
            except OSError:
                chunk = b""
            if not chunk:
                raise AssertionError(f"no {text!r} in {self.shown.decode()!r}")
            self.shown += chunk
        upto, self.shown = self.shown.split(text.encode(), 1)
        return upto.decode(errors="replace") + text

    def resize(self, columns: int, rows: int) -> None:
        import fcntl

        fcntl.ioctl(self._main, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    @property
    def attributes(self) -> list[object]:
        return list(termios.tcgetattr(self._other))

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(timeout=20)
        for end in (self._main, self._other):
            with suppress(OSError):
                os.close(end)


_IN_FRONT = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


def test_a_live_table_is_drawn_resized_and_taken_away(repository: Repository) -> None:
    terminal = Terminal(repository)
    try:
        assert terminal.until("acme -> local").endswith("acme -> local")
        terminal.until("1 in sync")
        assert terminal.attributes != terminal.before  # what is typed is not shown
        say(repository, "alpha", "live")
        terminal.until("ahead")
        terminal.resize(50, 12)
        os.kill(terminal.process.pid, signal.SIGWINCH)
        terminal.until("\x1b[H")
        say(repository, "beta", "live")
        terminal.until("beta")
        terminal.process.send_signal(signal.SIGINT)
        last = terminal.until("\x1b[?1049l")
        assert "\x1b[?25h" in last
        terminal.until("stopped")
        assert terminal.process.wait(timeout=20) == 0
        assert terminal.attributes == terminal.before
    finally:
        terminal.close()


def test_suspended_the_terminal_is_given_back(repository: Repository) -> None:
    terminal = Terminal(repository)
    try:
        terminal.until("1 in sync")
        terminal.process.send_signal(signal.SIGTSTP)
        terminal.until("\x1b[?1049l")
        os.waitid(os.P_PID, terminal.process.pid, os.WSTOPPED | os.WNOWAIT)
        assert terminal.attributes == terminal.before
        terminal.process.send_signal(signal.SIGCONT)
        terminal.until("\x1b[?1049h")
        terminal.until("1 in sync")
        terminal.process.send_signal(signal.SIGTERM)
        terminal.until("\x1b[?1049l")
        assert terminal.process.wait(timeout=20) == 0
    finally:
        terminal.close()
