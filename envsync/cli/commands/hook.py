"""hook: what Git runs for envsync in this clone."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from envsync.cli import places
from envsync.cli.arguments import Arguments
from envsync.cli.console import Console
from envsync.errors import EnvsyncError, ExitCode
from envsync.operations import hooking
from envsync.project.hook_script import PRE_COMMIT
from envsync.rendering.hook_reports import (
    hooks_json,
    hooks_table,
    installed_lines,
    uninstalled_lines,
)


def run_install(arguments: Arguments, console: Console) -> ExitCode:
    """Installs one hook; doing it again changes nothing."""
    project = places.project(arguments)
    type_ = arguments.text("type") or PRE_COMMIT
    try:
        report = hooking.install(project, type_, arguments.text("context"), _program())
    except OSError as error:
        raise _unwritable(error) from error
    if console.is_json:
        console.data(hooks_json((report,)))
    else:
        console.out(installed_lines(report))
    return ExitCode.DONE


def run_uninstall(arguments: Arguments, console: Console) -> ExitCode:
    """Takes one hook away, or all of them."""
    try:
        reports = hooking.uninstall(places.project(arguments), arguments.text("type"))
    except OSError as error:
        raise _unwritable(error) from error
    if console.is_json:
        console.data(hooks_json(reports))
    else:
        console.out(uninstalled_lines(reports))
    return ExitCode.DONE


def run_status(arguments: Arguments, console: Console) -> ExitCode:
    """One row a hook."""
    reports = hooking.status(places.project(arguments), arguments.text("type"))
    if console.is_json:
        console.data(hooks_json(reports))
    else:
        console.out(hooks_table(reports, console.fixed_width))
    return ExitCode.DONE


def _unwritable(error: OSError) -> EnvsyncError:
    return EnvsyncError(
        "E910",
        f"{error.filename} could not be written: {error.strerror or error}",
        remedy="check the permissions of the hooks folder; running it again goes on from there",
    )


def _program() -> str:
    """The command that this is, as a path that holds outside of this shell."""
    called = Path(sys.argv[0])
    beside = Path(sys.executable).parent / "envsync"
    found = shutil.which("envsync")
    for place in (called, beside, *([Path(found)] if found else [])):
        if place.stem == "envsync" and place.is_file() and os.access(place, os.X_OK):
            return place.absolute().as_posix()
    return "envsync"
