"""On a real terminal: colour, progress and questions; elsewhere none of them."""

from __future__ import annotations

import os
import pty
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.conftest import ENVSYNC, process

COLOUR = "\x1b[1m"
CLEAR = "\x1b[2K"


@dataclass(frozen=True)
class Seen:
    code: int
    text: str
    stdout: str


def on_terminal(
    *argv: str, cwd: Path, answer: str = "", stdout_piped: bool = False, **environ: str
) -> Seen:
    """Runs a command on a pseudo-terminal; ``answer`` is typed once it has asked."""
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", **environ}
    environment.pop("COLUMNS", None)
    process = subprocess.Popen(
        [str(ENVSYNC), *argv],
        cwd=cwd,
        env=environment,
        stdin=slave,
        stdout=subprocess.PIPE if stdout_piped else slave,
        stderr=slave,
        close_fds=True,
    )
    os.close(slave)
    shown = b""
    while True:
        try:
            chunk = os.read(master, 65536)
        except OSError:  # the other end is closed: the process is done
            break
        if not chunk:
            break
        shown += chunk
        if answer and shown.endswith(b": "):
            os.write(master, answer.encode() + b"\n")
            answer = ""
    piped = process.stdout.read().decode() if process.stdout else ""
    if process.stdout:
        process.stdout.close()
    code = process.wait(timeout=60)
    os.close(master)
    return Seen(code, shown.decode(), piped)


def test_colour_on_a_terminal(repository: Path) -> None:
    assert COLOUR in on_terminal("plan", cwd=repository).text


@pytest.mark.parametrize(
    ("argv", "environ"),
    [
        (("plan",), {"NO_COLOR": "1"}),
        (("plan", "--no-color"), {}),
        (("--no-color", "plan"), {}),
        (("plan",), {"TERM": "dumb"}),
    ],
)
def test_no_colour_when_it_is_refused(
    repository: Path, argv: tuple[str, ...], environ: dict[str, str]
) -> None:
    text = on_terminal(*argv, cwd=repository, **environ).text
    assert COLOUR not in text
    assert "manifest data" in text


def test_an_empty_no_color_says_nothing(repository: Path) -> None:
    assert COLOUR in on_terminal("plan", cwd=repository, NO_COLOR="").text


def test_no_colour_and_no_progress_elsewhere(repository: Path) -> None:
    done = process("plan", cwd=repository)
    assert "\x1b" not in done.out + done.err
    assert done.err == ""


def test_progress_stands_on_stderr_and_goes_away(repository: Path) -> None:
    seen = on_terminal("plan", "--output", "json", cwd=repository, stdout_piped=True)
    assert "planning for local" in seen.text
    assert seen.text.endswith(CLEAR)
    assert "\x1b" not in seen.stdout


def test_a_dumb_terminal_gets_no_progress(repository: Path) -> None:
    seen = on_terminal("plan", cwd=repository, TERM="dumb", stdout_piped=True)
    assert seen.text == ""


def test_a_protected_context_is_applied_by_typing_its_name(repository: Path) -> None:
    seen = on_terminal("apply", "--context", "guarded", cwd=repository, answer="guarded")
    assert seen.code == 0
    assert "Type its name to apply this plan" in seen.text
    assert "applied 2" in seen.text


def test_another_name_applies_nothing(repository: Path) -> None:
    seen = on_terminal("apply", "--context", "guarded", cwd=repository, answer="local")
    assert seen.code == 4
    assert "E911" in seen.text
    assert "2 to create" in process("plan", "--context", "guarded", cwd=repository).out
