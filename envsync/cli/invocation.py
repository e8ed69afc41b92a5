"""Reading a command line: which command, which options, which arguments."""

from __future__ import annotations

from envsync.cli.command import GLOBALS, Command
from envsync.cli.table import COMMANDS, below, find
from envsync.cli.value import TYPE_CHECKING, dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Split:
    """``words`` are the command's, as far as the table knows them; ``rest`` is all else, in its
    order. ``unknown`` is the first word that is no command's, or empty."""

    words: tuple[str, ...]
    rest: tuple[str, ...]
    unknown: str = ""


@dataclass(frozen=True)
class Globals:
    """What can be told before the command is known, also from a line that is not understood."""

    help: bool
    version: bool
    output: str
    no_color: bool
    verbose: bool


_VALUED = frozenset(flag for option in GLOBALS if option.takes_value for flag in option.flags)
_FIRST_WORDS = frozenset(command.words[0] for command in COMMANDS)


def split(argv: Sequence[str]) -> Split:
    """Finds the command's words among ``argv``; global options may stand before and between."""
    words: tuple[str, ...] = ()
    rest: list[str] = []
    index = 0
    while index < len(argv):
        part = argv[index]
        if part == "--":
            break
        if part.startswith("-") and part != "-":
            taken = 2 if part in _VALUED else 1
            if words and taken == 1 and not _is_global_flag(part):
                break
            rest += argv[index : index + taken]
            index += taken
            continue
        if find((*words, part)) is None and not below((*words, part)):
            if words:
                break
            return Split((), tuple(argv), unknown=part)
        words = (*words, part)
        index += 1
        if not below(words):
            break
    return Split(words, (*rest, *argv[index:]))


def _is_global_flag(part: str) -> bool:
    name = part.split("=", 1)[0]
    return any(name in option.flags for option in GLOBALS)


def peek(argv: Sequence[str]) -> Globals:
    """Reads the options that decide how even an error is printed."""
    before = list(argv[: argv.index("--")]) if "--" in argv else list(argv)
    output = ""
    for index, part in enumerate(before):
        if part == "--output" and index + 1 < len(before):
            output = before[index + 1]
        elif part.startswith("--output="):
            output = part.removeprefix("--output=")
    return Globals(
        help=any(part in ("-h", "--help") for part in before),
        version="--version" in before,
        output=output,
        no_color="--no-color" in before,
        verbose=any(part in ("-v", "--verbose") for part in before),
    )


def close_commands(word: str) -> list[str]:
    """Command names that a person may have meant by ``word``, the likeliest first."""
    from difflib import get_close_matches

    names = sorted(_FIRST_WORDS | {command.name for command in COMMANDS})
    return get_close_matches(word, names, n=1, cutoff=0.6)


def subcommands(words: tuple[str, ...]) -> tuple[Command, ...]:
    """The commands to choose from where ``words`` alone are none."""
    return below(words) if find(words) is None else ()
