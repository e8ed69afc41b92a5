"""Start-up: `envsync --version`, `--help` and an embedded `status`, beside a bare Python."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from benchmarks.material import ROOT, commit_all
from benchmarks.serving import ENVSYNC
from benchmarks.timing import Command, side_by_side


def run(folder: Path, runs: int) -> dict[str, object]:
    repository = folder / "sample"
    shutil.rmtree(repository, ignore_errors=True)
    shutil.copytree(ROOT / "sample-repo", repository)
    commit_all(repository)
    local = ["--context", "local"]
    once = Command("apply", [ENVSYNC, "apply", "--yes", *local], repository)
    side_by_side([once], 1, 0)
    commands = [
        Command("bare python", [sys.executable, "-c", "pass"], folder),
        Command("--version", [ENVSYNC, "--version"], folder),
        Command("--help", [ENVSYNC, "--help"], folder),
        Command("status, embedded", [ENVSYNC, "status", *local], repository),
    ]
    figures = side_by_side(commands, max(runs, 7))
    bare = figures["bare python"].wall_median
    return {
        "figures": {name: value.as_json() for name, value in figures.items()},
        "times a bare python": {
            name: round(value.wall_median / bare, 2) for name, value in figures.items()
        },
        "targets": {"--version": 3, "--help": 3, "status, embedded": 20},
    }
