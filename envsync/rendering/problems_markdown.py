"""Problems as Markdown, for a comment or a job summary where there is no plan to show."""

from __future__ import annotations

from collections.abc import Sequence

from envsync.errors import Problem
from envsync.rendering.escape import markdown, markdown_block, markdown_code, visible_lines
from envsync.rendering.problems import problem_counts

SHOWN = 50
"""More problems than this are counted, not shown: a comment has a size."""


def problems_markdown(problems: Sequence[Problem]) -> str:
    """A verdict, then one bullet a problem."""
    errors = sum(problem.is_error for problem in problems)
    counts = problem_counts(errors, len(problems) - errors)
    lines = [f"### envsync: {counts}", ""]
    for problem in problems[:SHOWN]:
        lines += problem_markdown(problem)
    if len(problems) > SHOWN:
        lines.append(f"- {len(problems) - SHOWN} more, not shown here")
    return "\n".join(lines) + "\n"


def problem_markdown(problem: Problem) -> list[str]:
    """One bullet, with the way out below it."""
    where = f" at {markdown_code(str(problem.position))}" if problem.position else ""
    subject = f"{markdown_code(problem.subject)}: " if problem.subject else ""
    head = f"- **{problem.severity.value}** `{problem.code}`{where}: "
    rows = [head + subject + markdown(problem.message)]
    details = [part for part in (problem.label, problem.remedy) if part]
    for detail in details:
        lines = visible_lines(detail.rstrip("\n"))
        if len(lines) == 1:
            rows.append(f"  <br>{markdown(lines[0])}")
        else:
            rows += ["", *(f"  {text}" for text in markdown_block(lines).split("\n"))]
    return rows
