"""Every documented example runs, in a repository like the sample one."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from envsync.cli.table import COMMANDS
from envsync.contract.assets import asset
from tests.cli.conftest import ENVSYNC

EXAMPLES = [
    (command, example)
    for command in COMMANDS
    for example in command.examples
]  # fmt: skip


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample repository, applied, with a second version of one manifest on the server."""
    root = tmp_path_factory.mktemp("examples") / "acme"
    shutil.copytree(asset("sample-repo"), root)
    run("git init -q && git add -A && git -c user.name=a -c user.email=a@b.example "
        "commit -q -m sample", root)  # fmt: skip
    run("git init -q --bare ../origin.git && git remote add origin ../origin.git && "
        "git push -q -u origin HEAD", root)  # fmt: skip
    assert run("envsync apply --context local", root).returncode == 0
    box = root / "manifests" / "analyst-box.yaml"
    before = box.read_text()
    box.write_text(before.replace("memory: 4GiB", "memory: 6GiB"))
    assert box.read_text() != before
    run("envsync apply --context local", root)
    box.write_text(before)
    # What one example leaves for another: each runs alone as well.
    for line in (
        "envsync plan -o plan.json",
        "envsync serve keys create laptop",
        "envsync serve backup envsync.backup",
    ):
        assert run(line, root).returncode == 0
    (root / "envsync.backup").rename(root / "kept.backup")
    return root


def run(line: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", line],
        cwd=cwd,
        env=environment(cwd),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        text=True,
        timeout=60,
    )


def environment(cwd: Path) -> dict[str, str]:
    return {
        **os.environ,
        "PATH": f"{ENVSYNC.parent}:{os.environ['PATH']}",
        "XDG_CACHE_HOME": str(cwd.parent / "cache"),
    }


@pytest.mark.parametrize(
    "line",
    [example.line for command, example in EXAMPLES if command.name != "serve"],
)
def test_an_example(sample: Path, line: str) -> None:
    spoken = line.replace("| source", "> /dev/null").replace('zsh)"', 'zsh >/dev/null)"')
    if "restore" in line:
        shutil.copy(sample / "kept.backup", sample / "envsync.backup")
    elif "backup" in line:
        (sample / "envsync.backup").unlink(missing_ok=True)
    done = run(spoken, sample)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "line", [example.line for command, example in EXAMPLES if command.name == "serve"]
)
def test_an_example_that_serves(sample: Path, line: str) -> None:
    process = subprocess.Popen(
        line.split(), cwd=sample, env=environment(sample), stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    seen = ""
    while "listening on http://127.0.0.1" not in seen:
        said = process.stdout.readline()
        assert said, "it ended before it listened"
        seen += said
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) == 0
    process.stdout.close()
