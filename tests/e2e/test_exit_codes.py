"""Exit codes: a function of what happened, the same in every format; stdout holds data alone."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

import pytest
from msgspec.structs import replace

from envsync.cli.main import main
from envsync.cli.table import find
from envsync.errors import ExitCode
from envsync.planning.file import dump, identified, load
from envsync.planning.plan import Op
from tests.e2e.conftest import ENVSYNC, Done, Repository, Server
from tests.e2e.interposer import Answer, Fate, Interposer, Seen

BOX = "kind: virtual\nlifecycle: {deleteAfter: 7d}\nsetup:\n  - command: make deps\n"
BAD = "kind: pods\n"


def prepare(repository: Repository, *arguments: str) -> None:
    """Runs a command in this process: what makes a state is not what is looked at."""
    said = io.StringIO()
    with patch.dict(os.environ, repository.environ), redirect_stdout(said), redirect_stderr(said):
        assert main(["-C", str(repository.root), *arguments]) == 0, said.getvalue()


def fresh(repository: Repository) -> None:
    """As it is: nothing applied yet."""


def applied(repository: Repository) -> None:
    prepare(repository, "apply", "--yes")


def edited(repository: Repository) -> None:
    applied(repository)
    repository.edit("manifests/alpha.yaml", "make deps", "make more")


def broken(repository: Repository) -> None:
    repository.write("manifests/alpha.yaml", BAD)


def unconfigured(repository: Repository) -> None:
    repository.write("envsync.yaml", "contexts: [\n")


def without_database(repository: Repository) -> None:
    repository.write(".envsync/server.db", "this is no database " * 100)


def planned(repository: Repository) -> None:
    prepare(repository, "plan", "-o", "plan.json")


def stale(repository: Repository) -> None:
    edited(repository)
    planned(repository)
    repository.edit("manifests/alpha.yaml", "make more", "make other")
    applied(repository)


def of_another_project(repository: Repository) -> None:
    planned(repository)
    repository.edit("envsync.yaml", "project: acme", "project: other")


def tampered(repository: Repository) -> None:
    planned(repository)
    repository.edit("plan.json", "make deps", "make evil")


def undeclared(repository: Repository) -> None:
    """All that was applied is no longer declared."""
    applied(repository)
    for name in ("alpha", "beta"):
        (repository.root / "manifests" / f"{name}.yaml").unlink()
    repository.commit("Declare nothing")


def deleting(repository: Repository) -> None:
    """A plan that deletes everything, as somebody might write with the library."""
    edited(repository)
    planned(repository)
    path = repository.root / "plan.json"
    plan = load(path.read_bytes(), "plan.json")
    (change,) = plan.changes
    delete = replace(change, op=Op.DELETE, body=None, canonical=None, hash="", fields=())
    path.write_bytes(dump(identified(replace(plan, changes=(delete,)))))


State = Callable[[Repository], None]
ROWS: list[tuple[int, str, State]] = [
    (0, "validate", fresh),
    (0, "plan", fresh),
    (0, "plan --detailed-exitcode", applied),
    (0, "plan --offline HEAD", fresh),
    (0, "apply", fresh),
    (0, "apply", applied),
    (0, "apply plan.json", planned),
    (0, "status", fresh),
    (0, "status", edited),
    (0, "diff alpha", edited),
    (0, "history alpha", applied),
    (0, "show alpha", applied),
    (0, "context list", fresh),
    (0, "context use remote", fresh),
    (0, "context show", fresh),
    (0, "init", fresh),
    (0, "schema export", fresh),
    (0, "doctor", fresh),
    (0, "explain E103", fresh),
    (0, "serve keys create ci", fresh),
    (0, "serve keys list", fresh),
    (0, "serve backup saved.json", applied),
    (1, "validate", broken),
    (1, "plan", broken),
    (1, "plan --detailed-exitcode", broken),
    (1, "apply", broken),
    (1, "status", broken),
    (1, "plan", unconfigured),
    (1, "context list", unconfigured),
    (1, "plan", without_database),
    (1, "apply", without_database),
    (1, "serve keys list", without_database),
    (1, "doctor", unconfigured),
    (1, "schema check", fresh),
    (1, "show absent", applied),
    (1, "history absent", applied),
    (1, "diff absent", applied),
    (1, "serve keys delete nobody", fresh),
    (1, "serve restore plan.json", planned),
    (1, "apply plan.json", tampered),
    (2, "plan --detailed-exitcode", fresh),
    (2, "plan --detailed-exitcode", edited),
    (2, "plan --offline HEAD --detailed-exitcode", edited),
    (4, "apply plan.json", stale),
    (4, "apply plan.json", of_another_project),
    (4, "apply --yes=000000000000", fresh),
    (5, "apply plan.json", deleting),
    (5, "apply --prune", undeclared),
    (64, "plan --context nowhere", fresh),
    (64, "plan --sideways", fresh),
    (64, "apply missing.json", fresh),
    (64, "plan --offline nowhere", fresh),
    (64, "show", fresh),
    (64, "show a@b", fresh),
    (64, "explain E000", fresh),
    (64, "context use nowhere", fresh),
]


WRITING = ("apply", "context use", "init", "schema export", "serve keys", "serve backup")
"""Such commands get a repository of their own; the others share one for each state."""


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Repository]]:
    return tmp_path_factory.mktemp("shared"), {}


@pytest.fixture
def repository_in(
    shared: tuple[Path, dict[str, Repository]], make_repository: Callable[..., Repository]
) -> Callable[[State, str], Repository]:
    """A repository in the state; the same one each time unless it is given a folder."""

    def get(state: State, folder: str) -> Repository:
        place, known = shared
        if not folder and state.__name__ in known:
            return known[state.__name__]
        name = folder or str(place / state.__name__)
        repository = make_repository({"alpha": BOX, "beta": BOX}, folder=name)
        state(repository)
        if not folder:
            repository.environ = {**repository.environ, "XDG_CACHE_HOME": str(place / "cache")}
            known[state.__name__] = repository
        return repository

    return get


def formats_of(line: str) -> tuple[str, ...]:
    words = tuple(line.split())
    command = find(words[:3]) or find(words[:2]) or find(words[:1])
    assert command is not None
    return command.formats


@pytest.mark.parametrize(
    ("code", "line", "state"), ROWS, ids=[f"{row[0]}-{row[1]}-{row[2].__name__}" for row in ROWS]
)
def test_an_outcome_has_one_exit_code_in_every_format(
    repository_in: Callable[[State, str], Repository], code: int, line: str, state: State
) -> None:
    for form in formats_of(line):
        repository = repository_in(state, form if line.startswith(WRITING) else "")
        done = repository.run(*line.split(), "--output", form)
        assert (form, done.code) == (form, code), done.out + done.err
        require_data_alone(done, form, failed=code not in (0, 2))
        assert "E999" not in done.out + done.err


def require_data_alone(done: Done, form: str, *, failed: bool) -> None:
    if form in ("json", "sarif"):
        assert done.out.endswith("}\n")
        data = json.loads(done.out)
        assert isinstance(data, dict)
        if form == "sarif":
            assert data["version"] == "2.1.0"
    elif form == "github":
        assert all(line.startswith("::") for line in done.out.splitlines())
    elif form == "markdown":
        assert done.out.startswith("### ")
    elif failed and done.err:
        assert done.err.startswith(("error[", "warning["))
    assert "\x1b" not in done.out + done.err


def test_every_code_is_in_the_table() -> None:
    elsewhere = {ExitCode.PARTIAL, ExitCode.INTERRUPTED, ExitCode.TERMINATED}
    assert {row[0] for row in ROWS} | set(elsewhere) == set(ExitCode)


# What needs a server that misbehaves.


@pytest.fixture
def server(start_server: Callable[..., Server]) -> Server:
    return start_server()


@pytest.mark.parametrize(
    ("status", "first", "code"),
    [(400, True, 1), (412, True, 4), (400, False, 3), (412, False, 3), (500, False, 3)],
)
def test_what_was_written_and_what_was_not(
    make_repository: Callable[..., Repository],
    server: Server,
    status: int,
    first: bool,
    code: int,
) -> None:
    """``first``: both are refused; otherwise ``alpha`` is written and ``beta`` is not."""

    def refuse(seen: Seen) -> Fate | Answer:
        if seen.writes and (first or seen.target.endswith("beta")):
            body = {"status": "rejected", "code": "manifest_changed", "message": "not so"}
            return Answer(status, {"Retry-After": "0"}, json.dumps(body).encode())
        return Fate.PASS

    with Interposer(server.address, refuse) as between:
        for form in ("text", "json"):
            names = {f"{form}-alpha": BOX, f"{form}-beta": BOX}
            repository = make_repository(names, between.address, folder=form)
            done = repository.run("apply", "--output", form)
            assert (form, done.code) == (form, code), done.out + done.err
            require_data_alone(done, form, failed=True)
            if form == "json":
                data = json.loads(done.out)
                assert data["exitCode"] == code
                assert len(data["outcomes"]) == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("command", ["plan", "apply", "status"])
def test_a_signal_while_reading_ends_with_its_own_code(
    make_repository: Callable[..., Repository],
    server: Server,
    command: str,
    number: signal.Signals,
) -> None:
    for form in formats_of(command):
        running: list[subprocess.Popen[bytes]] = []

        def stop(seen: Seen, running: list[subprocess.Popen[bytes]] = running) -> Fate:
            running[0].send_signal(number)
            running[0].wait(timeout=20)
            return Fate.DROP_BEFORE

        with Interposer(server.address, stop) as between:
            repository = make_repository({"alpha": BOX}, between.address, folder=form)
            running.append(repository.start(command, "--output", form))
            out, err = running[0].communicate(timeout=60)
        done = Done(running[0].returncode, out.decode(), err.decode())
        assert done.code == 128 + number, done.err
        require_data_alone(done, form, failed=True)
        assert "E998" in done.out + done.err
        assert "Traceback" not in done.err


# What cannot be printed.


def test_output_that_cannot_be_written_is_no_success(
    make_repository: Callable[..., Repository],
) -> None:
    if not Path("/dev/full").exists():
        return
    repository = make_repository({"alpha": BOX})
    for line, code in (("plan --output json", 1), ("explain", 1), ("apply", 3), ("--version", 1)):
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run(
                [str(ENVSYNC), *line.split()],
                cwd=repository.root,
                env={**os.environ, **repository.environ},
                stdin=subprocess.DEVNULL,
                stdout=full,
                stderr=subprocess.PIPE,
                check=False,
                text=True,
            )
        assert (line, done.returncode) == (line, code)
        assert done.stderr.startswith("error[E914]: standard output cannot be written: ")
        assert "Traceback" not in done.stderr
    assert repository.run("show", "alpha").code == 0
