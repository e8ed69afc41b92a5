"""How many terminal cells a text takes, and how to make it take a given number of them."""

from __future__ import annotations

import unicodedata

ELLIPSIS = "…"


def cell_width(character: str) -> int:
    """0 for a combining mark, 2 for a wide (CJK, emoji) character, else 1."""
    if character < "\u0300":
        return 1
    if unicodedata.category(character) in ("Mn", "Me") or character == "\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def width(text: str) -> int:
    """The cells that ``text``, one visible line, takes."""
    if text.isascii():
        return len(text)
    return sum(map(cell_width, text))


def clip(text: str, cells: int) -> str:
    """``text`` in at most ``cells`` cells; what had to be cut is marked by an ellipsis."""
    if width(text) <= cells:
        return text
    if cells <= 0:
        return ""
    taken, kept = 0, 0
    for character in text:
        taken += cell_width(character)
        if taken > cells - 1:
            break
        kept += 1
    return text[:kept] + ELLIPSIS


def pad(text: str, cells: int) -> str:
    """``text`` with spaces behind it up to ``cells`` cells."""
    return text + " " * (cells - width(text))


def pad_left(text: str, cells: int) -> str:
    """``text`` with spaces before it up to ``cells`` cells."""
    return " " * (cells - width(text)) + text


def wrap(text: str, cells: int) -> list[str]:
    """``text`` in lines of at most ``cells`` cells, broken at spaces.

    A word that is longer than a line stands on a line of its own, whole: it is usually a
    command or an address that a person wants to copy.
    """
    lines: list[str] = []
    current = ""
    for word in text.split():
        if current and width(current) + 1 + width(word) > cells:
            lines.append(current)
            current = word
        else:
            current = f"{current} {word}" if current else word
    if current or not lines:
        lines.append(current)
    return lines
