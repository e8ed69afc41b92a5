"""pull and rollback on the command line."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.cli.test_street import edit
from tests.conftest import Snapshot


@pytest.fixture
def drifted(cli: Cli, repository: Path) -> Path:
    """The small repository, applied and committed; ``web`` has a second version on the server and
    a third manifest stands there that no file declares."""
    (repository / ".gitignore").write_text(".envsync/\n")
    git(repository, "init", "-q")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "first")
    assert cli("apply").code == 0
    web = repository / "manifests" / "web.yaml"
    edit(web, "cpus: 2, memory: 1024MiB", "cpus: 4, memory: 2GiB")
    (repository / "manifests" / "more.yaml").write_text('setup: [{command: "echo \\e[2J"}]\n')
    assert cli("apply").code == 0
    git(repository, "checkout", "-q", ".")
    git(repository, "clean", "-fdq")
    return repository


def git(root: Path, *words: str) -> str:
    who = ("-c", "user.name=Alice", "-c", "user.email=alice@team.example")
    return subprocess.run(
        ["git", *who, *words], cwd=root, check=True, capture_output=True, text=True
    ).stdout


def test_from_drift_to_in_sync_and_back(cli: Cli, drifted: Path, snapshot: Snapshot) -> None:
    told = []
    for line in ("pull --dry-run", "pull", "pull", "rollback web@1"):
        told.append(f"$ envsync {line}\n{cli(*line.split()).golden}")
    git(drifted, "add", "-A")
    git(drifted, "commit", "-qm", "pulled")
    for line in ("pull", "rollback web@1", "pull nobody", "rollback web", "pull --context staging"):
        told.append(f"$ envsync {line}\n{cli(*line.split()).golden}")
    snapshot("pull", "\n".join(told))


def test_json_tells_all_of_it(cli: Cli, drifted: Path) -> None:
    said = json.loads(cli("pull", "--dry-run", "--output", "json").out)
    assert said["counts"] == {
        "unchanged": 1, "created": 1, "changed": 1, "removed": 0, "refused": 0
    }  # fmt: skip
    assert [(each["name"], each["result"], each["version"]) for each in said["objects"]] == [
        ("data", "unchanged", 1), ("more", "created", 1), ("web", "changed", 2)
    ]  # fmt: skip
    assert (said["dryRun"], said["exitCode"], said["context"]) == (True, 0, "local")
    assert [file["path"] for file in said["files"]] == ["manifests/more.yaml", "manifests/web.yaml"]
    patch = "".join(file["diff"] for file in said["files"])
    subprocess.run(["git", "apply", "-"], cwd=drifted, input=patch.encode(), check=True)
    assert cli("plan", "--detailed-exitcode").code == 0


def test_what_a_server_says_does_not_act_on_a_terminal(cli: Cli, drifted: Path) -> None:
    done = cli("pull", "--dry-run")
    assert "\x1b" not in done.out
    assert "\\u001b[2J" in done.out


def test_some_refused_is_an_exit_code_of_its_own(cli: Cli, drifted: Path) -> None:
    policy = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "every box says what it may reach",
        "x-type": "manifest", "required": ["network"],
    }  # fmt: skip
    (drifted / "policies").mkdir()
    (drifted / "policies" / "net.schema.json").write_text(json.dumps(policy))
    done = cli("pull")
    assert done.code == 3
    assert "E453" in done.out
    assert "memory: 2048MiB" in (drifted / "manifests" / "web.yaml").read_text()
    assert not (drifted / "manifests" / "more.yaml").exists()


def test_files_are_removed_only_when_asked(cli: Cli, drifted: Path) -> None:
    from tests.operations.conftest import Place

    Place(drifted, drifted / ".envsync" / "server.db").deletes("data")
    assert "removed" not in cli("pull", "--dry-run").out
    done = cli("pull", "--dry-run", "--prune-files")
    assert "+++ /dev/null" in done.out
    assert (drifted / "manifests" / "data.yaml").exists()
    assert cli("pull", "--prune-files").code == 0
    assert not (drifted / "manifests" / "data.yaml").exists()
