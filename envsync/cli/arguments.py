"""The values of a command line, typed; read from the words by argparse."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import NoReturn

from envsync.cli.command import GLOBALS, Argument, Command, Option
from envsync.errors import UsageError

_LITERAL = "\x00"
"""Begins a stand-in for a word behind ``--``, which argparse would lose when options and
arguments are mixed. No command line can hold it."""


class Arguments:
    """What was given. Names are those of the table: ``detailed_exitcode``, ``paths``."""

    def __init__(self, command: Command, values: Mapping[str, object]) -> None:
        self.command = command
        self._values = values

    def text(self, name: str) -> str | None:
        """The value of an option or argument; ``None`` when it wasn't given."""
        value = self._values[name]
        return None if value is None else str(value)

    def required(self, name: str) -> str:
        """The value of an argument that is always there."""
        return str(self._values[name])

    def given(self, name: str) -> bool:
        """Whether an option was said at all."""
        return self._values[name] not in (None, False, [])

    def flag(self, name: str) -> bool:
        return bool(self._values[name])

    def several(self, name: str) -> tuple[str, ...]:
        """All values of a repeated option or argument."""
        value = self._values[name]
        return tuple(str(item) for item in value) if isinstance(value, (list, tuple)) else ()

    def number(self, name: str) -> int | None:
        value = self._values[name]
        return value if isinstance(value, int) else None


class _Parser(argparse.ArgumentParser):
    """argparse, but what goes wrong is a ``UsageError`` with a way out."""

    command: Command

    def error(self, message: str) -> NoReturn:
        raise _usage_error(self.command, message)


def parse(command: Command, words: Sequence[str]) -> Arguments:
    """The arguments of ``command`` from ``words`` (everything but its own words).

    Raises ``UsageError``.
    """
    parser = _parser(command)
    end = words.index("--") if "--" in words else len(words)
    literal = {f"{_LITERAL}{index}": word for index, word in enumerate(words[end + 1 :])}
    known, left = parser.parse_known_intermixed_args(
        [*_with_values(command, words[:end]), *literal]
    )
    if left:
        raise _unexpected(command, literal.get(left[0], left[0]))
    values = {name: _restored(value, literal) for name, value in vars(known).items()}
    arguments = Arguments(command, values)
    _check_format(command, arguments.text("output"))
    for argument in command.arguments:
        _check_choice(command, argument, arguments.text(argument.name))
    return arguments


def _restored(value: object, literal: Mapping[str, str]) -> object:
    """``value`` with the words that stood behind ``--`` in the place of their stand-ins."""
    if isinstance(value, list):
        return [_restored(item, literal) for item in value]
    return literal.get(value, value) if isinstance(value, str) else value


def _with_values(command: Command, words: Sequence[str]) -> list[str]:
    """``words``, with an empty value for each option whose optional value isn't given: without
    it argparse would take the next argument for it."""
    alone = {flag for option in command.options if option.optional for flag in option.flags}
    return [f"{word}=" if word in alone else word for word in words]


def _parser(command: Command) -> _Parser:
    parser = _Parser(prog=f"envsync {command.name}", add_help=False, allow_abbrev=False)
    parser.command = command
    for option in (*GLOBALS, *command.options):
        _add_option(parser, option)
    for argument in command.arguments:
        parser.add_argument(argument.name, nargs=argument.takes or None)
    return parser


def _add_option(parser: _Parser, option: Option) -> None:
    if not option.takes_value:
        parser.add_argument(*option.flags, dest=option.name, action="store_true")
    elif option.repeated:
        parser.add_argument(
            *option.flags,
            dest=option.name,
            action="append",
            default=[],
            choices=option.choices or None,
        )
    else:
        parser.add_argument(
            *option.flags,
            dest=option.name,
            type=int if option.number else str,
            choices=option.choices or None,
        )


def _check_format(command: Command, wanted: str | None) -> None:
    if wanted is None or wanted in command.formats:
        return
    if not command.formats:
        raise UsageError(
            "E907",
            f"`envsync {command.name}` prints no data, so that it takes no --output",
            remedy="leave --output out",
        )
    raise UsageError(
        "E907",
        f"`envsync {command.name}` has no output format `{wanted}`",
        remedy=f"choose one of: {', '.join(command.formats)}",
    )


def _check_choice(command: Command, argument: Argument, given: str | None) -> None:
    if given is None or not argument.choices or given in argument.choices:
        return
    raise UsageError(
        "E904",
        f"`{given}` is no {argument.name} that `envsync {command.name}` knows",
        remedy=f"choose one of: {', '.join(argument.choices)}",
    )


def _unexpected(command: Command, word: str) -> UsageError:
    if not word.startswith("-") or word == "-":
        return UsageError(
            "E903",
            f"`envsync {command.name}` takes no further argument `{word}`",
            remedy=f"usage: {command.usage}",
        )
    from difflib import get_close_matches

    name = word.split("=", 1)[0]
    known = [flag for option in (*command.options, *GLOBALS) for flag in option.flags]
    close = get_close_matches(name, [flag for flag in known if flag.startswith("--")], n=1)
    remedy = f"did you mean `{close[0]}`?" if close else f"see: envsync {command.name} --help"
    return UsageError("E902", f"`envsync {command.name}` has no option `{name}`", remedy=remedy)


def _choices(command: Command, flag: str) -> str:
    """What may be said for an option, where that is a number or one of a few words."""
    for option in (*command.options, *GLOBALS):
        if flag in option.flags and option.choices:
            return f"choose one of: {', '.join(option.choices)}"
        if flag in option.flags and option.number:
            return f"give a whole number, such as {option.default or 4}"
    return ""


def _usage_error(command: Command, message: str) -> UsageError:
    """A ``UsageError`` for what argparse found: a missing argument, or a value that can't be."""
    usage = f"usage: {command.usage}"
    missing = "the following arguments are required: "
    if message.startswith(missing):
        names = message.removeprefix(missing).upper()
        return UsageError("E903", f"`envsync {command.name}` needs {names}", remedy=usage)
    if message.startswith("argument "):
        name, _, found = message.removeprefix("argument ").partition(": ")
        option = name.rsplit("/", 1)[-1]
        if found.startswith("expected "):
            return UsageError("E903", f"option `{option}` needs a value", remedy=usage)
        if found.startswith("ignored explicit argument"):
            return UsageError("E904", f"option `{option}` takes no value", remedy=usage)
        given = found.rsplit(":", 1)[-1].split("(")[0].strip().strip("'")
        return UsageError(
            "E904",
            f"option `{option}` does not take `{given}`",
            remedy=_choices(command, option) or usage,
        )
    return UsageError("E903", message, remedy=usage)
