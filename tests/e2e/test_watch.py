"""A watch that runs: what it plans, what it writes, and how it ends."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.e2e.conftest import KEY, Repository, Server
from tests.e2e.interposer import Fate, Interposer, Seen
from tests.e2e.watching import Watching, changed

BOX = "kind: virtual\nsetup:\n  - command: make {name}\n"
NAMES = ("alpha", "beta")
FILE = "manifests/{name}.yaml"


@pytest.fixture
def server(start_server: Callable[..., Server]) -> Server:
    return start_server()


@pytest.fixture
def repository(make_repository: Callable[..., Repository], server: Server) -> Repository:
    """Two manifests, committed and applied."""
    made = make_repository({name: BOX.format(name=name) for name in NAMES}, server.address)
    assert made.run("apply", "--yes").code == 0
    return made


@pytest.fixture
def local(make_repository: Callable[..., Repository]) -> Repository:
    """The same on the embedded server."""
    made = make_repository({name: BOX.format(name=name) for name in NAMES})
    assert made.run("apply", "--yes").code == 0
    return made


def say(repository: Repository, name: str, command: str) -> None:
    repository.write(f"manifests/{name}.yaml", BOX.format(name=command))


def half_save(repository: Repository, name: str) -> None:
    """What lies there while an editor is still writing."""
    repository.write(f"manifests/{name}.yaml", "kind: virtual\nsetup: [{comm")


def overwriting(repository: Repository) -> Repository:
    """Makes a repository one that does not care what others saved."""
    config = (repository.root / "envsync.yaml").read_text()
    repository.write("envsync.yaml", config + "policy: {on_drift: overwrite}\n")
    repository.commit("Overwrite")
    return repository


def versions(repository: Repository, name: str) -> list[int]:
    done = repository.run("history", name, "--output", "json")
    assert done.code == 0, done.err
    return [each["version"] for each in json.loads(done.out)["entries"]]


def test_each_save_is_planned_and_nothing_is_written(repository: Repository) -> None:
    with Watching(repository) as watching:
        started = watching.until("started")
        assert (started["context"], started["applies"]) == ("remote", False)
        watching.planned()
        say(repository, "alpha", "one")
        assert watching.planned("alpha")["changes"][0]["op"] == "update"
        say(repository, "gamma", "three")
        assert watching.planned("alpha", "gamma")["counts"]["new"] == 1
        (repository.root / "manifests" / "gamma.yaml").unlink()
        say(repository, "alpha", "alpha")
        watching.planned()
        assert watching.stop() == 0
    assert watching.kinds()[-1] == "stopped"
    assert "applied" not in watching.kinds()
    assert versions(repository, "alpha") == [1]


def test_a_half_written_file_is_shown_at_once_and_nothing_is_applied_until_it_is_whole(
    local: Repository,
) -> None:
    with Watching(local, "--apply") as watching:
        watching.planned()
        half_save(local, "alpha")
        say(local, "beta", "whole")
        wrong = watching.until("files-wrong")
        assert wrong["problems"][0]["position"]["path"] == "manifests/alpha.yaml"
        say(local, "alpha", "one")
        watching.until("files-mended")
        watching.applied("alpha", "beta")
        watching.planned()
        assert watching.stop() == 0
    told = watching.kinds()
    assert "applied" not in told[: told.index("files-mended")]
    assert versions(local, "beta") == [2, 1]


def test_a_save_is_applied_and_the_loop_comes_to_rest(local: Repository) -> None:
    with Watching(local, "--apply", "--audit", "audit.jsonl") as watching:
        watching.planned()
        for number in range(3):
            say(local, "alpha", f"number-{number}")
            watching.planned("alpha")
            watching.applied("alpha")
            watching.planned()
        assert watching.stop() == 0
    assert versions(local, "alpha") == [4, 3, 2, 1]
    assert "server-changed" not in watching.kinds()  # its own saves are no news
    assert len((local.root / "audit.jsonl").read_text().splitlines()) >= 3


def test_what_others_save_is_shown_and_never_overwritten(
    repository: Repository, server: Server, make_repository: Callable[..., Repository]
) -> None:
    theirs = {"beta": BOX.format(name="theirs")}
    rival = overwriting(make_repository(theirs, server.address, folder="rival"))
    with Watching(repository, "--apply") as watching:
        watching.planned()
        assert rival.run("apply", "--yes").code == 0
        saved = watching.until("server-changed")
        assert [(each["name"], each["what"]) for each in saved["objects"]] == [("beta", "saved")]
        held = watching.planned("beta")["changes"][0]
        assert (held["state"], held["heldBack"]) == ("drift", "drift")
        say(repository, "alpha", "ours")
        repository.commit("Say it")
        watching.applied("alpha")
        watching.stop()
    shown = json.loads(repository.run("show", "beta", "--output", "json").out)
    assert shown["body"]["setup"][0]["command"] == "make theirs"


def test_what_is_not_committed_is_planned_and_applied_once_it_is(repository: Repository) -> None:
    with Watching(repository, "--apply") as watching:
        watching.planned()
        say(repository, "alpha", "edited")
        watching.planned("alpha")
        assert watching.until("withheld")["problem"]["code"] == "E529"
        repository.commit("Now it is")
        watching.applied("alpha")
        assert watching.stop() == 0
    say(repository, "alpha", "edited again")
    assert repository.run("watch", "--once", "--apply").code == 4
    assert repository.run("watch", "--once", "--apply", "--allow-dirty").code == 0


def test_pruning_is_asked_for_and_has_its_brakes(repository: Repository) -> None:
    with Watching(repository, "--apply", "--prune") as watching:
        watching.planned()
        (repository.root / "manifests" / "alpha.yaml").unlink()
        repository.commit("Without alpha")
        watching.until("planned", lambda told: changed(told) == {"alpha"})
        assert watching.until("withheld")["problem"]["code"] == "E530"
        done = repository.run("apply", "--yes", "--prune", "--allow-deletes", "1")
        assert done.code == 0, done.err
        watching.until("planned", lambda told: told["counts"] == {"in sync": 1})
        for name in ("gamma", "delta", "epsilon", "zeta"):
            say(repository, name, name)
        repository.commit("Four more")
        watching.applied("gamma", "delta", "epsilon", "zeta")
        (repository.root / "manifests" / "gamma.yaml").unlink()
        repository.commit("Without gamma")
        outcomes = watching.until("applied")["outcomes"]
        assert [(each["op"], each["result"]) for each in outcomes] == [("delete", "applied")]
        watching.until("planned", lambda told: told["counts"] == {"in sync": 4})
        assert watching.stop() == 0


def test_two_that_overwrite_each_other_are_parked_and_shown(
    repository: Repository, server: Server, make_repository: Callable[..., Repository]
) -> None:
    overwriting(repository)
    theirs = {"beta": BOX.format(name="theirs")}
    rival = overwriting(make_repository(theirs, server.address, folder="rival"))
    with Watching(repository, "--apply") as watching:
        watching.planned()
        for _ in range(4):
            assert rival.run("apply", "--yes").code == 0
            told = watching.until("server-changed")
            assert told["objects"][0]["name"] == "beta"
            following = watching.until(
                "planned", lambda told: not told["changes"] or "contested" in told["counts"]
            )
            if "contested" in following["counts"]:
                break
        assert "contested" in watching.kinds()
        parked = next(each for each in watching.seen if each["event"] == "contested")
        assert (parked["name"], parked["flips"]) == ("beta", 3)
        say(repository, "beta", "peace")
        repository.commit("Say something else")
        watching.applied("beta")
        watching.planned()
        assert watching.stop() == 0


def test_a_server_that_goes_and_comes_back_is_found_again(
    repository: Repository, server: Server, start_server: Callable[..., Server]
) -> None:
    port = server.address.rpartition(":")[2]
    with Watching(repository, "--apply") as watching:
        watching.planned()
        server.process.kill()
        server.process.wait(timeout=20)
        assert watching.until("trouble")["problem"]["code"].startswith("E6")
        say(repository, "alpha", "meanwhile")
        repository.commit("Meanwhile")
        watching.until("files-changed", lambda told: told["changed"] == 1)
        half_save(repository, "beta")
        watching.until("files-wrong")
        say(repository, "beta", "beta")
        watching.until("files-mended")
        again = start_server(server.database, "--port", port)
        assert again.address == server.address
        watching.until("recovered")
        watching.applied("alpha")
        watching.planned()
        assert watching.stop() == 0
    assert versions(repository, "alpha") == [2, 1]


def test_commits_are_what_counts_with_source_commit(repository: Repository) -> None:
    with Watching(repository, "--source", "commit", "--apply") as watching:
        assert watching.until("started")["ref"] == "HEAD"
        watching.planned()
        say(repository, "alpha", "committed")
        repository.commit("Alpha")
        half_save(repository, "alpha")
        assert watching.planned("alpha")["commit"] == repository.git("rev-parse", "HEAD").strip()
        watching.applied("alpha")
        watching.planned()
        repository.git("checkout", "-q", "-f", "-b", "other", "HEAD~1")
        say(repository, "beta", "on-the-other-branch")
        repository.commit("Beta")
        watching.applied("alpha", "beta")
        assert watching.stop() == 0
    assert "files-wrong" not in watching.kinds()
    shown = json.loads(repository.run("show", "alpha", "--output", "json").out)
    assert shown["body"]["setup"][0]["command"] == "make alpha"


def test_commits_on_the_embedded_server_and_with_a_key_in_a_file(
    local: Repository, server: Server, tmp_path: Path
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    key = local.root / "secret.key"
    key.write_text(KEY)
    key.chmod(0o600)
    config = (local.root / "envsync.yaml").read_text()
    config = config.replace("http://127.0.0.1:9", server.address)
    local.write("envsync.yaml", config.replace("env:NYLORUN_SERVER_KEY", "file:secret.key"))
    local.write(".gitignore", "secret.key\n.envsync/\n")
    say(local, "alpha", "committed")
    local.commit("Committed")
    for context, expected in (("local", "applied"), ("remote", "applied")):
        arguments = ("watch", "--once", "--apply", "--source", "commit", "--context", context)
        done = local.run(*arguments, TMPDIR=str(temporary))
        assert done.code == 0, done.err
        assert expected in done.out
        status = json.loads(local.run("status", "--context", context, "--output", "json").out)
        assert status["counts"]["in sync"] == 2
    assert list(temporary.iterdir()) == []
    assert (local.root / ".git" / "envsync" / "applied.json").is_file()


def test_a_fetched_branch_is_followed_with_ref(repository: Repository) -> None:
    repository.git("update-ref", "refs/remotes/origin/main", "HEAD")
    with Watching(repository, "--source", "commit", "--ref", "origin/main") as watching:
        watching.planned()
        say(repository, "alpha", "fetched")
        repository.commit("Not fetched yet")
        say(repository, "beta", "in the working tree")
        repository.git("update-ref", "refs/remotes/origin/main", "HEAD")
        watching.planned("alpha")
        assert watching.stop() == 0


def test_a_stop_finishes_the_request_in_flight_and_says_what_is_left(
    repository: Repository, server: Server
) -> None:
    for name in ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota"):
        say(repository, name, "changed")
    watching: Watching | None = None
    asked = []

    def stop(seen: Seen) -> Fate:
        if seen.writes and not asked:
            asked.append(seen)  # a second one would end it at once
            assert watching is not None
            watching.process.send_signal(signal.SIGTERM)
        return Fate.PASS

    with Interposer(server.address, stop) as between:
        text = (repository.root / "envsync.yaml").read_text()
        repository.write("envsync.yaml", text.replace(server.address, between.address))
        repository.commit("Through the one in between")
        with Watching(repository, "--apply") as watching:
            told = watching.until("stopped")
            assert watching.end() == 143
        applied = next(each for each in watching.seen if each["event"] == "applied")
        done = {each["name"] for each in applied["outcomes"] if each["result"] == "applied"}
        left = {each["name"] for each in told["pending"]}
        assert done
        assert left
        assert not done & left
        assert told["exitCode"] == 143
        for name in done:
            shown = json.loads(repository.run("show", name, "--output", "json").out)
            assert shown["body"]["setup"][0]["command"] == "make changed"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_the_exit_code_says_whether_something_is_left(
    repository: Repository, number: int, code: int, server: Server
) -> None:
    with Watching(repository, "--apply") as watching:
        watching.planned()
        server.process.kill()
        server.process.wait(timeout=20)
        watching.until("trouble")
        assert watching.stop(number) == 0
    with Watching(repository, "--apply") as watching:
        watching.until("trouble")
        assert watching.stop(number) == code


def test_health_and_metrics(local: Repository) -> None:
    with Watching(local, "--apply", "--listen", "0") as watching:
        address = watching.until("started")["listening"]
        watching.planned()
        assert ask(address, "/healthz")[0] == 200
        say(local, "alpha", "measured")
        watching.applied("alpha")
        watching.planned()
        status, text = ask(address, "/metrics")
        assert status == 200
        values = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
        where = 'project="acme",context="local"'
        assert values[f'envsync_objects{{{where},state="in sync"}}'] == "2"
        assert values[f'envsync_outcomes_total{{{where},result="applied"}}'] == "1"
        assert values[f"envsync_lag_seconds{{{where}}}"] == "0"
        assert float(values[f"envsync_last_apply_timestamp_seconds{{{where}}}"]) > 0
        half_save(local, "alpha")
        watching.until("files-wrong")
        status, text = ask(address, "/healthz")
        assert (status, json.loads(text)["problem"]["code"][0]) == (503, "E")
        assert watching.stop() == 0


def ask(address: str, path: str) -> tuple[int, str]:
    connection = HTTPConnection(address.removeprefix("http://"), timeout=20)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def test_once_for_scripts(local: Repository) -> None:
    assert local.run("watch", "--once").code == 0
    say(local, "alpha", "one")
    assert local.run("watch", "--once").code == 2
    done = local.run("watch", "--once", "--apply", "--output", "json")
    assert done.code == 0
    told = [json.loads(line) for line in done.out.splitlines()]
    assert [each["event"] for each in told] == ["started", "files-changed", "planned", "applied"]
    assert local.run("watch", "--once", "--apply").code == 0
    half_save(local, "alpha")
    done = local.run("watch", "--once", "--apply")
    assert done.code == 1
    assert "manifests/alpha.yaml:2" in done.err


def test_once_without_a_server_is_an_error(make_repository: Callable[..., Repository]) -> None:
    repository = make_repository({"alpha": BOX.format(name="alpha")})
    done = repository.run("watch", "--once", "--context", "remote")
    assert done.code == 1
    assert "error[E6" in done.err


def test_a_protected_context_is_only_written_when_somebody_said_so(
    repository: Repository,
) -> None:
    done = repository.run("watch", "--once", "--apply", "--context", "guarded")
    assert done.code == 64
    assert "E909" in done.err
    say(repository, "alpha", "guarded")
    repository.commit("Guarded")
    assert repository.run("watch", "--once", "--context", "guarded").code == 2
    assert repository.run("watch", "--once", "--apply", "--yes", "--context", "guarded").code == 0


def test_a_context_that_becomes_protected_is_no_longer_written(local: Repository) -> None:
    config = (local.root / "envsync.yaml").read_text()
    with Watching(local, "--apply") as watching:
        watching.planned()
        local.write(
            "envsync.yaml",
            config.replace("{server: embedded}", "{server: embedded, protected: true}"),
        )
        say(local, "alpha", "guarded")
        assert watching.until("withheld")["problem"]["code"] == "E909"
        local.write("envsync.yaml", config)
        watching.applied("alpha")
        assert watching.stop() == 0


def test_a_context_that_is_gone_is_waited_for(local: Repository) -> None:
    config = (local.root / "envsync.yaml").read_text()
    with Watching(local, "--apply") as watching:
        watching.planned()
        local.write(
            "envsync.yaml",
            config.replace("  local:", "  moved:").replace(": local", ": moved"),
        )
        assert watching.until("files-wrong")["problems"][0]["code"] == "E555"
        local.write("envsync.yaml", config)
        watching.until("files-mended")
        assert watching.stop() == 0


def test_ref_needs_commits(local: Repository) -> None:
    done = local.run("watch", "--once", "--ref", "main")
    assert done.code == 64
    assert "--source commit" in done.err
