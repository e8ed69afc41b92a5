"""Problems for people: the message, where it is, an excerpt of the file, and the way out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from envsync.errors import Position, Problem
from envsync.rendering import cells, escape
from envsync.rendering.excerpt import excerpt, excerpt_lines, gutter_width
from envsync.rendering.text import EMPTY, Line, Span, Style, counted, line, strong

ReadSource = Callable[[str], bytes | None]
"""Gives the bytes of a file by the path that its positions carry, or ``None``."""


def no_source(_path: str) -> bytes | None:
    """A ``ReadSource`` for where no files are at hand."""
    return None


def problem_lines(
    problems: Sequence[Problem], read: ReadSource = no_source, width: int = 80
) -> list[Line]:
    """``problems`` one below the other, with an empty line between them."""
    rows: list[Line] = []
    for problem in problems:
        if rows:
            rows.append(EMPTY)
        rows += _one(problem, read, width)
    return rows


def _one(problem: Problem, read: ReadSource, width: int) -> list[Line]:
    style = Style.ERROR if problem.is_error else Style.WARNING
    rows = _headline(problem, style, width)
    places = [position for position, _ in problem.related]
    if problem.position is not None:
        places.append(problem.position)
    gutter = gutter_width(places)
    reader = no_source if problem.private else read
    if problem.position is not None:
        rows += _place(problem.position, problem.label, gutter, style, reader, width)
    for position, label in problem.related:
        rows += _place(position, label, gutter, Style.GUTTER, reader, width, related=True)
    if problem.position is None and problem.label:
        rows.append(line("  ", problem.label))
    return rows + _remedy(problem.remedy, gutter)


def _headline(problem: Problem, style: Style, width: int) -> list[Line]:
    word = f"{problem.severity.value}[{problem.code}]"
    subject = f"{problem.subject}: " if problem.subject else ""
    message = escape.visible(subject + problem.message)
    first, *rest = cells.wrap(message, max(20, width - len(word) - 2))
    rows = [line(Span(word, style), strong(f": {first}"))]
    if rest:
        again = cells.wrap(" ".join(rest), max(20, width - 2))
        rows += [line("  ", strong(text)) for text in again]
    return rows


def _place(
    position: Position,
    label: str,
    gutter: int,
    style: Style,
    read: ReadSource,
    width: int,
    *,
    related: bool = False,
) -> list[Line]:
    arrow = ":::" if related else "-->"
    rows = [line(Span(" " * gutter + arrow, Style.GUTTER), f" {position}")]
    source = read(position.path)
    room = width - gutter - 3
    shown = excerpt(source, position, room) if source is not None else None
    if shown is not None:
        return rows + excerpt_lines(shown, gutter, label, style, room)
    if label:
        rows.append(line(" " * (gutter + 1), Span("|", Style.GUTTER), f" {label}"))
    return rows


def _remedy(remedy: str, gutter: int) -> list[Line]:
    """The way out. Its own line breaks stay: it may hold something to paste."""
    if not remedy:
        return []
    first, *rest = escape.visible_lines(remedy.rstrip("\n"))
    mark = Span(" " * gutter + " =", Style.GUTTER)
    return [line(mark, f" {first}"), *(line(" " * (gutter + 3), text) for text in rest)]


def problem_counts(errors: int, warnings: int) -> str:
    """``2 errors, 1 warning``; empty when there is nothing to count."""
    parts = [counted(errors, "error")] if errors else []
    parts += [counted(warnings, "warning")] if warnings else []
    return ", ".join(parts)
