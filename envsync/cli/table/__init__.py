"""The one table of commands: help, parser, reference pages and completion are made from it."""

from __future__ import annotations

from envsync.cli.command import Command
from envsync.cli.table.adopting import ADOPTING
from envsync.cli.table.changing import CHANGING
from envsync.cli.table.committing import HOOKS, SYNCING
from envsync.cli.table.looking import LOOKING
from envsync.cli.table.serving import SERVING
from envsync.cli.table.setting_up import SETTING_UP
from envsync.cli.table.starting import STARTING
from envsync.cli.table.watching import WATCHING

COMMANDS: tuple[Command, ...] = (
    *STARTING,
    *CHANGING,
    *WATCHING,
    *SYNCING,
    *ADOPTING,
    *LOOKING,
    *SERVING,
    *HOOKS,
    *SETTING_UP,
)
"""In the order of the help."""

FAMILIES = {
    "context": "list contexts, choose one for this clone",
    "serve": "the embedded server behind a port; its keys and backups",
    "serve keys": "make, list, rotate and delete keys",
    "hook": "let Git check each commit, or apply after it",
    "schema": "write or check the repository's JSON Schemas",
}
"""What is said of a beginning that several commands share."""


def find(words: tuple[str, ...]) -> Command | None:
    """The command that is called exactly ``words``."""
    return next((command for command in COMMANDS if command.words == words), None)


def below(words: tuple[str, ...]) -> tuple[Command, ...]:
    """The commands whose names begin with ``words`` and go on."""
    size = len(words)
    return tuple(
        command
        for command in COMMANDS
        if command.words[:size] == words and len(command.words) > size
    )
