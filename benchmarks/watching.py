"""`envsync watch`: from a save to the fresh plan, and what it costs to do nothing."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import time
from pathlib import Path

from benchmarks.material import commit_all, repository
from benchmarks.planning import edit, fresh
from benchmarks.serving import ENVSYNC, KEY, server

COUNT = 2_000
SAVES = 15
IDLE_SECONDS = 30
SETTLE_SECONDS = 70
"""After an event the watch is livelier for a minute, and asks the server more often."""


def run(folder: Path, runs: int) -> dict[str, object]:
    environ = {"ENVSYNC_BENCH_KEY": KEY, "XDG_CACHE_HOME": str(folder / "cache")}
    with server(fresh(folder / "watch.db")) as running:
        repo = repository(folder / "watch", COUNT, running.address)
        commit_all(repo)
        subprocess.run(
            [ENVSYNC, "apply", "--yes"],
            cwd=repo,
            env={**os.environ, **environ},
            check=True,
            stdout=subprocess.DEVNULL,
        )
        with Watching(repo, environ) as watching:
            saved = [watching.save() for _ in range(max(SAVES, runs))]
            idle = watching.idle()
    milliseconds = [round(each * 1000) for each in saved]
    return {
        "manifests": COUNT,
        "save to fresh plan, ms": {
            "median": statistics.median(milliseconds),
            "worst": max(milliseconds),
            "all": milliseconds,
        },
        "idle, percent of a core": round(idle, 3),
        "targets": {"save to fresh plan, ms": 300, "idle, percent of a core": 0.5},
    }


class Watching:
    """A watch in its own process, and a file of its repository that is saved again and again."""

    def __init__(self, repo: Path, environ: dict[str, str]) -> None:
        self._file = repo / "manifests" / "service-01000.yaml"
        self._text = self._file.read_text()
        self._saves = 0
        self._process = subprocess.Popen(
            [ENVSYNC, "watch", "--output", "json"],
            cwd=repo,
            env={**os.environ, **environ},
            stdout=subprocess.PIPE,
        )

    def __enter__(self) -> Watching:
        self._until_planned()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(timeout=20)
        assert self._process.stdout is not None
        self._process.stdout.close()

    def save(self) -> float:
        """Seconds from the save to the plan."""
        self._saves += 1
        started = time.perf_counter()
        edit(self._file, self._text.replace("timeout: 20m", f"timeout: {20 + self._saves}m"))
        self._until_planned()
        return time.perf_counter() - started

    def idle(self) -> float:
        """The share of a core, in percent, that it takes while nothing happens."""
        time.sleep(SETTLE_SECONDS)
        before = self._processor_seconds()
        time.sleep(IDLE_SECONDS)
        return (self._processor_seconds() - before) / IDLE_SECONDS * 100

    def _until_planned(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if json.loads(line)["event"] == "planned":
                return
        raise RuntimeError(f"the watch ended: exit {self._process.wait()}")

    def _processor_seconds(self) -> float:
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
