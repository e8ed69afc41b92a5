"""How long a whole process takes: wall, processor and memory, over several runs in turn."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Run:
    wall: float
    cpu: float
    peak_mib: float
    code: int


@dataclass(frozen=True, slots=True)
class Command:
    """``before`` runs ahead of every timed run and is not counted."""

    name: str
    arguments: Sequence[str]
    cwd: Path
    environ: Mapping[str, str] | None = None
    before: Callable[[], None] | None = None
    expect: tuple[int, ...] = (0,)


@dataclass(frozen=True, slots=True)
class Figures:
    """Seconds and MiB; the median of ``runs`` runs, with the least and the most."""

    runs: int
    wall_median: float
    wall_min: float
    wall_max: float
    cpu_median: float
    peak_mib: float

    def as_json(self) -> dict[str, float]:
        return {name: round(value, 4) for name, value in asdict(self).items()}


def run_once(command: Command) -> Run:
    if command.before is not None:
        command.before()
    with Path(os.devnull).open("wb") as sink:
        started = time.perf_counter()
        process = subprocess.Popen(
            list(command.arguments),
            cwd=command.cwd,
            env=None if command.environ is None else {**os.environ, **command.environ},
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.PIPE,
        )
        assert process.stderr is not None
        words = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.stderr.close()
    code = os.waitstatus_to_exitcode(status)
    process.returncode = code
    if code not in command.expect:
        raise RuntimeError(f"{command.name} exited {code}: {words.decode(errors='replace')[-800:]}")
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, code)


def side_by_side(commands: Sequence[Command], runs: int, warm_up: int = 1) -> dict[str, Figures]:
    """Runs the commands in turn (A B C, A B C ...), so that a drift of the machine hits all."""
    taken: dict[str, list[Run]] = {command.name: [] for command in commands}
    for turn in range(warm_up + runs):
        for command in commands:
            result = run_once(command)
            if turn >= warm_up:
                taken[command.name].append(result)
    return {name: figures(results) for name, results in taken.items()}


def figures(results: Sequence[Run]) -> Figures:
    walls = [result.wall for result in results]
    return Figures(
        len(results),
        statistics.median(walls),
        min(walls),
        max(walls),
        statistics.median(result.cpu for result in results),
        max(result.peak_mib for result in results),
    )
