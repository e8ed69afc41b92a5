"""Completion, as a shell runs it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from envsync.cli.completion import SCRIPTS
from envsync.cli.table import COMMANDS
from tests.cli.conftest import ENVSYNC

DRIVER = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_envsync
printf '%s\\n' "${COMPREPLY[@]}"
"""


def complete(tmp_path: Path, *words: str) -> list[str]:
    """What bash offers for the last of ``words``."""
    script = tmp_path / "completion.bash"
    script.write_text(SCRIPTS["bash"]())
    done = subprocess.run(
        ["bash", "--norc", "-c", DRIVER, "bash", str(script), "envsync", *words],
        env={**os.environ, "PATH": f"{ENVSYNC.parent}:{os.environ['PATH']}"},
        capture_output=True,
        check=True,
        text=True,
    )
    assert done.stderr == ""
    return [line for line in done.stdout.splitlines() if line]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("st",), ["status"]),
        (("context", ""), ["list", "use", "show"]),
        (("serve", "keys", "ro"), ["rotate"]),
        (("plan", "--det"), ["--detailed-exitcode"]),
        (("--output", "json", "plan", "--rec"), ["--recreate"]),
        (("validate", "--output", ""), ["text", "json", "sarif", "github"]),
        (("completion", ""), ["bash", "zsh", "fish"]),
        (("explain", "E90"), [f"E90{n}" for n in range(1, 10)]),
        (("context", "use", ""), ["local", "guarded", "staging"]),
        (("plan", "--context", "g"), ["guarded"]),
        (("show", ""), ["data", "web"]),
        (("serve", "keys", "create", "ci", "--role", "m"), ["management"]),
        (("help", "hist"), ["history"]),
    ],
)
def test_bash(repository: Path, tmp_path: Path, words: tuple[str, ...], offered: list[str]) -> None:
    assert complete(tmp_path, *words) == offered


def test_bash_offers_every_command(tmp_path: Path) -> None:
    assert set(complete(tmp_path, "")) == {command.words[0] for command in COMMANDS}


def test_outside_a_repository_there_is_nothing_to_offer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert complete(tmp_path, "show", "") == []


@pytest.mark.parametrize("shell", SCRIPTS)
def test_every_command_and_option_is_in_each_script(shell: str) -> None:
    script = SCRIPTS[shell]()
    for command in COMMANDS:
        for word in command.words:
            assert word in script
        for option in command.options:
            assert option.flags[-1].lstrip("-") in script
