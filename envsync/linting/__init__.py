"""What a valid file may still do wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from envsync.errors import Problem
    from envsync.resources.sources import Source


def lint(source: Source) -> tuple[Problem, ...]:
    """The findings of one source. The rules are imported when there is a file to judge: where the
    cache knows every file, there is none."""
    from envsync.linting.linter import lint as judge

    return tuple(judge(source))
