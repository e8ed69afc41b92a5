"""status: one row an object."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from envsync.cli import choosing, places
from envsync.cli.arguments import Arguments
from envsync.cli.console import Console
from envsync.cli.working import warn, working
from envsync.errors import ExitCode
from envsync.operations.status import status
from envsync.rendering.status_report import status_json, status_lines


def run(arguments: Arguments, console: Console) -> ExitCode:
    """Prints the state of every object that was asked for."""
    workspace = places.workspace(arguments, console)
    options = choosing.plan_options(arguments, workspace.project.root)
    with working(console, f"comparing with {workspace.context.name}"):
        report = asyncio.run(status(workspace, options))
    if console.is_json:
        console.data(status_json(report))
    else:
        warn(console, report.problems, workspace.project.root)
        console.out(status_lines(report, datetime.now(UTC), console.fixed_width))
    return ExitCode.DONE
