"""What networks, rivals and signals do to an apply; the next plan shows just what is left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from tests.e2e.conftest import Repository, Server
from tests.e2e.interposer import Answer, Fate, Interposer, Seen

NAMES = ("alpha", "beta", "gamma")
BOX = "kind: virtual\nsetup:\n  - command: make {name}\n"


@pytest.fixture
def server(start_server: Callable[..., Server]) -> Server:
    return start_server()


@pytest.fixture
def repository(make_repository: Callable[..., Repository], server: Server) -> Repository:
    manifests = {name: BOX.format(name=name) for name in NAMES}
    return make_repository(manifests, server.address)


def through(repository: Repository, address: str) -> None:
    """Points the repository's context at ``address``."""
    text = (repository.root / "envsync.yaml").read_text()
    start = text.index("server: 'http")
    end = text.index("'", start + 9)
    repository.write("envsync.yaml", text[:start] + f"server: '{address}" + text[end:])
    repository.commit()


def versions(repository: Repository, name: str) -> list[int]:
    done = repository.run("history", name, "--output", "json")
    return [each["version"] for each in json.loads(done.out)["entries"]] if not done.code else []


def changes(repository: Repository) -> list[str]:
    done = repository.run("plan", "--output", "json")
    assert done.code == 0, done.err
    return [each["name"] for each in json.loads(done.out)["changes"]]


def outcomes(out: str) -> dict[str, str]:
    data: dict[str, Any] = json.loads(out)
    return {each["name"]: each["result"] for each in data["outcomes"]}


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", range(3))
def test_killed_at_any_write_the_next_plan_shows_what_is_left(
    repository: Repository, server: Server, step: int, when: str
) -> None:
    process: subprocess.Popen[bytes] | None = None
    written = 0

    def kill(seen: Seen) -> Fate:
        nonlocal written
        if not seen.writes:
            return Fate.PASS
        written += 1
        if written <= step:
            return Fate.PASS
        assert process is not None
        os.kill(process.pid, signal.SIGKILL)
        process.wait(timeout=20)
        return Fate.DROP_AFTER if when == "after" else Fate.DROP_BEFORE

    with Interposer(server.address, kill) as between:
        through(repository, between.address)
        process = repository.start("apply", "--yes", "--concurrency", "1")
        process.communicate(timeout=60)
        assert process.returncode == -signal.SIGKILL
        between.rule = lambda seen: Fate.PASS
        done = step + (when == "after")
        assert changes(repository) == list(NAMES[done:])
        assert repository.run("apply", "--yes").code == 0
        assert changes(repository) == []
        assert [versions(repository, name) for name in NAMES] == [[1], [1], [1]]


@pytest.mark.parametrize("fate", [Fate.DROP_BEFORE, Fate.DROP_AFTER, Fate.CUT])
def test_a_lost_answer_makes_no_second_version(
    repository: Repository, server: Server, fate: Fate
) -> None:
    lost = 0

    def lose(seen: Seen) -> Fate:
        nonlocal lost
        if seen.writes and "beta" in seen.target and not lost:
            lost += 1
            return fate
        return Fate.PASS

    with Interposer(server.address, lose) as between:
        through(repository, between.address)
        done = repository.run("apply", "--yes", "--output", "json")
        assert done.code == 0, done.err
        assert outcomes(done.out)["beta"] in ("applied", "unchanged")
        assert lost == 1
        assert [versions(repository, name) for name in NAMES] == [[1], [1], [1]]
        assert changes(repository) == []


@pytest.mark.parametrize("headers", [{}, {"Retry-After": "0"}])
def test_too_many_requests_is_a_reason_to_wait(
    repository: Repository, server: Server, headers: dict[str, str]
) -> None:
    refused = 0

    def refuse(seen: Seen) -> Fate | Answer:
        nonlocal refused
        if seen.writes and refused < 2:
            refused += 1
            return Answer(429, headers)
        return Fate.PASS

    with Interposer(server.address, refuse) as between:
        through(repository, between.address)
        done = repository.run("apply", "--yes", "--output", "json")
        assert done.code == 0, done.err
        assert set(outcomes(done.out).values()) == {"applied"}
        assert refused == 2


def test_a_rival_with_another_wish_is_a_conflict_and_keeps_theirs(
    repository: Repository, server: Server, make_repository: Callable[..., Repository]
) -> None:
    assert repository.run("apply", "--yes").code == 0
    rival = make_repository({"beta": BOX.format(name="theirs")}, server.address, folder="rival")
    for name in NAMES:
        repository.edit(f"manifests/{name}.yaml", f"make {name}", f"make ours-{name}")
    came = []

    def interfere(seen: Seen) -> Fate:
        if seen.writes and "beta" in seen.target and not came:
            came.append(rival.run("apply", "--yes", "--name", "beta", "--on-drift", "overwrite"))
        return Fate.PASS

    with Interposer(server.address, interfere) as between:
        through(repository, between.address)
        done = repository.run("apply", "--yes", "--output", "json")
        assert came[0].code == 0, came[0].err
        assert done.code == 3
        assert outcomes(done.out) == {
            "alpha": "applied",
            "beta": "conflict",
            "gamma": "applied",
        }
        shown = json.loads(repository.run("show", "beta", "--output", "json").out)
        assert shown["body"]["setup"][0]["command"] == "make theirs"


def test_a_rival_with_the_same_wish_is_no_conflict(
    repository: Repository, server: Server, make_repository: Callable[..., Repository]
) -> None:
    assert repository.run("apply", "--yes").code == 0
    repository.edit("manifests/beta.yaml", "make beta", "make both")
    rival = make_repository({"beta": BOX.format(name="both")}, server.address, folder="rival")
    came = []

    def interfere(seen: Seen) -> Fate:
        if seen.writes and not came:
            came.append(rival.run("apply", "--yes", "--name", "beta"))
        return Fate.PASS

    with Interposer(server.address, interfere) as between:
        through(repository, between.address)
        done = repository.run("apply", "--yes", "--output", "json")
        assert done.code == 0, done.err
        assert versions(repository, "beta") == [2, 1]


def test_interrupted_it_finishes_what_is_in_flight_and_says_what_is_left(
    repository: Repository, server: Server
) -> None:
    process: subprocess.Popen[bytes] | None = None

    def interrupt(seen: Seen) -> Fate:
        if seen.writes and "alpha" in seen.target:
            assert process is not None
            process.send_signal(signal.SIGINT)
        return Fate.PASS

    with Interposer(server.address, interrupt) as between:
        through(repository, between.address)
        process = repository.start("apply", "--yes", "--concurrency", "1", "--output", "json")
        out, err = process.communicate(timeout=60)
        assert process.returncode == 130, err.decode()
        assert outcomes(out.decode()) == {
            "alpha": "applied",
            "beta": "not-attempted",
            "gamma": "not-attempted",
        }
        assert changes(repository) == ["beta", "gamma"]


def test_a_server_that_goes_away_leaves_the_rest_unattempted(
    repository: Repository, server: Server
) -> None:
    def vanish(seen: Seen) -> Fate:
        if seen.writes and "beta" in seen.target:
            server.process.kill()
            server.process.wait(timeout=20)
        return Fate.PASS if server.process.poll() is None else Fate.DROP_BEFORE

    with Interposer(server.address, vanish) as between:
        through(repository, between.address)
        done = repository.run("apply", "--yes", "--concurrency", "1", "--output", "json")
        assert done.code == 3
        result = outcomes(done.out)
        assert result["alpha"] == "applied"
        assert result["beta"] == "failed"
        assert result["gamma"] == "not-attempted"
