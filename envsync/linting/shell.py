"""Enough of the shell's grammar to tell commands, words, pipes and variables apart.

Not a shell: what it cannot follow it gives up on, and then nothing is said about the script.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from msgspec import Struct

KEYWORDS = frozenset({"if", "then", "else", "elif", "do", "while", "until", "!", "{", "}", "time"})
_SETS_VARIABLES = frozenset(
    {"for", "select", "read", "export", "declare", "local", "mapfile", "readarray", "getopts"}
    | {"unset", "typeset", "readonly"}
)
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\+?=")
_VARIABLE = re.compile(r"\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)(:?[-=?+])?)")
_HEREDOC = re.compile(r"<<(-?)[ \t]*(['\"]?)\\?([A-Za-z_][A-Za-z0-9_]*)\2")
_REDIRECT = re.compile(r"[0-9]*(?:>>|>\||>&|<&|<<<|<>|>|<)|&>>?")
_ORDINARY = re.compile(r"[^ \t\n;&|()<>\\'\"$`]+")
_BREAKS = " \t\n;&|()<>"


class NotUnderstoodError(Exception):
    """The script goes beyond what this reader follows."""


class Word(Struct, frozen=True):
    """``text`` is the word without its quotes; offsets are into the script."""

    text: str
    start: int
    end: int


@dataclass(slots=True)
class Command:
    """A simple command. ``pipe_in`` and ``pipe_out`` say that a pipe feeds it or takes what it
    writes; ``redirected`` that a file or a here-document feeds it; ``leader`` is the keyword
    before it."""

    words: list[Word] = field(default_factory=list)
    pipe_in: bool = False
    pipe_out: bool = False
    redirected: bool = False
    leader: str = ""


class Use(Struct, frozen=True):
    """A variable that is expanded. ``optional`` where the script says what else to take."""

    name: str
    start: int
    end: int
    optional: bool


class Script(Struct, frozen=True):
    text: str
    commands: tuple[Command, ...]
    uses: tuple[Use, ...]
    assigned: frozenset[str]


def read_script(text: str) -> Script | None:
    """``text`` taken apart, or ``None`` when it cannot be followed."""
    reader = _Reader(text)
    try:
        reader.read(0, len(text))
    except (NotUnderstoodError, RecursionError):
        return None
    commands = tuple(command for command in reader.commands if command.words)
    return Script(text, commands, tuple(reader.uses), frozenset(_assigned(commands)))


def _assigned(commands: Sequence[Command]) -> set[str]:
    """Every variable that the script may set itself."""
    names: set[str] = set()
    for command in commands:
        words = command.words
        for word in words:
            if found := _ASSIGNMENT.match(word.text):
                names.add(found[1])
        if words[0].text in _SETS_VARIABLES:
            names.update(word.text for word in words[1:])
    return names


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.commands: list[Command] = []
        self.uses: list[Use] = []
        self._heredocs: list[tuple[str, bool, bool]] = []

    def read(self, at: int, end: int) -> None:
        """Takes ``text[at:end]`` apart."""
        text = self.text
        command = self._begin()
        while at < end:
            char = text[at]
            if char in " \t":
                at += 1
            elif text.startswith("\\\n", at):
                at += 2
            elif char == "\n":
                # A pipe goes on in the next line.
                if command.words or not command.pipe_in:
                    command = self._begin()
                at = self._skip_heredocs(at + 1, end)
            elif char == "#":
                found = text.find("\n", at, end)
                at = end if found < 0 else found
            elif heredoc := _HEREDOC.match(text, at, end):
                command.redirected = True
                self._heredocs.append((heredoc[3], bool(heredoc[1]), bool(heredoc[2])))
                at = heredoc.end()
            elif redirect := _REDIRECT.match(text, at, end):
                command.redirected |= "<" in redirect[0]
                at = self._target(redirect.end(), end)
            elif char in ";&|()":
                at, command = self._operator(at, command)
            else:
                word, at = self._word(at, end)
                command = self._add(command, word)

    def _begin(self, *, pipe_in: bool = False) -> Command:
        command = Command(pipe_in=pipe_in)
        self.commands.append(command)
        return command

    def _operator(self, at: int, command: Command) -> tuple[int, Command]:
        two = self.text[at : at + 2]
        if two in ("&&", "||", ";;"):
            return at + 2, self._begin()
        if self.text[at] == "|":
            command.pipe_out = True
            return at + (2 if two == "|&" else 1), self._begin(pipe_in=True)
        if self.text[at] == "(" and not command.words:
            # A subshell is fed by what feeds it.
            return at + 1, self._begin(pipe_in=command.pipe_in)
        return at + 1, self._begin()

    def _add(self, command: Command, word: Word) -> Command:
        raw = self.text[word.start : word.end]
        if not command.words and raw in KEYWORDS:
            command.leader = raw
            return command
        command.words.append(word)
        return command

    def _target(self, at: int, end: int) -> int:
        """Behind the word that a redirection names."""
        while at < end and self.text[at] in " \t":
            at += 1
        if at < end and self.text[at] not in _BREAKS:
            return self._word(at, end)[1]
        if at < end and self.text[at] in "<>" and self.text[at + 1 : at + 2] == "(":
            return self._inside(at + 2, "(", ")", end)
        return at

    def _skip_heredocs(self, at: int, end: int) -> int:
        for name, indented, quoted in self._heredocs:
            start = at
            while True:
                if at >= end:
                    raise NotUnderstoodError
                stop = self.text.find("\n", at, end)
                stop = end if stop < 0 else stop
                line = self.text[at:stop]
                if (line.lstrip("\t") if indented else line) == name:
                    break
                at = stop + 1
            if not quoted:
                self._variables(start, at)
            at = min(stop + 1, end)
        self._heredocs.clear()
        return at

    def _word(self, at: int, end: int) -> tuple[Word, int]:
        start, text = at, self.text
        parts: list[str] = []
        while at < end and text[at] not in _BREAKS:
            char = text[at]
            if run := _ORDINARY.match(text, at, end):
                parts.append(run[0])
                at = run.end()
            elif char == "\\":
                parts.append(text[at + 1 : at + 2].replace("\n", ""))
                at += 2
            elif char == "'":
                stop = self._find("'", at + 1, end)
                parts.append(text[at + 1 : stop])
                at = stop + 1
            elif char == '"':
                stop = self._double(at + 1, end)
                parts.append(text[at + 1 : stop])
                at = stop + 1
            elif char in "$`":
                stop = self._expansion(at, end)
                parts.append(text[at:stop])
                at = stop
            else:  # pragma: no cover - every other character is ordinary
                raise NotUnderstoodError
        return Word("".join(parts), start, min(at, end)), min(at, end)

    def _double(self, at: int, end: int) -> int:
        """The offset of the closing double quote."""
        while at < end:
            char = self.text[at]
            if char == '"':
                return at
            if char == "\\":
                at += 2
            elif char in "$`":
                at = self._expansion(at, end)
            else:
                at += 1
        raise NotUnderstoodError

    def _expansion(self, at: int, end: int) -> int:
        """Behind the expansion that begins at ``at``; the commands inside it are read too."""
        text = self.text
        if text[at] == "`":
            stop = self._find("`", at + 1, end)
            _Inner(self).read(at + 1, stop)
            return stop + 1
        if text.startswith("$((", at):
            stop = text.find("))", at, end)
            if stop < 0:
                raise NotUnderstoodError
            return stop + 2
        if text.startswith("$(", at):
            return self._inside(at + 2, "(", ")", end)
        if text.startswith("${", at):
            self._variables(at, at + 3 + len(text[at + 2 : end].split("}")[0]))
            return self._closing(at + 2, "{", "}", end) + 1
        if text.startswith("$'", at):
            stop = self._find("'", at + 2, end)
            return stop + 1
        found = _VARIABLE.match(text, at, end)
        if found is None:
            return at + 1
        self._variables(at, found.end())
        return found.end()

    def _inside(self, at: int, opening: str, closing: str, end: int) -> int:
        stop = self._closing(at, opening, closing, end)
        _Inner(self).read(at, stop)
        return stop + 1

    def _closing(self, at: int, opening: str, closing: str, end: int) -> int:
        """The offset of the bracket that closes the one before ``at``."""
        depth = 1
        while at < end:
            char = self.text[at]
            if char == "\\":
                at += 1
            elif char == "'":
                at = self._find("'", at + 1, end)
            elif char == opening:
                depth += 1
            elif char == closing:
                depth -= 1
                if depth == 0:
                    return at
            at += 1
        raise NotUnderstoodError

    def _find(self, char: str, at: int, end: int) -> int:
        found = self.text.find(char, at, end)
        if found < 0:
            raise NotUnderstoodError
        return found

    def _variables(self, at: int, end: int) -> None:
        for found in _VARIABLE.finditer(self.text, at, end):
            name = found[1] or found[2]
            self.uses.append(Use(name, found.start(), found.end(), bool(found[3])))


class _Inner(_Reader):
    """Reads the script inside ``$(...)``, and keeps what it finds with the outer one's."""

    def __init__(self, outer: _Reader) -> None:
        super().__init__(outer.text)
        self.commands = outer.commands
        self.uses = outer.uses
