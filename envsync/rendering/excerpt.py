"""The line of a file that a problem is about, with a caret below the place."""

from __future__ import annotations

from msgspec import Struct

from envsync.errors import Position
from envsync.rendering import cells, escape
from envsync.rendering.text import Line, Span, Style, line

TAB = 4
"""A tab shows as this many spaces: the caret must not depend on the terminal's tab stops."""

_ROOM = 12
"""Cells kept in sight on both sides of the caret when a long line is clipped."""


class Excerpt(Struct, frozen=True):
    """``text`` is visible; the caret begins at cell ``start`` and is ``length`` cells long."""

    number: int
    text: str
    start: int
    length: int


def source_line(source: bytes, number: int) -> str | None:
    """Line ``number`` (from 1) of ``source`` without its end, or ``None`` when there is none.

    Only LF, CRLF and CR end a line, as in YAML: a form feed or U+2028 doesn't.
    """
    text = source.decode("utf-8", "replace").removeprefix("\ufeff")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines[number - 1] if 0 < number <= len(lines) else None


def excerpt(source: bytes, position: Position, room: int) -> Excerpt | None:
    """The excerpt for ``position``, clipped around the caret to ``room`` cells.

    ``None`` when the file has no such line (it changed meanwhile).
    """
    found = source_line(source, position.line)
    if found is None:
        return None
    pieces = [_shown(character) for character in found]
    first = min(max(position.column - 1, 0), len(pieces))
    last = _last_column(position, len(pieces), first)
    start = cells.width("".join(pieces[:first]))
    marked = cells.width("".join(pieces[first:last]))
    text = "".join(pieces).rstrip() if last <= len(found.rstrip()) else "".join(pieces)
    return _clipped(Excerpt(position.line, text, start, max(1, marked)), max(room, 3 * _ROOM))


def _shown(character: str) -> str:
    return " " * TAB if character == "\t" else escape.visible(character)


def _last_column(position: Position, length: int, first: int) -> int:
    """The exclusive end of what is marked, on the line the problem starts in."""
    if position.end_column is None or position.end_line is None:
        return first + 1
    if position.end_line > position.line:
        return max(length, first + 1)
    return max(position.end_column - 1, first + 1)


def _clipped(whole: Excerpt, room: int) -> Excerpt:
    total = cells.width(whole.text)
    if total <= room:
        return whole
    left = 0
    if whole.start + min(whole.length, room - 2 * _ROOM) + _ROOM > room:
        left = min(whole.start - _ROOM, total - room)
    text, skipped = _window(whole.text, left, room)
    start = whole.start - skipped
    return Excerpt(whole.number, text, start, max(1, min(whole.length, cells.width(text) - start)))


def _window(text: str, left: int, room: int) -> tuple[str, int]:
    """``text`` from cell ``left`` on, ``room`` cells of it, and how many cells that skipped."""
    skipped, index = 0, 0
    while skipped < left:
        skipped += cells.cell_width(text[index])
        index += 1
    if index:
        rest = text[index:]
        cut = cells.cell_width(rest[0]) if rest else 0
        return cells.clip(cells.ELLIPSIS + rest[1:], room), skipped + cut - 1
    return cells.clip(text, room), 0


def gutter_width(positions: list[Position]) -> int:
    """The digits of the largest line number; two at least, so that most excerpts align."""
    return max([2, *(len(str(position.line)) for position in positions)])


def excerpt_lines(shown: Excerpt, gutter: int, label: str, style: Style, room: int) -> list[Line]:
    """The excerpt between two empty gutters, as rows; a label that has no room moves below."""
    bar = Span(" " * gutter + " |", Style.GUTTER)
    number = Span(f"{shown.number:>{gutter}} |", Style.GUTTER)
    caret = Span("^" * shown.length, style)
    rows = [line(bar), line(number, f" {shown.text}" if shown.text else "")]
    indent = " " * (shown.start + 1)
    if not label:
        return [*rows, line(bar, indent, caret), line(bar)]
    if shown.start + shown.length + 1 + cells.width(escape.visible(label)) <= room:
        return [*rows, line(bar, indent, caret, Span(f" {label}", style)), line(bar)]
    wrapped = cells.wrap(escape.visible(label), max(20, room - 1))
    below = [line(bar, " ", Span(text, style)) for text in wrapped]
    return [*rows, line(bar, indent, caret), *below, line(bar)]
