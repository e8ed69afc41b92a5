"""The help: an overview of all commands, and a page for each. 80 columns, no weight."""

from __future__ import annotations

from envsync import __version__
from envsync.cli.command import GLOBALS, Command, Example, Option
from envsync.cli.table import COMMANDS, FAMILIES
from envsync.cli.value import TYPE_CHECKING, replace

if TYPE_CHECKING:
    from collections.abc import Iterator

_WIDTH = 80
_TEXT = 26
"""The column that explanations of options begin at."""


def overview() -> str:
    """What ``envsync --help`` prints."""
    lines = [
        f"envsync {__version__}: the environments of coding agents, kept in Git",
        "",
        "usage: envsync COMMAND [ARGUMENTS] [OPTIONS]",
    ]
    column = max(len(_brief(command)) for command in _listed()) + 4
    group = ""
    for command in _listed():
        if command.group != group:
            group = command.group
            lines += ["", group]
        summary = FAMILIES.get(command.words[0], command.summary)
        lines.append(f"  {_brief(command):<{column - 2}}{summary}")
    lines += ["", "Options of every command"]
    lines += _options(tuple(replace(option, default="") for option in GLOBALS))
    lines += [
        "",
        "Try",
        "  envsync demo              see it work, without an account",
        "  envsync init              begin here",
        "  envsync plan --help       what a command does, with examples",
    ]
    return "\n".join(lines) + "\n"


def _listed() -> Iterator[Command]:
    """The commands, each family of more than one word once."""
    seen: set[str] = set()
    for command in COMMANDS:
        if command.words[0] not in seen:
            seen.add(command.words[0])
            yield command


def _family(command: Command) -> list[Command]:
    return [other for other in COMMANDS if other.words[0] == command.words[0]]


def _brief(command: Command) -> str:
    return command.words[0]


def family_page(words: tuple[str, ...]) -> str:
    """The commands that begin with ``words``, for a word that is no command alone."""
    found = [command for command in COMMANDS if command.words[: len(words)] == words]
    column = max(len(command.name) for command in found) + 4
    lines = [f"usage: envsync {' '.join(words)} COMMAND", "", "Commands"]
    lines += [f"  {command.name:<{column - 2}}{command.summary}" for command in found]
    lines += ["", f"See: envsync {found[0].name} --help"]
    return "\n".join(lines) + "\n"


def page(command: Command) -> str:
    """What ``envsync COMMAND --help`` prints."""
    lines = [f"usage: {command.usage}", "", *_wrap(command.description, _WIDTH)]
    lines += ["", "Examples", *_examples(command.examples)]
    if command.arguments:
        lines += ["", "Arguments"]
        for argument in command.arguments:
            lines += _entry(argument.shown, argument.help)
    if command.options:
        lines += ["", "Options", *_options(command.options)]
    below = [other for other in _family(command) if other.words != command.words]
    if len(command.words) == 1 and below:
        lines += ["", "Further commands"]
        for other in below:
            lines += _entry(other.name, other.summary)
    if command.exits:
        lines += ["", "Exit codes"]
        for code, meaning in command.exits:
            lines += _wrapped(f"  {code:<4}", meaning)
    lines += ["", "Options of every command", *_options(_globals(command))]
    return "\n".join(lines) + "\n"


def _examples(examples: tuple[Example, ...]) -> list[str]:
    """Each example with what it is for beside it, or above it where that has no room."""
    column = max(len(example.line) for example in examples) + 4
    if all(column + len(example.says) <= _WIDTH for example in examples):
        return [f"  {example.line:<{column - 2}}{example.says}" for example in examples]
    lines: list[str] = []
    for example in examples:
        lines += [f"  # {example.says}", f"  {example.line}"]
    return lines


def _globals(command: Command) -> tuple[Option, ...]:
    """The global options as they hold for ``command``: the formats are its own."""
    options = []
    for option in GLOBALS:
        if option.name != "output":
            options.append(option)
        elif command.formats:
            formats = ", ".join(command.formats)
            options.append(
                replace(option, help=f"how data is printed: {formats}", default=command.formats[0])
            )
    return tuple(options)


def spelled(option: Option) -> str:
    """``-o, --out FILE``."""
    value = f" {option.metavar}" if option.metavar else ""
    if option.optional:
        value = f"[={option.metavar}]"
    return ", ".join(option.flags) + value


def explained(option: Option) -> str:
    """The help of an option, with its default."""
    return f"{option.help} (default: {option.default})" if option.default else option.help


def _options(options: tuple[Option, ...]) -> list[str]:
    lines: list[str] = []
    for option in options:
        lines += _entry(spelled(option), explained(option))
    return lines


def _entry(term: str, explanation: str) -> list[str]:
    """A term and what it means beside it, or below where the term is long."""
    head = f"  {term}"
    if len(head) > _TEXT - 2:
        return [head, *_wrapped(" " * _TEXT, explanation)]
    return _wrapped(f"{head:<{_TEXT}}", explanation)


def _wrapped(head: str, text: str) -> list[str]:
    first, *rest = _wrap(text, _WIDTH - len(head))
    return [head + first, *(" " * len(head) + line for line in rest)]


def _wrap(text: str, width: int) -> list[str]:
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
