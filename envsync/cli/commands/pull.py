"""pull and rollback: write into the files what the server holds."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from envsync.cli import places
from envsync.cli.arguments import Arguments
from envsync.cli.console import Console
from envsync.cli.working import warn, working
from envsync.errors import ExitCode
from envsync.operations import adopting
from envsync.operations.adopting import AdoptOptions
from envsync.operations.pulled import PullReport
from envsync.operations.workspace import Workspace


def run(arguments: Arguments, console: Console) -> ExitCode:
    """Prints what changed; the files are written by then."""
    workspace = places.workspace(arguments, console)
    options = AdoptOptions(
        dry_run=arguments.flag("dry_run"),
        prune_files=arguments.flag("prune_files"),
        allow_dirty=arguments.flag("allow_dirty"),
    )
    with working(console, f"pulling from {workspace.context.name}"):
        report = asyncio.run(adopting.pull(workspace, arguments.several("names"), options))
    return _print(report, workspace, console)


def run_rollback(arguments: Arguments, console: Console) -> ExitCode:
    workspace = places.workspace(arguments, console)
    options = AdoptOptions(
        dry_run=arguments.flag("dry_run"), allow_dirty=arguments.flag("allow_dirty")
    )
    with working(console, f"reading from {workspace.context.name}"):
        report = asyncio.run(adopting.rollback(workspace, arguments.required("name"), options))
    return _print(report, workspace, console)


def _print(report: PullReport, workspace: Workspace, console: Console) -> ExitCode:
    from envsync.rendering.pulled import pull_json, pull_lines

    warn(console, report.problems, workspace.project.root)
    if console.is_json:
        console.data(pull_json(report))
    else:
        console.out(pull_lines(report, datetime.now(UTC)))
    return report.exit_code
