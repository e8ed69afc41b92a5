"""Commands of the embedded server."""

from __future__ import annotations

from envsync.cli.command import Command

GROUP = "Run a server"

_MODULE = "envsync.cli.commands.serve"

SERVING: tuple[Command, ...] = ()
