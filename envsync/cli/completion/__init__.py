"""Scripts that teach a shell to complete envsync. Made from the command table."""

from __future__ import annotations

from collections.abc import Callable

from envsync.cli.completion.bash import bash
from envsync.cli.completion.fish import fish
from envsync.cli.completion.zsh import zsh

SCRIPTS: dict[str, Callable[[], str]] = {"bash": bash, "zsh": zsh, "fish": fish}
"""Each gives the script's text."""
