"""Where a value stands in JSON text. Used only when there is something to complain about."""

from __future__ import annotations

import json
import re

from envsync.contract.json_types import Pointer
from envsync.errors import Position

_SPACE = re.compile(r"[ \t\r\n]*")
_WORD = re.compile(r"[^,\]}\s]*")


class _ScannerError(Exception):
    """The text is not the JSON that it was taken for."""


def place(text: str, path: str, pointer: Pointer, *, key: bool = False) -> Position:
    """The position of the value at ``pointer`` in the JSON ``text`` of the file ``path``, or of
    its key; of the nearest value above it where there is none."""
    try:
        start = _find(text, pointer, key=key)
    except (_ScannerError, ValueError, IndexError):
        start = 0
    return position(text, path, start)


def position(text: str, path: str, offset: int) -> Position:
    before = text[:offset]
    line = before.count("\n") + 1
    return Position(path, line, offset - (before.rfind("\n") + 1) + 1)


def _find(text: str, pointer: Pointer, *, key: bool) -> int:
    at = _skip(text, 0)
    for depth, part in enumerate(pointer):
        found = _member(text, at, str(part)) if text[at] == "{" else _item(text, at, part)
        if found is None:
            return at
        at_key, at = found
        if key and depth == len(pointer) - 1:
            return at_key
    return at


def _member(text: str, at: int, name: str) -> tuple[int, int] | None:
    """Where the key ``name`` and its value stand in the object at ``at``."""
    at = _skip(text, at + 1)
    while text[at] != "}":
        at_key = at
        key, at = json.decoder.scanstring(text, at + 1, True)  # type: ignore[attr-defined]
        at = _skip(text, at)
        _expect(text, at, ":")
        at = _skip(text, at + 1)
        if key == name:
            return at_key, at
        at = _next(text, _end(text, at), "}")
    return None


def _item(text: str, at: int, index: str | int) -> tuple[int, int] | None:
    if text[at] != "[" or not isinstance(index, int):
        return None
    at = _skip(text, at + 1)
    count = 0
    while text[at] != "]":
        if count == index:
            return at, at
        at = _next(text, _end(text, at), "]")
        count += 1
    return None


def _next(text: str, at: int, close: str) -> int:
    """Past the comma behind a value, or at the bracket that ends it all."""
    at = _skip(text, at)
    if text[at] == close:
        return at
    _expect(text, at, ",")
    return _skip(text, at + 1)


def _end(text: str, at: int) -> int:
    """Where the value that starts at ``at`` ends."""
    depth = 0
    while True:
        char = text[at]
        if char == '"':
            _, at = json.decoder.scanstring(text, at + 1, True)  # type: ignore[attr-defined]
        elif char in "{[":
            depth, at = depth + 1, at + 1
        elif char in "}]":
            depth, at = depth - 1, at + 1
        elif char in ",:":
            at += 1
        else:
            at = _after(_WORD, text, at)
        if depth == 0:
            return at
        at = _skip(text, at)


def _skip(text: str, at: int) -> int:
    return _after(_SPACE, text, at)


def _after(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    assert match is not None  # both patterns match the empty string
    return match.end()


def _expect(text: str, at: int, char: str) -> None:
    if text[at] != char:
        raise _ScannerError
