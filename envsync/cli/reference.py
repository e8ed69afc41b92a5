"""The reference pages, made from the command table, the catalogue of codes and the exit codes.

``python -m envsync.cli.reference`` writes them into docs/; a test keeps them current.
"""

from __future__ import annotations

import sys
from pathlib import Path

from envsync.cli.command import GLOBALS, Command, Option
from envsync.cli.help import explained, spelled
from envsync.cli.table import COMMANDS
from envsync.contract.codes import Code, codes
from envsync.errors import ExitCode

_MADE = "<!-- Made by `python -m envsync.cli.reference`; do not edit. -->"

_ABOUT = (
    "Every command has `--help`. Data goes to stdout, everything else to stderr; "
    "`--output json` gives programs what people read. Exit codes are on "
    "[their own page](../exit-codes.md), codes of problems [on another](../errors.md)."
)

_EXITS: dict[ExitCode, tuple[str, str]] = {
    ExitCode.DONE: ("done", "everything is as asked, or there was nothing to do"),
    ExitCode.ERROR: ("error", "an error; nothing was written"),
    ExitCode.CHANGES: ("changes", "`plan --detailed-exitcode` found changes"),
    ExitCode.PARTIAL: ("partly", "something was written and something was not"),
    ExitCode.REFUSED: (
        "refused",
        "nothing was written: the plan is stale, or the server holds something else",
    ),
    ExitCode.BRAKE: ("brake", "nothing was written: a safety brake stopped the run"),
    ExitCode.USAGE: ("usage", "the command line can't be carried out"),
    ExitCode.INTERRUPTED: ("interrupted", "Ctrl-C ended the command before it was done"),
    ExitCode.TERMINATED: ("terminated", "SIGTERM ended the command before it was done"),
}


def pages() -> dict[str, str]:
    """Each page's path below docs/ and its text."""
    return {
        "reference/commands.md": commands_page(),
        "errors.md": errors_page(),
        "exit-codes.md": exit_codes_page(),
    }


def commands_page() -> str:
    """All commands: what they do, take, print and return, with examples that work."""
    lines = [
        "# Commands",
        "",
        _MADE,
        "",
        _ABOUT,
        "",
        "## Options of every command",
        "",
        *_option_table(GLOBALS),
    ]
    group = ""
    for command in COMMANDS:
        if command.group != group:
            group = command.group
            lines += ["", f"## {group}"]
        lines += ["", *_command(command)]
    return "\n".join(lines) + "\n"


def _command(command: Command) -> list[str]:
    lines = [f"### envsync {command.name}", "", f"`{command.usage}`", "", command.description]
    if command.arguments:
        lines += ["", "| argument | |", "|---|---|"]
        lines += [f"| `{each.shown}` | {_cell(each.help)} |" for each in command.arguments]
    if command.options:
        lines += ["", *_option_table(command.options)]
    if command.formats:
        lines += ["", f"Output: {', '.join(f'`{each}`' for each in command.formats)}."]
    if command.exits:
        lines += ["", "| exit code | |", "|---|---|"]
        lines += [f"| {code} | {_cell(meaning)} |" for code, meaning in command.exits]
    lines += ["", "```console"]
    for example in command.examples:
        lines += [f"# {example.says}", f"$ {example.line}"]
    return [*lines, "```"]


def _option_table(options: tuple[Option, ...]) -> list[str]:
    rows = [f"| `{spelled(option)}` | {_cell(_full(option))} |" for option in options]
    return ["| option | |", "|---|---|", *rows]


def _full(option: Option) -> str:
    if not option.choices:
        return explained(option)
    default = f" (default: {option.default})" if option.default else ""
    return f"{option.help}: {', '.join(option.choices)}{default}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def errors_page() -> str:
    """Every code, as ``envsync explain`` tells it."""
    lines = [
        "# Errors and warnings",
        "",
        _MADE,
        "",
        "Every message has a code. `envsync explain CODE` says the same as this page.",
    ]
    for code in codes().values():
        lines += ["", *_code(code)]
    return "\n".join(lines) + "\n"


def _code(code: Code) -> list[str]:
    return [
        f"## {code.code}",
        "",
        f"**{code.title}**",
        "",
        code.meaning,
        "",
        code.mend,
    ]


def exit_codes_page() -> str:
    """What each exit status says."""
    lines = [
        "# Exit codes",
        "",
        _MADE,
        "",
        "The exit code depends only on what happened, never on the output format.",
        "",
        "| code | | |",
        "|---|---|---|",
    ]
    lines += [f"| {int(code)} | {word} | {meaning} |" for code, (word, meaning) in _EXITS.items()]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Writes the pages into docs/ of the current folder."""
    for path, text in pages().items():
        target = Path("docs") / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="\n")
        sys.stdout.write(f"docs/{path}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
