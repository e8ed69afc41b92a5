"""schema export and check."""

from __future__ import annotations

from pathlib import Path

from envsync.cli import failures, places
from envsync.cli.arguments import Arguments
from envsync.cli.console import Console
from envsync.errors import EnvsyncError, ExitCode
from envsync.operations import schemas
from envsync.rendering.json_output import json_text
from envsync.rendering.text import counted, line, quiet


def run_export(arguments: Arguments, console: Console) -> ExitCode:
    folder = _folder(arguments)
    try:
        written, kept = schemas.export(folder)
    except OSError as error:
        raise EnvsyncError(
            "E910",
            f"the schemas could not be written into {folder}: {error.strerror or error}",
            remedy="name another folder",
        ) from error
    if console.is_json:
        console.data(json_text({"folder": str(folder), "written": written, "kept": kept}))
        return ExitCode.DONE
    rows = [line(f"  + {name}") for name in written]
    rows += [line(quiet(f"  = {name}")) for name in kept]
    said = f"wrote {counted(len(written), 'schema')}" if written else "everything is current"
    console.out([*rows, line(f"{said} in {folder}")])
    return ExitCode.DONE


def run_check(arguments: Arguments, console: Console) -> ExitCode:
    folder = _folder(arguments)
    given = arguments.text("dir")
    problems = schemas.check(folder, given.rstrip("/") if given else "schemas")
    if problems:
        failures.print_problems(console, problems)
        return ExitCode.ERROR
    if console.is_json:
        console.data(json_text({"problems": []}))
    else:
        console.out([line(f"current: the schemas in {folder} are this version's")])
    return ExitCode.DONE


def _folder(arguments: Arguments) -> Path:
    """The folder that was named, or the repository's own."""
    given = arguments.text("dir")
    if given is not None:
        return places.start(arguments) / given
    from envsync.project.config import find_root

    return find_root(places.start(arguments)) / "schemas"
