"""Tables: titles in capitals, two spaces between columns, cut to the terminal by its cells."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from envsync.rendering import cells
from envsync.rendering.text import Line, Span, Style

_GAP = "  "
_LEAST = 6


class Column(Struct, frozen=True):
    """``flexible`` columns are cut, the widest first, when the table is too wide. A ``right``
    column holds numbers."""

    title: str
    flexible: bool = False
    right: bool = False


def table_lines(
    columns: Sequence[Column], rows: Sequence[Sequence[str | Span]], width: int | None = None
) -> list[Line]:
    """The table, its head first. ``width`` is that of the terminal; ``None`` never cuts."""
    head = [Span(column.title.upper(), Style.QUIET) for column in columns]
    body = [[cell if isinstance(cell, Span) else Span(cell) for cell in row] for row in rows]
    wide = [
        max(cells.width(row[index].text) for row in (head, *body)) for index in range(len(head))
    ]
    if width is not None:
        wide = _fitted(columns, wide, width)
    return [_row(columns, row, wide) for row in (head, *body)]


def _fitted(columns: Sequence[Column], wide: list[int], width: int) -> list[int]:
    fitted = list(wide)
    excess = sum(fitted) + len(_GAP) * (len(fitted) - 1) - width
    while excess > 0:
        candidates = [
            index
            for index, column in enumerate(columns)
            if column.flexible and fitted[index] > _LEAST
        ]
        if not candidates:
            break
        widest = max(candidates, key=lambda index: fitted[index])
        fitted[widest] -= 1
        excess -= 1
    return fitted


def _row(columns: Sequence[Column], row: Sequence[Span], wide: Sequence[int]) -> Line:
    spans: list[Span] = []
    for column, cell, room in zip(columns, row, wide, strict=True):
        text = cells.clip(cell.text, room)
        text = cells.pad_left(text, room) if column.right else cells.pad(text, room)
        if spans:
            spans.append(Span(_GAP))
        spans.append(Span(text, cell.style))
    return tuple(spans)
