"""What a person sees while a command works, and what it noticed on the way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from envsync.cli import places
from envsync.cli.console import Console
from envsync.errors import Problem
from envsync.rendering.problems import problem_lines
from envsync.rendering.text import EMPTY, line, quiet


@contextmanager
def working(console: Console, what: str) -> Iterator[None]:
    """Shows ``what`` on a terminal until the block ends."""
    console.progress(line(quiet(f"{what} ...")))
    try:
        yield
    finally:
        console.clear_progress()


def warn(console: Console, problems: tuple[Problem, ...], root: Path) -> None:
    """Prints warnings on stderr, whatever the output: a plan file has no place for them."""
    if problems:
        console.err([*problem_lines(problems, places.sources(root), console.width), EMPTY])
