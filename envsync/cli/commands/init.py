"""init: make a folder an envsync repository."""

from __future__ import annotations

from envsync.cli import places
from envsync.cli.arguments import Arguments
from envsync.cli.console import Console
from envsync.errors import EnvsyncError, ExitCode
from envsync.operations.initialising import initialise
from envsync.rendering.machine import init_json, init_lines


def run(arguments: Arguments, console: Console) -> ExitCode:
    root = places.start(arguments) / (arguments.text("dir") or ".")
    try:
        report = initialise(root.resolve(), project=arguments.text("project") or "")
    except OSError as error:
        raise EnvsyncError(
            "E910",
            f"{error.filename or root} could not be written: {error.strerror or error}",
            remedy="check the folder's permissions; running it again goes on from there",
        ) from error
    if console.is_json:
        console.data(init_json(report))
    else:
        console.out(init_lines(report))
    return ExitCode.DONE
