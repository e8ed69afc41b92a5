"""Problems as GitHub workflow commands, which become annotations beside the changed lines."""

from __future__ import annotations

from collections.abc import Sequence

from envsync.errors import Position, Problem
from envsync.rendering import escape


def workflow_commands(problems: Sequence[Problem]) -> str:
    """One ``::error`` or ``::warning`` command a problem, each on one line."""
    return "".join(_command(problem) + "\n" for problem in problems)


def _command(problem: Problem) -> str:
    properties = _place(problem.position) if problem.position else []
    properties.append(f"title={escape.workflow_property(f'envsync {problem.code}')}")
    return f"::{problem.severity.value} {','.join(properties)}::{_message(problem)}"


def _place(position: Position) -> list[str]:
    """GitHub takes a column only together with a range on one line; ends are inclusive there."""
    properties = [
        f"file={escape.workflow_property(position.path)}",
        f"line={position.line}",
        f"col={position.column}",
    ]
    if position.end_line == position.line and position.end_column is not None:
        properties.append(f"endColumn={max(position.column, position.end_column - 1)}")
    return properties


def _message(problem: Problem) -> str:
    subject = f"{problem.subject}: " if problem.subject else ""
    parts = [f"{subject}{problem.message}", problem.label, problem.remedy]
    parts += [f"{label}: {position}" for position, label in problem.related]
    return escape.workflow_value("\n".join(part for part in parts if part))
