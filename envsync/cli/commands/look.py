"""diff, history and show: one object looked at closely."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from envsync.cli import places
from envsync.cli.arguments import Arguments
from envsync.cli.console import Console
from envsync.errors import ExitCode
from envsync.operations import looking
from envsync.operations.history import history
from envsync.rendering import timeline, versions


def run_diff(arguments: Arguments, console: Console) -> ExitCode:
    workspace = places.workspace(arguments, console)
    report = asyncio.run(looking.diff(workspace, arguments.required("name")))
    if console.is_json:
        console.data(versions.diff_json(report))
    else:
        console.out(versions.diff_lines(report, console.width))
    return ExitCode.DONE


def run_history(arguments: Arguments, console: Console) -> ExitCode:
    workspace = places.workspace(arguments, console)
    report = asyncio.run(history(workspace, arguments.required("name")))
    if console.is_json:
        console.data(timeline.history_json(report))
    else:
        console.out(timeline.history_lines(report, datetime.now(UTC), console.fixed_width))
    return ExitCode.DONE


def run_show(arguments: Arguments, console: Console) -> ExitCode:
    workspace = places.workspace(arguments, console)
    report = asyncio.run(looking.show(workspace, arguments.required("name")))
    if console.is_json:
        console.data(versions.show_json(report))
    else:
        console.out(versions.show_lines(report, datetime.now(UTC)))
    return ExitCode.DONE
