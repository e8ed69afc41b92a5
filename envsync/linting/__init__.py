"""What a valid file may still do wrong."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from envsync.errors import Problem
    from envsync.resources.sources import Source


def lint(source: Source) -> list[Problem]:
    """The findings of one source. The rules are imported when there is a file to judge: where the
    cache knows every file, there is none."""
    return _rules()(source)


@cache
def _rules() -> Callable[[Source], list[Problem]]:
    from envsync.linting.linter import lint as judge

    return judge
