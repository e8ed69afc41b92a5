"""Completion for fish."""

from __future__ import annotations

from envsync.cli.command import GLOBALS, Option
from envsync.cli.completion.words import (
    ASKED,
    first_words,
    next_words,
    positionals,
)
from envsync.cli.table import COMMANDS


def fish() -> str:
    """``complete`` lines; conditions look at the words that were typed."""
    lines = ["# fish completion for envsync", "complete -c envsync -f"]
    first = " ".join(first_words())
    none = f"not __fish_seen_subcommand_from {first}"
    for word, summary in first_words().items():
        lines.append(f"complete -c envsync -n {_quoted(none)} -a {word} -d {_fish(summary)}")
    for begun, words in next_words().items():
        for word, summary in words.items():
            other = f"; and not __fish_seen_subcommand_from {' '.join(words)}"
            when = _fish_seen(begun, other)
            lines.append(f"complete -c envsync -n {when} -a {word} -d {_fish(summary)}")
    for option in GLOBALS:
        lines += _fish_option("", option)
    for command in COMMANDS:
        when = _fish_seen(command.name)
        for option in command.options:
            lines += _fish_option(f" -n {when}", option)
        if command.formats:
            formats = _quoted(" ".join(command.formats))
            lines.append(f"complete -c envsync -n {when} -l output -x -a {formats}")
    for name, kind, choices in positionals():
        offered = _fish_values(kind, choices)
        if offered:
            lines.append(f"complete -c envsync -n {_fish_seen(name)}{offered}")
    return "\n".join(lines) + "\n"


def _fish_seen(words: str, other: str = "") -> str:
    seen = [f"__fish_seen_subcommand_from {word}" for word in words.split()]
    return _quoted("; and ".join(seen) + other)


def _fish_option(when: str, option: Option) -> list[str]:
    spelled = "".join(
        f" -l {flag[2:]}" if flag.startswith("--") else f" -s {flag[1:]}" for flag in option.flags
    )
    value = (_fish_values(option.completes, option.choices) or " -x") if option.takes_value else ""
    return [f"complete -c envsync{when}{spelled}{value} -d {_fish(option.help)}"]


def _fish_values(kind: str, choices: tuple[str, ...]) -> str:
    if choices:
        return f" -x -a {_quoted(' '.join(choices))}"
    if kind in ASKED:
        return f" -x -a {_quoted(f'(envsync __complete {kind} 2>/dev/null)')}"
    if kind == "file":
        return " -r -F"
    return " -x -a '(__fish_complete_directories)'" if kind == "folder" else ""


def _fish(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
