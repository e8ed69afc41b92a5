"""What a shell can complete, told from the command table."""

from __future__ import annotations

from collections.abc import Iterator

from envsync.cli.command import GLOBALS, Argument, Command, Option
from envsync.cli.table import COMMANDS, FAMILIES
from envsync.cli.value import replace

ASKED = frozenset({"context", "manifest", "code"})
"""What only a look at the repository can tell: the scripts ask ``envsync __complete KIND``."""


def options_of(command: Command) -> tuple[Option, ...]:
    """The options of ``command``; the formats are its own."""
    found = []
    for option in (*command.options, *GLOBALS):
        if option.name != "output":
            found.append(option)
        elif command.formats:
            found.append(replace(option, choices=command.formats))
    return tuple(found)


def first_words() -> dict[str, str]:
    """Each first word with its summary."""
    words: dict[str, str] = {}
    for command in COMMANDS:
        word = command.words[0]
        words.setdefault(word, FAMILIES.get(word, command.summary))
    return words


def next_words() -> dict[str, dict[str, str]]:
    """For each beginning of a command's name, the words that may follow, with summaries."""
    words: dict[str, dict[str, str]] = {}
    for command in COMMANDS:
        for size in range(1, len(command.words)):
            begun = " ".join(command.words[:size])
            name = " ".join(command.words[: size + 1])
            words.setdefault(begun, {}).setdefault(
                command.words[size], FAMILIES.get(name, command.summary)
            )
    return words


def valued_globals() -> list[str]:
    return [flag for option in GLOBALS if option.takes_value for flag in option.flags]


def flags(options: tuple[Option, ...]) -> list[str]:
    return [flag for option in options for flag in option.flags]


def option_values() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """For each option with a value: a pattern of command and option, and what to offer."""
    for command in COMMANDS:
        for option in options_of(command):
            if option.takes_value and option not in GLOBALS:
                for flag in option.flags:
                    yield f'"{command.name}:{flag}"', option.completes, option.choices
    for option in GLOBALS:
        if option.takes_value:
            for flag in option.flags:
                yield f'*":{flag}"', option.completes, option.choices


def positionals() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """For each command with something to offer for its first argument: what that is."""
    for command in COMMANDS:
        for argument in command.arguments[:1]:
            kind, choices = _offer(argument)
            if kind or choices:
                yield command.name, kind, choices


def _offer(argument: Argument) -> tuple[str, tuple[str, ...]]:
    if argument.completes == "command":
        return "", tuple(first_words())
    return argument.completes, argument.choices
