"""What a console block says: commands, the output it shows, and the exit code it expects."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.docs.blocks import Block

_EXIT = re.compile(r"#\s*exit (\d+)\s*$")


@dataclass(frozen=True, slots=True)
class Command:
    """``shown`` are the lines below the command; none means that its output is not shown."""

    where: str
    text: str
    exit_code: int
    shown: tuple[str, ...]


def commands_of(block: Block) -> tuple[Command, ...]:
    """The commands of a console block: ``$ `` begins one, ``> `` goes on with it."""
    found: list[Command] = []
    typed: list[str] = []
    shown: list[str] = []
    start = block.line

    def end() -> None:
        if typed:
            text = "\n".join(typed)
            said = _EXIT.search(typed[0])
            code = int(said[1]) if said else 0
            found.append(Command(f"{block.page}:{start}", text, code, tuple(shown)))

    for number, line in enumerate(block.text.splitlines(), start=block.line + 1):
        if line.startswith("$ "):
            end()
            start, typed, shown = number, [line[2:]], []
        elif line.startswith(("> ", ">")) and typed and not shown:
            typed.append(line[2:])
        else:
            assert typed, f"{block.page}:{number}: output without a command"
            shown.append(line)
    end()
    return tuple(found)


_MASKS = (
    (re.compile(r"\b[0-9a-f]{7,64}\b"), "HEX"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT[0-9:.]+Z"), "TIME"),
    (re.compile(r"\b\d{4}-\d\d-\d\d\b"), "DAY"),
    (re.compile(r"\b\d\d:\d\d UTC"), "CLOCK"),
    (re.compile(r"^\d\d:\d\d:\d\d(?= )"), "CLOCK"),
    (re.compile(r"\b\d[\d,.]* (?:ms|s|min|h|d)\b"), "SPENT"),
    (re.compile(r"(?<=127\.0\.0\.1:)\d+"), "PORT"),
    (re.compile(r'(?<="bytes":)\d+|(?<="ms":)[\d.]+'), "SIZE"),
    (re.compile(r"(?<![\d.])\d+\.\d+\.\d+(?![\d.])"), "VERSION"),
)
"""What differs from run to run. Other numbers are part of what a page promises."""


def masked(line: str) -> str:
    """``line`` with one space for any run of them, and without what differs from run to run."""
    for pattern, word in _MASKS:
        line = pattern.sub(word, line)
    return " ".join(line.split())


def difference(shown: tuple[str, ...], real: str) -> str:
    """Why ``real`` is not what a page shows; empty when it is.

    A shown line ``...`` stands for any lines. Blank lines don't count.
    """
    wanted = [masked(line) for line in shown if line.strip()]
    given = [masked(line) for line in real.splitlines() if line.strip()]
    at = 0
    loose = False
    for line in wanted:
        if line == "...":
            loose = True
            continue
        rest = given[at:] if loose else given[at : at + 1]
        if line not in rest:
            place = "after that" if loose else f"but {rest[0]!r}" if rest else "but the end"
            return f"expected {line!r}, {place}\n--- the output was\n{real}"
        at += rest.index(line) + 1
        loose = False
    if at < len(given) and not loose:
        return f"the output goes on: {given[at]!r}\n--- the output was\n{real}"
    return ""
