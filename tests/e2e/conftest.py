"""Real processes: the installed command, a server of its own, a repository that Git knows."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from envsync.contract.assets import asset

ENVSYNC = Path(sys.executable).parent / "envsync"
KEY = "a" * 64


@dataclass(frozen=True)
class Done:
    """A finished command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> object:
        return json.loads(self.out)


@dataclass
class Repository:
    """A folder that envsync looks after, with its own cache, so that no test meets another's."""

    root: Path
    environ: dict[str, str] = field(default_factory=dict)

    def run(self, *arguments: str, **extra: str) -> Done:
        """``envsync`` in this repository; it never waits for a person."""
        done = subprocess.run(
            [str(ENVSYNC), *arguments],
            cwd=self.root,
            env={**os.environ, **self.environ, **extra},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=120,
            check=False,
        )
        assert b"Traceback" not in done.stdout + done.stderr, done.stderr.decode()
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [str(ENVSYNC), *arguments],
            cwd=self.root,
            env={**os.environ, **self.environ},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def write(self, path: str, text: str) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def edit(self, path: str, old: str, new: str) -> None:
        text = (self.root / path).read_text()
        assert old in text
        self.write(path, text.replace(old, new))

    def git(self, *arguments: str) -> str:
        identity = ["-c", "user.name=Alice", "-c", "user.email=alice@team.example"]
        done = subprocess.run(
            ["git", *identity, *arguments],
            cwd=self.root,
            capture_output=True,
            check=True,
            text=True,
        )
        return done.stdout

    def commit(self, message: str = "Change the manifests") -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)


@dataclass(frozen=True)
class Server:
    address: str
    process: subprocess.Popen[bytes]
    database: str = ""


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "NYLORUN_SERVER_KEY": KEY,
        "COLUMNS": "100",
    }


@pytest.fixture
def sample(tmp_path: Path, environ: dict[str, str]) -> Repository:
    """The sample repository, committed."""
    root = tmp_path / "sample"
    shutil.copytree(asset("sample-repo"), root)
    repository = Repository(root, environ)
    repository.git("init", "-q", "-b", "main")
    repository.commit("The sample")
    return repository


@pytest.fixture
def start_server(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Starts servers in processes of their own, and ends each at the end of the test."""
    running: list[subprocess.Popen[bytes]] = []
    key_file = tmp_path / "first.key"
    key_file.write_text(KEY)
    key_file.chmod(0o600)

    def start(database: Path | str = tmp_path / "served.db", *arguments: str) -> Server:
        process = subprocess.Popen(
            [sys.executable, "-m", "envsync.server", "--database", str(database), "--port", "0",
             "--key-file", str(key_file), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        running.append(process)
        assert process.stdout is not None
        for line in process.stdout:
            event = json.loads(line)
            if event.get("event") == "listening":
                return Server(str(event["address"]), process, str(database))
        raise AssertionError(f"the server did not start: exit {process.wait()}")

    yield start
    for process in running:
        process.kill()
        process.wait(timeout=20)
        assert process.stdout is not None
        process.stdout.close()


CONFIG = """\
$schema: schemas/envsync.schema.json
format: 1
project: acme
contexts:
  local: {{server: embedded}}
  remote: {{server: '{address}', key: 'env:NYLORUN_SERVER_KEY'}}
  guarded: {{server: '{address}', key: 'env:NYLORUN_SERVER_KEY', protected: true}}
default_context: {default}
"""


@pytest.fixture
def make_repository(tmp_path: Path, environ: dict[str, str]) -> Callable[..., Repository]:
    """A small repository: ``manifests`` maps names to what stands below ``$schema``."""

    def make(
        manifests: dict[str, str], address: str = "http://127.0.0.1:9", folder: str = "repository"
    ) -> Repository:
        repository = Repository(tmp_path / folder, environ)
        default = "local" if address.endswith(":9") else "remote"
        repository.write("envsync.yaml", CONFIG.format(address=address, default=default))
        for name, text in manifests.items():
            repository.write(f"manifests/{name}.yaml", text)
        repository.git("init", "-q", "-b", "main")
        repository.commit("First")
        return repository

    return make
