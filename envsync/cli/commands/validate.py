"""validate: check the files, offline."""

from __future__ import annotations

from envsync.cli import failures, places
from envsync.cli.arguments import Arguments
from envsync.cli.console import Console
from envsync.cli.working import working
from envsync.errors import ExitCode
from envsync.operations.reports import ValidationReport
from envsync.operations.validating import validate
from envsync.rendering.problems import problem_lines
from envsync.rendering.text import EMPTY
from envsync.rendering.validation import validation_json, verdict_lines


def run(arguments: Arguments, console: Console) -> ExitCode:
    """Prints every problem. For people the findings are the data, so they go to stdout."""
    project = places.project(arguments)
    context = arguments.text("context")
    contexts = (places.known_context(project, context),) if context else ()
    paths = places.selected(arguments, project.root)
    with working(console, "validating"):
        report = validate(project, paths, contexts=contexts, cache=not arguments.flag("no_cache"))
    if console.output == "text":
        _print_text(report, console, places.sources(project.root))
    elif console.is_json:
        console.data(validation_json(report))
    else:
        failures.print_problems(console, report.problems)
    return report.exit_code


def _print_text(report: ValidationReport, console: Console, read: places.ReadSource) -> None:
    rows = problem_lines(report.problems, read, console.width)
    console.out([*rows, *([EMPTY] if rows else []), *verdict_lines(report)])
