"""A server of ours in a process of its own, and what it takes to talk to it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.material import ROOT

ENVSYNC = str(Path(sys.executable).parent / "envsync")
KEY = "b" * 64


@dataclass(frozen=True, slots=True)
class Server:
    address: str
    pid: int


@contextmanager
def server(database: str) -> Iterator[Server]:
    """``envsync serve`` on a free loopback port; ended by its process id."""
    key_file = Path(database.removeprefix("sqlite:")).with_suffix(".key")
    if "://" in database:
        key_file = Path(os.environ.get("TMPDIR", "/tmp")) / f"envsync-bench-{os.getpid()}.key"
    key_file.write_text(KEY)
    key_file.chmod(0o600)
    process = subprocess.Popen(
        [sys.executable, "-m", "envsync.server", "--database", database, "--port", "0",
         "--key-file", str(key_file), "--access-log", "/dev/null"],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        for line in process.stdout:
            event = json.loads(line)
            if event.get("event") == "listening":
                yield Server(event["address"], process.pid)
                break
    finally:
        process.terminate()
        process.wait(timeout=20)
        process.stdout.close()
        key_file.unlink(missing_ok=True)
