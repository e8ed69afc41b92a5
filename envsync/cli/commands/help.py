"""help: the overview, or a command's page."""

from __future__ import annotations

from envsync.cli import help as pages
from envsync.cli.arguments import Arguments
from envsync.cli.console import Console
from envsync.cli.invocation import close_commands
from envsync.cli.table import below, find
from envsync.errors import ExitCode, UsageError


def run(arguments: Arguments, console: Console) -> ExitCode:
    """Prints the overview without a name, a page otherwise."""
    words = arguments.several("command")
    command = find(words)
    if not words:
        console.data(pages.overview())
    elif command is not None:
        console.data(pages.page(command))
    elif below(words):
        console.data(pages.family_page(words))
    else:
        close = close_commands(" ".join(words))
        raise UsageError(
            "E901",
            f"there is no command `{' '.join(words)}`",
            remedy=f"did you mean `envsync help {close[0]}`?" if close else "see: envsync --help",
        )
    return ExitCode.DONE
