"""The embedded server's database: locked, read-only, full, foreign, newer, not there."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.conftest import Done, Repository
from tests.e2e.footprint import footprint

BOX = "kind: virtual\nlifecycle: {deleteAfter: 7d}\nsetup:\n  - command: make\n"
DATABASE = ".envsync/server.db"


@pytest.fixture
def repository(make_repository: Callable[..., Repository]) -> Repository:
    return make_repository({"box": BOX})


def require_told(repository: Repository, code: str, message: str) -> None:
    """Plan, apply, serve and doctor say the same, with a way out, and change nothing."""
    before = footprint(repository.root)
    lines = ("plan --output json", "apply --output json", "serve keys list --output json")
    for line in lines:
        done = repository.run(*line.split())
        assert (line, done.code) == (line, 1)
        (problem,) = json.loads(done.out)["problems"]
        assert (problem["code"], done.err) == (code, "")
        assert message in problem["message"]
        assert problem["remedy"]
    text = repository.run("status")
    assert (text.code, text.out) == (1, "")
    assert text.err.startswith(f"error[{code}]: ")
    assert repository.run("doctor").code == 1
    assert footprint(repository.root) == before


def test_a_file_that_is_no_database(repository: Repository) -> None:
    repository.write(DATABASE, "Dear diary, today I was no database.\n" * 100)
    repository.write(".envsync/.gitignore", "*\n")
    require_told(repository, "E704", "not a SQLite file")


def test_a_database_of_another_program(repository: Repository) -> None:
    repository.write(".envsync/.gitignore", "*\n")
    with closing(sqlite3.connect(repository.root / DATABASE)) as other:
        other.execute("CREATE TABLE songs (title TEXT)")
    require_told(repository, "E704", "another program made it")


def test_a_database_of_a_newer_envsync(repository: Repository) -> None:
    assert repository.run("apply").code == 0
    with closing(sqlite3.connect(repository.root / DATABASE)) as database:
        database.execute("PRAGMA user_version = 99")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    require_told(repository, "E701", "has schema 99")


def test_a_damaged_database(repository: Repository) -> None:
    assert repository.run("apply").code == 0
    path = repository.root / DATABASE
    path.write_bytes(path.read_bytes()[:6000])
    for each in path.parent.glob("server.db-*"):
        each.unlink()
    done = repository.run("plan", "--output", "json")
    assert done.code == 1
    assert json.loads(done.out)["problems"][0]["code"] == "E705"


def test_a_folder_in_its_place(repository: Repository) -> None:
    repository.write(".envsync/.gitignore", "*\n")
    (repository.root / DATABASE).mkdir()
    require_told(repository, "E707", "it is a folder")


def test_a_folder_that_is_not_there(repository: Repository) -> None:
    repository.edit("envsync.yaml", "{server: embedded}", "{server: embedded, database: no/x.db}")
    require_told(repository, "E707", "there is no folder to hold it")


def test_a_file_in_the_place_of_the_folder(repository: Repository) -> None:
    repository.write(".envsync", "not a folder")
    require_told(repository, "E123", "the folder .envsync cannot be made")


# What another program, the user's rights and the disk do. The command runs in this interpreter's
# like, so that the wait for a lock is short, the disk is small, and Python itself can still be
# read by a user without rights.

INSIDE = """
import os, sys
from msgspec.structs import replace
from envsync.cli.main import main
from envsync.server.store import sqlite, sqlite_file, sqlite_writer

how, line = sys.argv[1], sys.argv[2:]
connect = sqlite_file.connect

def limited(path, settings):
    connection = connect(path, replace(settings, lock_timeout=0.2))
    if how == "full":
        connection.execute("PRAGMA max_page_count = 1")  # no page more than there are
    return connection

sqlite.connect = sqlite_file.connect = sqlite_writer.connect = limited
if how == "unprivileged":
    main(["status"])  # loads all that the command needs
    os.dup2(2, 1)
if how == "unprivileged" and os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
sys.exit(main(line))
"""


def inside(repository: Repository, how: str, *line: str) -> Done:
    done = subprocess.run(
        [sys.executable, "-c", INSIDE, how, *line],
        cwd=repository.root,
        env={**os.environ, **repository.environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def test_a_locked_database(repository: Repository) -> None:
    assert repository.run("apply").code == 0
    with closing(sqlite3.connect(repository.root / DATABASE, isolation_level=None)) as holder:
        holder.execute("PRAGMA locking_mode = EXCLUSIVE")
        holder.execute("BEGIN EXCLUSIVE")
        for line in ("plan", "apply", "status"):
            done = inside(repository, "locked", line, "--output", "json")
            (problem,) = json.loads(done.out)["problems"]
            assert (done.code, problem["code"]) == (1, "E702")
            assert "wait for the other program" in problem["remedy"]
    assert repository.run("plan", "--detailed-exitcode").code == 0


def test_a_disk_that_is_full_keeps_what_was_saved_and_says_what_was_not(
    repository: Repository,
) -> None:
    assert repository.run("apply").code == 0
    large = "kind: virtual\nlifecycle: {deleteAfter: 7d}\nfiles:\n  - path: notes\n    files:\n"
    repository.write("manifests/large.yaml", large + f"      a.txt: {'x' * 200_000}\n")
    done = inside(repository, "full", "apply", "--output", "json")
    assert done.code == 1
    (failed,) = (each for each in json.loads(done.out)["outcomes"] if each["name"] == "large")
    assert failed["result"] == "failed"
    assert failed["problem"]["code"] == "E706", failed
    told = inside(repository, "full", "apply")
    assert (told.code, "E706" in told.out) == (1, True)
    assert repository.run("show", "box").code == 0
    assert repository.run("apply").code == 0
    assert repository.run("show", "large").code == 0


@pytest.fixture
def readable(environ: dict[str, str]) -> Iterator[Repository]:
    """A repository that everybody may read and only its owner may write."""
    with tempfile.TemporaryDirectory(prefix="envsync-readable-") as name:
        root = Path(name)
        repository = Repository(root, environ)
        text = "format: 1\nproject: acme\ncontexts:\n  local: {server: embedded}\n"
        repository.write("envsync.yaml", text)
        repository.write("manifests/box.yaml", BOX)
        assert repository.run("apply").code == 0
        for path in [*root.rglob("*"), root]:
            path.chmod(0o555 if path.is_dir() else 0o444)
        yield repository
        for path in [root, *root.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)


def test_a_database_that_may_only_be_read(readable: Repository) -> None:
    path = readable.root / "manifests" / "box.yaml"
    path.chmod(0o644)
    readable.edit("manifests/box.yaml", "make", "make more")
    done = inside(readable, "unprivileged", "apply", "--yes")
    assert done.code == 1
    told = done.out + done.err
    assert "E703" in told or "E707" in told
    assert readable.run("show", "box", "--output", "json").code == 0
    shown = json.loads(readable.run("show", "box", "--output", "json").out)
    assert shown["body"]["setup"][0]["command"] == "make"
