"""plan: what apply would change."""

from __future__ import annotations

import asyncio
from pathlib import Path

from envsync.applying.exit_code import plan_exit_code
from envsync.cli import choosing, places
from envsync.cli.arguments import Arguments
from envsync.cli.console import Console
from envsync.cli.working import warn, working
from envsync.errors import ExitCode
from envsync.operations import offline, planning
from envsync.operations.reports import PlanReport
from envsync.planning.file import dump
from envsync.rendering.escape import visible_json


def run(arguments: Arguments, console: Console) -> ExitCode:
    """Prints the plan, and saves it where ``-o`` says."""
    workspace = places.workspace(arguments, console)
    options = choosing.changing_options(arguments, workspace.project.root)
    revision = arguments.text("offline")
    with working(console, f"planning for {workspace.context.name}"):
        if revision is None:
            report = asyncio.run(planning.plan(workspace, options))
        else:
            report = offline.plan_offline(workspace, revision, options)
    target = arguments.text("out")
    if target is not None:
        save(places.start(arguments) / target, report)
    warn(console, report.problems, workspace.project.root)
    _print(report, console, target or "")
    return plan_exit_code(report.plan, detailed=arguments.flag("detailed_exitcode"))


def save(target: Path, report: PlanReport) -> None:
    """Writes the plan file. Raises ``FileError`` when that can't be done."""
    from envsync.documents.writing import write_atomically

    write_atomically(target, dump(report.plan))


def _print(report: PlanReport, console: Console, saved: str) -> None:
    if console.is_json:
        console.data(visible_json(dump(report.plan).decode()))
    elif console.output == "markdown":
        from envsync.rendering.plan_markdown import plan_markdown

        console.data(plan_markdown(report))
    else:
        from envsync.rendering.plan_text import plan_lines

        console.out(plan_lines(report, console.width, saved))
