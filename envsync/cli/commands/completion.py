"""completion: a script for the shell."""

from __future__ import annotations

from envsync.cli.arguments import Arguments
from envsync.cli.completion import SCRIPTS
from envsync.cli.console import Console
from envsync.errors import ExitCode


def run(arguments: Arguments, console: Console) -> ExitCode:
    console.data(SCRIPTS[arguments.required("shell")]())
    return ExitCode.DONE
