"""What a command prints when it can't do what was asked: never a traceback by itself."""

from __future__ import annotations

import sys

from envsync.cli.console import Console
from envsync.errors import EnvsyncError, ExitCode, Problem
from envsync.rendering.problems import ReadSource, no_source, problem_counts, problem_lines
from envsync.rendering.text import EMPTY, Line, counted, line


def report(
    console: Console, error: EnvsyncError, *, verbose: bool, read: ReadSource = no_source
) -> ExitCode:
    """Prints ``error`` in the format that was asked for, and gives its exit code."""
    print_problems(console, error.problems, read)
    if verbose:
        console.err_text("\n" + _traceback(error))
    return error.exit_code


def print_problems(
    console: Console, problems: tuple[Problem, ...], read: ReadSource = no_source
) -> None:
    """Problems as the command's whole result: on stdout for programs, on stderr for people."""
    if console.output == "json":
        from envsync.rendering.json_output import json_text, problem_json

        console.data(json_text({"problems": [problem_json(problem) for problem in problems]}))
    elif console.output == "sarif":
        from envsync.rendering.sarif import sarif_text

        console.data(sarif_text(problems))
    elif console.output == "github":
        from envsync.rendering.workflow_commands import workflow_commands

        console.data(workflow_commands(problems))
    elif console.output == "markdown":
        from envsync.rendering.problems_markdown import problems_markdown

        console.data(problems_markdown(problems))
    if console.output == "text" or (console.err_is_terminal and not console.out_is_terminal):
        console.err([*problem_lines(problems, read, console.width), *_count_lines(problems)])


def _count_lines(problems: tuple[Problem, ...]) -> list[Line]:
    """How many there are, where one doesn't see it at a glance."""
    if len(problems) < 2:
        return []
    errors = sum(problem.is_error for problem in problems)
    files = len({problem.position.path for problem in problems if problem.position})
    where = f" in {counted(files, 'file')}" if files else ""
    return [EMPTY, line(problem_counts(errors, len(problems) - errors), where)]


def report_bug(console: Console, error: BaseException, *, verbose: bool) -> ExitCode:
    """Prints what a person can do about a mistake in this program."""
    from envsync import __version__

    python = ".".join(map(str, sys.version_info[:3]))
    remedy = "this is a mistake in envsync, not in your files\n"
    if verbose:
        remedy += "please report it to whoever gave you envsync, with the traceback below\n"
    else:
        remedy += (
            "please report it to whoever gave you envsync, with the output of the same\n"
            "command and -v, which adds a traceback\n"
        )
    remedy += f"envsync {__version__}, Python {python} on {sys.platform}"
    problem = Problem("E999", f"envsync met a bug: {type(error).__name__}: {error}", remedy=remedy)
    print_problems(console, (problem,))
    if verbose:
        console.err_text("\n" + _traceback(error))
    return ExitCode.ERROR


def _traceback(error: BaseException) -> str:
    import traceback

    from envsync.rendering.escape import visible_lines

    text = "".join(traceback.format_exception(error))
    return "\n".join(visible_lines(text))
