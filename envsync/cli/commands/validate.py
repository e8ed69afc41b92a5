"""validate: check the files, offline; or what is staged."""

from __future__ import annotations

from pathlib import Path

from envsync.cli import failures, places
from envsync.cli.arguments import Arguments
from envsync.cli.console import Console
from envsync.cli.working import working
from envsync.errors import ExitCode, FileError
from envsync.operations.reports import ValidationReport
from envsync.operations.validating import validate
from envsync.project.config import Project
from envsync.rendering.problems import problem_lines
from envsync.rendering.text import EMPTY, line
from envsync.rendering.validation import validation_json, verdict_lines


def run(arguments: Arguments, console: Console) -> ExitCode:
    """Prints every problem. For people the findings are the data, so they go to stdout."""
    if arguments.flag("staged"):
        return _staged(arguments, console)
    return _check(places.project(arguments), arguments, console)


def _check(project: Project, arguments: Arguments, console: Console) -> ExitCode:
    context = arguments.text("context")
    contexts = (places.known_context(project, context),) if context else ()
    paths = places.selected(arguments, project.home)
    with working(console, "validating"):
        report = validate(project, paths, contexts=contexts, cache=not arguments.flag("no_cache"))
    if console.output == "text":
        _print_text(report, console, places.sources(project.root))
    elif console.is_json:
        console.data(validation_json(report))
    else:
        failures.print_problems(console, report.problems)
    return report.exit_code


def _staged(arguments: Arguments, console: Console) -> ExitCode:
    """What the next commit would say. Excerpts are of what is staged, too."""
    from envsync.project.staged import at_index

    with at_index(_root(arguments), console.environ) as staged:
        if staged is not None:
            try:
                return _check(staged.project(), arguments, console)
            except FileError as error:
                verbose = arguments.flag("verbose")
                read = places.sources(staged.folder)
                return failures.report(console, error, verbose=verbose, read=read)
    if console.output == "text":
        console.out([line("No envsync.yaml is staged, so that there is nothing to check.")])
    elif console.is_json:
        console.data(validation_json(ValidationReport((), 0, 0, 0, 0.0)))
    else:
        failures.print_problems(console, ())
    return ExitCode.DONE


def _root(arguments: Arguments) -> Path:
    """The folder of envsync.yaml, which may be staged and gone from the working tree."""
    from envsync.project.config import find_root

    start = places.start(arguments)
    try:
        return find_root(start)
    except FileError:
        return start.absolute()


def _print_text(report: ValidationReport, console: Console, read: places.ReadSource) -> None:
    rows = problem_lines(report.problems, read, console.width)
    console.out([*rows, *([EMPTY] if rows else []), *verdict_lines(report)])
