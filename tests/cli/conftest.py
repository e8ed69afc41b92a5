"""The command line, called in this process or as a real one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from envsync.cli.main import main

ENVSYNC = Path(sys.executable).parent / "envsync"

MANIFEST = """\
$schema: ../schemas/environment-manifest.schema.json
kind: virtual
resources: {cpus: 2, memory: 1024MiB}
network:
  allowedHosts: [packages.example]
setup:
  - command: make deps
"""


@dataclass(frozen=True)
class Done:
    """A finished command."""

    code: int
    out: str
    err: str

    @property
    def golden(self) -> str:
        """Everything a person sees, without durations, hashes and the width of columns."""
        text = f"exit {self.code}\n--- stdout\n{self.out}--- stderr\n{self.err}"
        text = re.sub(r"\b\d+(\.\d+)? (ms|s|min)\b", "0 ms", text)
        text = re.sub(r"\b[0-9a-f]{8,64}\b", "<hash>", text)
        return re.sub(r"(?<=\S) {2,}", "  ", text)


Cli = Callable[..., Done]


@pytest.fixture(autouse=True)
def environ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """80 columns, a cache of the test's own, one user, and nothing of the person who runs this."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("LOGNAME", "alice")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("NYLORUN_SERVER_KEY", raising=False)


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    """Runs a command line in this process."""

    def run(*argv: str) -> Done:
        capsys.readouterr()
        code = main(argv)
        out, err = capsys.readouterr()
        return Done(code, out, err)

    return run


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small repository on the embedded server; the current folder."""
    root = tmp_path / "acme"
    (root / "manifests").mkdir(parents=True)
    (root / "envsync.yaml").write_text(
        "format: 1\n"
        "project: acme\n"
        "contexts:\n"
        "  local: {server: embedded}\n"
        "  guarded: {server: embedded, protected: true}\n"
        "  staging: {server: 'https://runtime.staging.example', key: 'env:NYLORUN_SERVER_KEY'}\n"
        "default_context: local\n"
    )
    (root / "manifests" / "web.yaml").write_text(MANIFEST)
    (root / "manifests" / "data.yaml").write_text(MANIFEST)
    monkeypatch.chdir(root)
    return root


def process(*argv: str, cwd: Path | None = None, **environ: str) -> Done:
    """Runs a command line as a process of its own, with nothing to read from."""
    done = subprocess.run(
        [str(ENVSYNC), *argv],
        cwd=cwd,
        env={**os.environ, **environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())
