"""sync: commit, push and apply with a real Git, a real remote and a real server."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from tests.e2e.conftest import ENVSYNC, KEY, Done, Repository, Server
from tests.e2e.interposer import Fate, Interposer, Seen

BOX = "kind: virtual\nsetup:\n  - command: make {name}\n"
SYNC = ("sync", "-m", "Build what is new", "--push")


@pytest.fixture
def server(start_server: Callable[..., Server]) -> Server:
    return start_server()


@pytest.fixture
def repository(
    make_repository: Callable[..., Repository], server: Server, tmp_path: Path
) -> Repository:
    """In sync and pushed; then one manifest is edited, one is new, one goes, and a note that has
    nothing to do with it is staged in part."""
    manifests = {name: BOX.format(name=name) for name in ("alpha", "beta", "gamma")}
    repository = make_repository(manifests, server.address)
    for name, value in (("user.name", "Alice"), ("user.email", "alice@team.example")):
        repository.git("config", name, value)
    repository.write("notes.txt", "one\n")
    repository.commit("Notes")
    bare = tmp_path / "remote.git"
    repository.git("init", "-q", "--bare", "-b", "main", str(bare))
    repository.git("remote", "add", "origin", bare.as_uri())
    repository.git("push", "-q", "-u", "origin", "main")
    done = repository.run("sync")
    assert done.code == 0, done.err
    edit(repository)
    return repository


def edit(repository: Repository) -> None:
    repository.edit("manifests/alpha.yaml", "make alpha", "make alpha faster")
    repository.write("manifests/delta.yaml", BOX.format(name="delta"))
    repository.write("notes.txt", "one\ntwo\n")
    repository.git("add", "notes.txt")
    repository.write("notes.txt", "one\ntwo\nthree\n")


NOTES = "MM notes.txt\n"
"""What Git's status says of the note, before and after every sync."""


def head(repository: Repository, ref: str = "HEAD") -> str:
    return repository.git("rev-parse", ref).strip()


def versions(repository: Repository, name: str) -> list[int]:
    done = repository.run("history", name, "--output", "json")
    entries = json.loads(done.out).get("entries", []) if not done.code else []
    return [each["version"] for each in entries if each.get("version")]


def assert_finished(repository: Repository, commits: int = 3) -> None:
    """One more commit than before, pushed, and applied once."""
    assert repository.git("rev-list", "--count", "HEAD").strip() == str(commits)
    assert repository.git("diff", "--name-only", "HEAD~1", "HEAD").split() == [
        "manifests/alpha.yaml",
        "manifests/delta.yaml",
    ]
    assert head(repository, "origin/main") == head(repository)
    assert repository.git("ls-remote", "origin", "main").split()[0] == head(repository)
    assert versions(repository, "alpha") == [2, 1]
    assert versions(repository, "delta") == [1]
    assert repository.git("status", "--porcelain") == NOTES
    assert repository.git("diff", "--cached", "--stat").split() == [
        "notes.txt", "|", "1", "+", "1", "file", "changed,", "1", "insertion(+)",
    ]  # fmt: skip


def hook(repository: Repository, name: str, script: str) -> None:
    path = repository.root / ".git/hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_the_whole_way(repository: Repository) -> None:
    done = repository.run(*SYNC, "--output", "json")
    assert done.code == 0, done.err
    assert_finished(repository)
    said = json.loads(done.out)
    assert said["commit"] == said["apply"]["commit"] == head(repository)
    assert said["committed"] == ["manifests/alpha.yaml", "manifests/delta.yaml"]
    assert (said["upstream"], said["pushed"]) == ("origin/main", True)
    assert {each["result"] for each in said["apply"]["outcomes"]} == {"applied", "unchanged"}
    message = repository.git("log", "-1", "--format=%B")
    assert f"Envsync-Plan: {said['apply']['plan']}\n" in message
    assert "Envsync-Context: remote\n" in message


def test_nothing_left_to_do_is_said_in_a_line(repository: Repository) -> None:
    assert repository.run(*SYNC).code == 0
    again = repository.run(*SYNC)
    assert again.code == 0
    assert again.out.startswith("In sync: 4 objects match remote")
    assert_finished(repository)


def test_committed_by_hand_it_needs_no_message(repository: Repository) -> None:
    repository.git("add", "manifests")
    repository.git("commit", "-q", "-m", "By hand", "manifests")
    done = repository.run("sync", "--push")
    assert done.code == 0, done.err
    assert_finished(repository)


def test_a_change_that_says_nothing_new_is_committed_all_the_same(repository: Repository) -> None:
    assert repository.run(*SYNC).code == 0
    repository.edit("manifests/beta.yaml", "kind", "# why\nkind")
    done = repository.run("sync", "-m", "Say why")
    assert done.code == 0, done.err
    assert repository.git("show", "--format=", "--name-only").split() == ["manifests/beta.yaml"]
    assert versions(repository, "beta") == [1]


# What stops it before the commit.


def assert_untouched(repository: Repository, before: str, done: Done, code: int) -> None:
    assert done.code == code, done.out + done.err
    assert head(repository) == head(repository, "origin/main")
    assert repository.git("status", "--porcelain=v2") == before
    assert versions(repository, "alpha") == [1]


def test_without_a_message(repository: Repository) -> None:
    before = repository.git("status", "--porcelain=v2")
    done = repository.run("sync", "--push")
    assert_untouched(repository, before, done, 64)
    assert "E920" in done.err


def test_a_file_with_an_error_in_whichever_context(repository: Repository) -> None:
    repository.write("overlays/local/manifests/beta.yaml", "kind: pot\n")
    before = repository.git("status", "--porcelain=v2")
    done = repository.run(*SYNC)
    assert_untouched(repository, before, done, 1)
    assert "overlays/local/manifests/beta.yaml:1:7" in done.err


def test_a_hook_that_refuses(repository: Repository) -> None:
    hook(repository, "pre-commit", "echo 'not today' >&2; exit 1")
    before = repository.git("status", "--porcelain=v2")
    done = repository.run(*SYNC)
    assert_untouched(repository, before, done, 1)
    assert "not today" in done.err


def test_an_unreachable_server(repository: Repository, server: Server) -> None:
    before = repository.git("status", "--porcelain=v2")
    server.process.kill()
    server.process.wait(timeout=20)
    done = repository.run(*SYNC)
    assert done.code == 1
    assert repository.git("status", "--porcelain=v2") == before


def test_a_protected_context_wants_the_plan_named(repository: Repository) -> None:
    before = repository.git("status", "--porcelain=v2")
    asked = repository.run(*SYNC, "--context", "guarded")
    assert_untouched(repository, before, asked, 64)
    assert "envsync sync --context guarded --yes=" in asked.err
    named = asked.err.rsplit("--yes=", 1)[1].split()[0]
    wrong = repository.run(*SYNC, "--context", "guarded", f"--yes={'0' * 12}")
    assert_untouched(repository, before, wrong, 4)
    done = repository.run(*SYNC, "--context", "guarded", f"--yes={named}")
    assert done.code == 0, done.err
    assert_finished(repository)


def test_a_change_that_the_server_would_refuse(repository: Repository) -> None:
    repository.edit("envsync.yaml", "  local: {server: embedded}\n", "")
    repository.edit("manifests/delta.yaml", "setup", "resources: {cpus: 65}\nsetup")
    before = repository.git("status", "--porcelain=v2")
    done = repository.run(*SYNC)
    assert_untouched(repository, before, done, 1)
    assert "E550" in done.err
    assert "cpus" in done.out


def test_drift_stops_it_until_somebody_decides(repository: Repository, server: Server) -> None:
    save_by_hand(server, "gamma")
    before = repository.git("status", "--porcelain=v2")
    refused = repository.run(*SYNC)
    assert_untouched(repository, before, refused, 4)
    assert "E551" in refused.err
    assert "envsync pull gamma" in refused.err
    done = repository.run(*SYNC, "--on-drift", "overwrite")
    assert done.code == 0, done.err
    assert_finished(repository)
    assert versions(repository, "gamma") == [3, 2, 1]


def test_theirs_pulled_is_committed_with_the_rest(repository: Repository, server: Server) -> None:
    save_by_hand(server, "gamma")
    assert repository.run("pull", "gamma").code == 0
    done = repository.run(*SYNC)
    assert done.code == 0, done.err
    assert repository.git("show", "--format=", "--name-only").split() == [
        "manifests/alpha.yaml", "manifests/delta.yaml", "manifests/gamma.yaml",
    ]  # fmt: skip
    assert versions(repository, "gamma") == [2, 1]


def test_deletes_are_counted_before_anything_is_committed(repository: Repository) -> None:
    for name in ("beta", "gamma"):
        (repository.root / f"manifests/{name}.yaml").unlink()
    before = repository.git("status", "--porcelain=v2")
    braked = repository.run(*SYNC, "--prune")
    assert_untouched(repository, before, braked, 5)
    done = repository.run(*SYNC, "--prune", "--allow-deletes", "2")
    assert done.code == 0, done.err
    assert head(repository, "origin/main") == head(repository)
    assert repository.run("show", "beta").code != 0


# What stops it on the way.


def test_a_refused_push_applies_nothing_and_says_the_way_on(
    repository: Repository, tmp_path: Path
) -> None:
    colleague = Repository(tmp_path / "colleague", repository.environ)
    repository.git("clone", "-q", str(tmp_path / "remote.git"), str(colleague.root))
    colleague.write("manifests/gamma.yaml", BOX.format(name="theirs"))
    colleague.commit("Theirs")
    colleague.git("push", "-q")
    refused = repository.run(*SYNC)
    assert refused.code == 4
    assert "E468" in refused.err
    assert "git pull --rebase" in refused.err
    assert versions(repository, "alpha") == [1]
    repository.git("-c", "rebase.autoStash=true", "pull", "-q", "--rebase")
    done = repository.run(*SYNC)
    assert done.code == 0, done.err
    assert head(repository, "origin/main") == head(repository)
    assert versions(repository, "alpha") == versions(repository, "gamma") == [2, 1]


def test_a_hook_that_rewrites_a_file_stops_the_apply(repository: Repository) -> None:
    rewriting = "echo '# tidied' >> manifests/alpha.yaml && git add manifests/alpha.yaml"
    hook(repository, "pre-commit", rewriting)
    done = repository.run(*SYNC)
    assert done.code == 4
    assert "E470" in done.err
    assert versions(repository, "alpha") == [1]
    (repository.root / ".git/hooks/pre-commit").unlink()
    assert repository.run(*SYNC).code == 0
    assert versions(repository, "alpha") == [2, 1]
    assert repository.git("status", "--porcelain") == NOTES


def test_an_edit_while_it_commits_is_not_applied(repository: Repository) -> None:
    hook(repository, "post-commit", "echo '# later' >> manifests/beta.yaml")
    done = repository.run(*SYNC)
    assert done.code == 4
    assert "E470" in done.err
    assert versions(repository, "alpha") == [1]


def test_a_server_that_moved_since_the_plan_was_shown(
    repository: Repository, server: Server, tmp_path: Path
) -> None:
    words = tmp_path / "words"
    os.mkfifo(words)
    hook(repository, "post-commit", f"echo committed > {words}; cat {words} > /dev/null")
    process = repository.start(*SYNC)
    assert words.read_text() == "committed\n"
    save_by_hand(server, "alpha")
    words.write_text("go on\n")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 4, err.decode()
    assert "run the same command again" in " ".join(err.decode().split())
    assert versions(repository, "alpha") == [2, 1]
    assert head(repository) == head(repository, "origin/main")


def save_by_hand(server: Server, name: str) -> None:
    """Somebody else saves, whatever is there."""
    answer = httpx.put(
        f"{server.address}/v1/environment-manifests/{name}",
        json={"kind": "virtual", "setup": [{"command": "make theirs"}]},
        headers={"Authorization": f"Bearer {KEY}", "Nylorun-Protocol": "14"},
        trust_env=False,
    )
    assert answer.status_code < 300, answer.text


# Killed at every step; the same command finishes it.


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end, "it never came true"
        os.sched_yield()


@pytest.mark.parametrize("place", ["pre-commit", "post-commit", "pre-push", "remote"])
def test_killed_while_git_works(repository: Repository, tmp_path: Path, place: str) -> None:
    reached, go = tmp_path / "reached", tmp_path / "go"
    os.mkfifo(reached)
    os.mkfifo(go)
    script = f"echo here > {reached}; cat {go} > /dev/null"
    file = repository.root / ".git/hooks" / place
    if place == "remote":
        file = tmp_path / "remote.git/hooks/post-receive"
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    process = repository.start(*SYNC)
    assert reached.read_text() == "here\n"
    process.kill()
    process.communicate(timeout=20)
    assert process.returncode == -signal.SIGKILL
    file.unlink()
    go.write_text("go on\n")
    # Git itself lives on and ends what it was at.
    wait_until(lambda: not list((repository.root / ".git").glob("*.lock")))
    assert repository.git("rev-list", "--count", "HEAD").strip() in ("2", "3")
    wait_until(lambda: repository.git("rev-list", "--count", "HEAD").strip() == "3")
    assert versions(repository, "alpha") == [1]
    done = repository.run(*SYNC)
    assert done.code == 0, done.err
    assert_finished(repository)


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", ["planning", "first", "second"])
def test_killed_while_the_server_is_asked(
    repository: Repository, server: Server, step: str, when: str
) -> None:
    process: subprocess.Popen[bytes] | None = None
    writes = 0

    def kill(seen: Seen) -> Fate:
        nonlocal writes
        writes += seen.writes
        wanted = {"planning": 0, "first": 1, "second": 2}[step]
        if wanted != writes or seen.writes is (step == "planning"):
            return Fate.PASS
        assert process is not None
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
            process.wait(timeout=20)
        return Fate.DROP_AFTER if when == "after" else Fate.DROP_BEFORE

    with Interposer(server.address, kill) as between:
        text = (repository.root / "envsync.yaml").read_text()
        repository.write("envsync.yaml", text.replace(server.address, between.address))
        repository.git("commit", "-qm", "Elsewhere", "envsync.yaml")
        process = repository.start(*SYNC)
        process.communicate(timeout=60)
        assert process.returncode == -signal.SIGKILL
        between.rule = lambda seen: Fate.PASS
        done = repository.run(*SYNC)
        assert done.code == 0, done.err
        assert_finished(repository, commits=4)


def test_killed_with_all_of_git_the_lock_is_named(repository: Repository, tmp_path: Path) -> None:
    reached = tmp_path / "reached"
    os.mkfifo(reached)
    hook(repository, "pre-commit", f"echo here > {reached}; exec cat {tmp_path}/never")
    os.mkfifo(tmp_path / "never")
    process = subprocess.Popen(
        [str(ENVSYNC), *SYNC],
        cwd=repository.root,
        env={**os.environ, **repository.environ},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert reached.read_text() == "here\n"
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(timeout=20)
    (repository.root / ".git/hooks/pre-commit").unlink()
    locked = repository.run(*SYNC)
    assert locked.code == 1
    assert "index.lock" in locked.err
    (repository.root / ".git/index.lock").unlink()
    done = repository.run(*SYNC)
    assert done.code == 0, done.err
    assert_finished(repository)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_in_the_commit_it_leaves_everything_as_it_was(
    repository: Repository, tmp_path: Path, number: signal.Signals
) -> None:
    reached, go = tmp_path / "reached", tmp_path / "go"
    os.mkfifo(reached)
    os.mkfifo(go)
    hook(repository, "pre-commit", f"echo here > {reached}; cat {go} > /dev/null; exit 1")
    before = repository.git("status", "--porcelain=v2")
    process = repository.start(*SYNC)
    assert reached.read_text() == "here\n"
    process.send_signal(number)
    process.communicate(timeout=60)
    go.write_text("go on\n")
    assert process.returncode == 128 + number
    assert not (repository.root / ".git/index.lock").exists()
    assert repository.git("status", "--porcelain=v2") == before
    (repository.root / ".git/hooks/pre-commit").unlink()
    assert repository.run(*SYNC).code == 0
    assert_finished(repository)
