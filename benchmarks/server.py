"""The server: GET and PUT a second with 1, 32 and 128 clients, on SQLite and PostgreSQL, beside
a bare ASGI ping under the same uvicorn."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.material import ROOT
from benchmarks.planning import fresh
from benchmarks.serving import KEY, server

CLIENTS = (1, 32, 128)


def run(folder: Path, runs: int, postgresql: str | None) -> dict[str, object]:
    del runs  # a figure is already the mean of thousands of requests
    result: dict[str, object] = {}
    with ping() as port:
        result["bare ASGI ping"] = {str(n): loaded(port, "ping", n, 10_000) for n in CLIENTS}
    with server(fresh(folder / "load.db")) as running:
        result["SQLite"] = both(int(running.address.rpartition(":")[2]))
    if postgresql is None:
        result["PostgreSQL"] = "not measured: no PostgreSQL on this machine"
    else:
        with server(postgresql) as running:
            result["PostgreSQL"] = both(int(running.address.rpartition(":")[2]))
    return result


def both(port: int) -> dict[str, object]:
    puts = {str(n): loaded(port, "put", n, 500 if n == 1 else 5_000) for n in CLIENTS}
    gets = {str(n): loaded(port, "get", n, 5_000) for n in CLIENTS}
    return {"PUT a second": puts, "GET a second": gets}


def loaded(port: int, what: str, clients: int, total: int) -> dict[str, float]:
    arguments = [str(port), KEY, what, str(clients), str(total)]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.load", *arguments],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    answer: dict[str, float] = json.loads(done.stdout)
    return answer


@contextmanager
def ping() -> Iterator[int]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "uvicorn", "benchmarks.ping:app", "--port", str(port),
         "--no-access-log", "--log-level", "error"],
        cwd=ROOT,
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            with socket.socket() as attempt:
                if attempt.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield port
    finally:
        process.terminate()
        process.wait(timeout=20)
