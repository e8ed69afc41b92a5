from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class RunningServer:
    """A server in a process of its own. ``key`` is its first application key."""

    address: str
    key: str


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningServer]:
    command = [sys.executable, "-m", "envsync.server", "--port", "0"]
    command += ["--database", str(tmp_path / "server.db"), "--access-log", str(tmp_path / "log")]
    with (tmp_path / "errors").open("wb") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors)
    try:
        assert process.stdout is not None
        key = address = ""
        while not address:
            line = process.stdout.readline()
            assert line, (tmp_path / "errors").read_text()
            event = json.loads(line)
            key = event.get("key", key)
            address = event.get("address", "")
        yield RunningServer(address, key)
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()
