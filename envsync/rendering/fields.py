"""Changes of fields, arranged for reading: one heading a field, what went and what came below."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

from msgspec import Struct

from envsync.contract.json_types import Json, dotted
from envsync.planning.plan import FieldChange, FieldOp
from envsync.rendering import cells, escape
from envsync.rendering.symbols import FIELD_OPS, SIGNS
from envsync.rendering.text import Line, Span, Style, line, quiet
from envsync.rendering.values import is_scalar, scalar, value_lines

_CONTEXT = 1
"""Unchanged lines shown around a change inside a text of several lines."""

_MOST_LINES = 24
"""A field shows at most this many lines on a terminal."""


class FieldView(Struct, frozen=True):
    """``rows`` are (sign, text): ``+`` came, ``-`` went, `` `` stayed. ``brief`` is the same on
    one line (``2048MiB -> 4096MiB``) where that is enough."""

    op: FieldOp
    label: str
    rows: tuple[tuple[str, str], ...]
    brief: str = ""


def field_views(changes: Sequence[FieldChange]) -> list[FieldView]:
    """``changes`` in their order; what was added to and removed from one list of plain values
    becomes one view."""
    views: list[FieldView] = []
    index = 0
    while index < len(changes):
        together = _same_list(changes, index)
        if together > 1 or _in_plain_list(changes[index]):
            views.append(_list_view(changes[index : index + together]))
        else:
            views.append(_view(changes[index]))
        index += together
    return views


def _in_plain_list(change: FieldChange) -> bool:
    plain = is_scalar(change.old) and is_scalar(change.new)
    return bool(change.path) and isinstance(change.path[-1], int) and plain


def _same_list(changes: Sequence[FieldChange], start: int) -> int:
    """How many changes from ``start`` on belong to the same list of plain values; 1 at least."""
    end = start + 1
    if _in_plain_list(changes[start]):
        parent = changes[start].path[:-1]
        while (
            end < len(changes) and changes[end].path[:-1] == parent and _in_plain_list(changes[end])
        ):
            end += 1
    return end - start


def _list_view(changes: Sequence[FieldChange]) -> FieldView:
    rows: list[tuple[str, str]] = []
    for change in changes:
        if change.op is not FieldOp.ADD:
            rows.append(("-", scalar(change.old)))
        if change.op is not FieldOp.REMOVE:
            rows.append(("+", scalar(change.new)))
    return FieldView(FieldOp.REPLACE, dotted(changes[0].path[:-1]), tuple(rows))


def _view(change: FieldChange) -> FieldView:
    label = dotted(change.path) or "(everything)"
    if change.op is FieldOp.ADD:
        return _one_sided(change.op, label, "+", change.new)
    if change.op is FieldOp.REMOVE:
        return _one_sided(change.op, label, "-", change.old)
    old, new = value_lines(change.old), value_lines(change.new)
    if old == new:
        old, new = _endings(change.old), _endings(change.new)
    if len(old) == len(new) == 1:
        brief = f"{old[0]} -> {new[0]}"
        return FieldView(change.op, label, (("-", old[0]), ("+", new[0])), brief)
    return FieldView(change.op, label, tuple(_line_diff(old, new)))


def _endings(value: Json) -> list[str]:
    """The last line of a text with its line end: texts that differ in nothing else."""
    return [json.dumps(str(value).splitlines(keepends=True)[-1], ensure_ascii=False)]


def _one_sided(op: FieldOp, label: str, sign: str, value: Json) -> FieldView:
    lines = value_lines(value)
    brief = lines[0] if len(lines) == 1 and not isinstance(value, Mapping) else ""
    return FieldView(op, label, tuple((sign, text) for text in lines), brief)


def _line_diff(old: Sequence[str], new: Sequence[str]) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for number, group in enumerate(
        SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(_CONTEXT)
    ):
        if number or group[0][1]:
            rows.append((" ", "..."))
        for tag, old_from, old_to, new_from, new_to in group:
            if tag == "equal":
                rows += [(" ", text) for text in old[old_from:old_to]]
                continue
            rows += [("-", text) for text in old[old_from:old_to]]
            rows += [("+", text) for text in new[new_from:new_to]]
    return rows


def field_lines(
    changes: Sequence[FieldChange], indent: int, width: int | None, most: int = _MOST_LINES
) -> list[Line]:
    """``changes`` as text: labels in one column, what changed in the next."""
    views = field_views(changes)
    column = max((cells.width(escape.visible(view.label)) for view in views), default=0)
    column = min(column, 30)
    rows: list[Line] = []
    for view in views:
        rows += _view_lines(view, indent, column, width, most)
    return rows


def _view_lines(
    view: FieldView, indent: int, column: int, width: int | None, most: int
) -> list[Line]:
    head = (" " * indent, FIELD_OPS[view.op], " ")
    label = escape.visible(view.label)
    edge = indent + 2 + column + 3
    room = width - edge if width is not None else None
    if view.brief and (room is None or cells.width(escape.visible(view.brief)) <= room):
        return [line(*head, cells.pad(label, max(column, cells.width(label))), "   ", view.brief)]
    shown = [_signed(sign, text, room) for sign, text in view.rows[:most]]
    if len(view.rows) > most:
        shown.append(line(quiet(f"... {len(view.rows) - most} more lines")))
    beside = cells.width(label) <= column
    if beside:
        first = line(*head, cells.pad(label, column), "   ")
        return [first + shown[0], *(line(" " * edge) + row for row in shown[1:])]
    return [line(*head, label), *(line(" " * edge) + row for row in shown)]


def _signed(sign: str, text: str, room: int | None) -> Line:
    shown = escape.visible(text)
    if room is not None:
        shown = cells.clip(shown, max(20, room - 2))
    style = SIGNS.get(sign, Style.PLAIN)
    return (Span(f"{sign} {shown}", style),)
