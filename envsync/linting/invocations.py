"""Invocations: which program a command really runs, behind assignments, sudo, env and the like."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from envsync.linting.shell import Command, Script, Word

_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
_WRAPPERS = frozenset(
    {"sudo", "env", "exec", "command", "nohup", "nice", "time", "timeout", "stdbuf", "doas"}
)
_TAKES_VALUE = frozenset({"-u", "-g", "-n", "-k", "-s", "-C", "-S", "--user", "--group"})
_DURATION = re.compile(r"[0-9.]+[smhd]?")


class Invocation(Struct, frozen=True):
    """``program`` is the name without its folder. ``sudo`` is the word, where one stands."""

    command: Command
    name: Word
    arguments: tuple[Word, ...]
    sudo: Word | None = None
    sudo_options: tuple[str, ...] = ()

    @property
    def program(self) -> str:
        return self.name.text.rpartition("/")[2]

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(word.text for word in self.arguments)

    @property
    def plain(self) -> tuple[str, ...]:
        """The arguments that are no options."""
        return tuple(text for text in self.texts if not text.startswith("-"))

    def has(self, *options: str) -> bool:
        """Whether one of the options is given: long ones whole or with ``=``, short ones also in
        a cluster such as ``-qy``."""
        for text in self.texts:
            for option in options:
                if text == option or (option.startswith("--") and text.startswith(f"{option}=")):
                    return True
                if len(option) == 2 and re.fullmatch(r"-[A-Za-z]+", text) and option[1] in text:
                    return True
        return False


def invocations(script: Script) -> Iterator[Invocation]:
    """What each command of ``script`` runs."""
    for command in script.commands:
        found = _unwrapped(command)
        if found is not None:
            yield found


def _unwrapped(command: Command) -> Invocation | None:
    words = list(command.words)
    sudo: Word | None = None
    sudo_options: list[str] = []
    while words:
        word = words[0]
        if _ASSIGNMENT.match(word.text):
            words.pop(0)
            continue
        name = word.text.rpartition("/")[2]
        if name not in _WRAPPERS or len(words) == 1:
            break
        words.pop(0)
        options = _wrapper_options(name, words)
        if name in ("sudo", "doas"):
            sudo, sudo_options = word, options
    if not words:
        return None
    return Invocation(command, words[0], tuple(words[1:]), sudo, tuple(sudo_options))


def _wrapper_options(name: str, words: list[Word]) -> list[str]:
    """Takes a wrapper's own options away from ``words``."""
    options = []
    while words and words[0].text.startswith("-"):
        option = words.pop(0).text
        options.append(option)
        takes_value = option in _TAKES_VALUE and not (name == "sudo" and option in ("-n", "-S"))
        if takes_value and words and name != "env":
            words.pop(0)
    if name == "timeout" and words and _DURATION.fullmatch(words[0].text):
        words.pop(0)
    return options
