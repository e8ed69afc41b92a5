"""Bugs, signals, readers that go away: never a traceback unasked, always the right exit code."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from envsync.cli.commands import explain
from tests.cli.conftest import ENVSYNC, Cli, process

CRASH = "the sky \x1b[31mfell"


@pytest.fixture
def bug(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash() -> None:
        raise RuntimeError(CRASH)

    monkeypatch.setattr(explain, "codes", crash)


@pytest.mark.usefixtures("bug")
def test_a_bug_is_a_short_message(cli: Cli) -> None:
    done = cli("explain")
    assert (done.code, done.out) == (1, "")
    assert "error[E999]: envsync met a bug: RuntimeError: the sky \\x1b[31mfell" in done.err
    assert "Traceback" not in done.err


@pytest.mark.usefixtures("bug")
def test_verbose_adds_the_traceback_below(cli: Cli) -> None:
    done = cli("-v", "explain")
    assert done.code == 1
    message, _, traceback = done.err.partition("Traceback (most recent call last):")
    assert "error[E999]" in message
    assert "RuntimeError" in traceback
    assert "\x1b" not in done.err


@pytest.mark.usefixtures("bug")
def test_programs_get_a_bug_as_json(cli: Cli) -> None:
    done = cli("explain", "--output", "json")
    assert json.loads(done.out)["problems"][0]["code"] == "E999"


def test_verbose_adds_a_traceback_to_an_error_too(cli: Cli, repository: Path) -> None:
    done = cli("plan", "--context", "nowhere", "-v")
    assert done.code == 64
    assert done.err.index("error[E905]") < done.err.index("Traceback")


def test_ctrl_c_is_130(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(explain, "codes", interrupt)
    done = cli("explain")
    assert done.code == 130
    assert done.err.startswith("error[E998]: interrupted")


def test_sigterm_is_143(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explain, "codes", lambda: os.kill(os.getpid(), signal.SIGTERM))
    before = signal.getsignal(signal.SIGTERM)
    assert cli("explain").code == 143
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_reader_that_goes_away_is_no_error(repository: Path) -> None:
    script = f"{ENVSYNC} explain | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=False, text=True)
    assert (done.stdout.strip(), done.stderr) == ("0", "")


def test_a_stream_that_knows_only_ascii_shows_numbers(repository: Path) -> None:
    (repository / "manifests" / "web.yaml").write_text("kind: virtual\n日本: no\n")
    done = process("validate", cwd=repository, PYTHONIOENCODING="ascii")
    assert done.code == 1
    assert "\\u65e5" in done.out


def test_a_closed_stdout_is_no_traceback() -> None:
    done = subprocess.run(
        ["bash", "-c", f"{ENVSYNC} explain >&-"], capture_output=True, check=False, text=True
    )
    assert "Traceback" not in done.stderr


def test_it_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "envsync.cli.main", "--version"], capture_output=True, check=True
    )
    assert done.stdout.startswith(b"envsync ")
