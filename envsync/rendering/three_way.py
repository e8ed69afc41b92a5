"""A drift as three sides: what was agreed, what the files say, what somebody saved."""

from __future__ import annotations

from collections.abc import Sequence

from envsync.contract.json_types import JsonObject
from envsync.contract.states import State
from envsync.planning.diff import field_changes
from envsync.planning.drift import drift_told
from envsync.planning.plan import Change, FieldOp, Op
from envsync.rendering import cells, escape
from envsync.rendering.fields import FieldView, field_lines, field_views
from envsync.rendering.text import Line, Span, Style, line, quiet

_LEAST_ROOM = 24
_LONGEST = 200
"""Cells of one value; the whole of it is in `envsync diff`."""

Side = tuple[str, Sequence[str]]
"""A label, and what that side says, a line each."""


def drift_lines(change: Change, width: int, commit: str) -> list[Line]:
    """What stands below the line that names the object: the three sides, and the ways out."""
    rows: list[Line] = []
    found = sides(change, commit)
    if found:
        column = max(cells.width(escape.visible(label)) for label, _ in found)
        for label, said in found:
            rows += _side(label, said, column, width)
    else:
        rows += field_lines(change.fields, 6, width)
    if change.held_back:
        rows += _ways_out(change, width)
    return rows


def headline_of(change: Change) -> str:
    """What the object's own line says of a change that is held back, or is written over drift."""
    if change.held_back == State.UNKNOWN.value:
        version = f"v{change.base.version}" if change.base else "it was deleted there once, or not"
        return f"unknown: {version}; not sent"
    gone = "no longer declared here; " if change.op is Op.DELETE else ""
    return f"{gone}drift: {drift_told(change)}"


def sides(change: Change, commit: str) -> list[Side]:
    """The three sides; none when they never agreed, or theirs is not known."""
    three = change.three_way
    if three is None or three.canonical is None or change.base_canonical is None:
        return []
    ours = three.canonical if change.canonical is None else change.canonical
    mine = field_views(field_changes(three.canonical, ours))
    theirs = field_views(field_changes(three.canonical, change.base_canonical))
    agreed = f", commit {three.commit[:7]}" if three.commit else ""
    at = f" (commit {commit[:7]})" if commit else ""
    here = ["not declared"] if change.op is Op.DELETE else _said(mine)
    version = f" (v{change.base.version})" if change.base else ""
    return [
        (f"base (v{three.version}{agreed})", _before([*mine, *theirs])),
        (f"here{at}", here),
        (f"server{version}", _said(theirs)),
    ]


def their_changes(change: Change) -> JsonObject | None:
    """What was agreed, where it is known: the start of a diff to what they saved."""
    return None if change.three_way is None else change.three_way.canonical


def _before(views: Sequence[FieldView]) -> list[str]:
    """The agreed values of what either side changed."""
    rows: list[str] = []
    for view in views:
        old = [text for sign, text in view.rows if sign == "-"]
        whole = view.op is FieldOp.REMOVE and len(old) > 1
        text = f"({len(old)} lines)" if whole else ", ".join(old)
        said = f"{view.label}: {text}" if view.op is not FieldOp.ADD and old else ""
        if said and said not in rows:
            rows.append(said)
    return rows or ["none of what follows"]


def _said(views: Sequence[FieldView]) -> list[str]:
    return [_one(view) for view in views] or ["as the base"]


def _one(view: FieldView) -> str:
    came = [text for sign, text in view.rows if sign == "+"]
    went = [text for sign, text in view.rows if sign == "-"]
    if view.brief and view.op is FieldOp.REPLACE:
        return f"{view.label}: {came[0]}"
    if view.op is FieldOp.REMOVE:
        return f"- {view.label}"
    if view.op is FieldOp.ADD and len(came) == 1:
        return f"+ {view.label}: {came[0]}"
    if view.op is FieldOp.ADD:
        return f"+ {view.label} ({len(came)} lines)"
    signed = [f"- {text}" for text in went] + [f"+ {text}" for text in came]
    return f"{view.label}: {'  '.join(signed)}"


def _side(label: str, said: Sequence[str], column: int, width: int) -> list[Line]:
    head = cells.pad(escape.visible(label), column)
    edge = 6 + column + 3
    room = max(_LEAST_ROOM, width - edge)
    texts = [
        part
        for each in said
        for part in cells.wrap(cells.clip(escape.visible(each), _LONGEST), room)
    ]
    first, *rest = texts
    return [
        line("      ", quiet(head), f"   {first}"),
        *(line(" " * edge, text) for text in rest),
    ]


def _ways_out(change: Change, width: int) -> list[Line]:
    if change.held_back == State.UNKNOWN.value:
        return []
    theirs = f"keep theirs: envsync pull {change.id.name}"
    word = "delete it" if change.op is Op.DELETE else "keep ours"
    prune = " --prune" if change.op is Op.DELETE else ""
    ours = f"{word}: envsync apply{prune} --on-drift overwrite"
    if 4 + cells.width(escape.visible(theirs)) + 4 + len(ours) <= width:
        return [line("    ", Span(f"{theirs}    {ours}", Style.NOTE))]
    return [line("    ", Span(text, Style.NOTE)) for text in (theirs, ours)]
