"""Drift on the command line: refused, overwritten, adopted; deletes that are asked for."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest

from envsync.api.runtime import RuntimeReader, RuntimeWriter
from envsync.embedded import EmbeddedTransport
from tests.cli.conftest import Cli


def git(root: Path, *words: str) -> None:
    who = ("-c", "user.name=Alice", "-c", "user.email=alice@team.example")
    subprocess.run(["git", *who, *words], cwd=root, check=True, capture_output=True)


def saves(root: Path, cpus: int) -> None:
    """Somebody saves `web` past the repository."""

    async def save() -> None:
        transport = EmbeddedTransport(root / ".envsync" / "server.db")
        reader = RuntimeReader(transport, None)
        view = await reader.get_manifest("web")
        assert view is not None
        assert view.manifest is not None
        body = {**view.manifest, "resources": {"cpus": cpus, "memory": "1024MiB"}}
        await RuntimeWriter(reader).save_manifest("web", body, view.version)
        await transport.aclose()

    asyncio.run(save())


@pytest.fixture
def drifted(repository: Path, cli: Cli) -> Path:
    """Everything committed and applied, and `web` saved by somebody else since."""
    git(repository, "init", "-q", "-b", "main")
    git(repository, "add", "envsync.yaml", "manifests")
    git(repository, "commit", "-qm", "First")
    assert cli("apply").code == 0
    saves(repository, 8)
    return repository


def test_drift_is_left_alone_unless_somebody_says_otherwise(drifted: Path, cli: Cli) -> None:
    refused = cli("apply")
    assert refused.code == 4
    assert "[E527]" in refused.out
    assert "keep theirs: envsync pull web" in refused.out
    assert "drift" in cli("status").out
    assert cli("apply", "--on-drift", "overwrite").code == 0
    assert cli("plan").out.startswith("In sync:")


def test_adopting_writes_it_into_the_files_and_applies_the_rest(drifted: Path, cli: Cli) -> None:
    data = drifted / "manifests" / "data.yaml"
    data.write_text(data.read_text().replace("cpus: 2", "cpus: 4"))
    done = cli("apply", "--on-drift", "adopt")
    assert done.code == 0, done.out + done.err
    assert "cpus: 8" in (drifted / "manifests" / "web.yaml").read_text()
    assert "manifests/web.yaml" in done.err
    assert "manifest data" in done.out
    assert cli("plan").out.startswith("In sync:")


def test_the_policy_can_say_to_adopt(drifted: Path, cli: Cli) -> None:
    config = drifted / "envsync.yaml"
    config.write_text(config.read_text() + "policy: {on_drift: adopt}\n")
    assert "held back" not in cli("plan", "--output", "markdown").err
    assert cli("apply").code == 0
    assert "cpus: 8" in (drifted / "manifests" / "web.yaml").read_text()


def test_a_saved_plan_takes_no_option_that_it_has_decided(drifted: Path, cli: Cli) -> None:
    assert cli("plan", "-o", "plan.json").code == 0
    for option in (["--on-drift", "overwrite"], ["--prune"], ["--recreate"]):
        done = cli("apply", "plan.json", *option)
        assert (done.code, f"error[E915]: {option[0]}" in done.err) == (64, True)
    assert cli("apply", "plan.json").code == 4
    cli("plan", "--on-drift", "overwrite", "-o", "plan.json")
    assert cli("apply", "plan.json").code == 0


def test_deletes_are_asked_for_and_counted(drifted: Path, cli: Cli) -> None:
    (drifted / "manifests" / "data.yaml").unlink()
    kept = cli("plan")
    assert "no longer declared here (v1); --prune deletes it" in kept.out
    stopped = cli("apply", "--prune", "--on-drift", "overwrite")
    assert (stopped.code, "error[E530]" in stopped.err) == (5, True)
    wrong = cli("apply", "--prune", "--on-drift", "overwrite", "--allow-deletes", "2")
    assert (wrong.code, "error[E531]" in wrong.err) == (5, True)
    done = cli("apply", "--prune", "--on-drift", "overwrite", "--allow-deletes", "1")
    assert done.code == 0
    assert "- manifest data" in done.out
