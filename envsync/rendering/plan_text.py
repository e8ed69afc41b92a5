"""A plan as a tree that a person can review: objects, their fields, what the server foresees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from envsync.contract.json_types import JsonObject
from envsync.contract.states import State
from envsync.operations.reports import PlanReport
from envsync.planning.counts import Counts, counts
from envsync.planning.plan import Change, Held, Notice, Op, Plan, ServerIdentity
from envsync.rendering import cells, escape
from envsync.rendering.environments import blast_radius
from envsync.rendering.fields import field_lines
from envsync.rendering.symbols import STOPPED, change_sign
from envsync.rendering.text import (
    EMPTY,
    Line,
    Span,
    Style,
    counted,
    elapsed,
    line,
    quiet,
    strong,
)
from envsync.rendering.three_way import drift_lines, headline_of

_NAME_COLUMN = 32
"""Names are padded to the longest one, up to this many cells."""


class _Layout(Struct, frozen=True):
    names: int
    width: int


def plan_lines(
    report: PlanReport, width: int, saved: str = "", *, goes_on: bool = False
) -> list[Line]:
    """The whole plan. Without a change that is one sentence. ``saved`` is the file it was saved
    to, or empty. ``goes_on`` says that the same command goes on to apply it."""
    plan = report.plan
    found = counts(plan)
    # Against a Git revision, what only that revision declares is what the change takes away.
    told = {State.MISSING, State.FOREIGN} if report.offline else {State.MISSING, State.GONE}
    moving = {(change.id.type, change.moved_from) for change in plan.changes}
    missing = [
        held
        for held in plan.held
        if held.state in told and (held.id.type, held.id.name) not in moving
    ]
    if plan.is_empty and not missing:
        return [_in_sync(report, found), *_left_out(plan, width)]
    layout = _Layout(_name_width(plan.changes, missing), width)
    rows = [headline(plan.project, plan.context, plan.server, plan.commit), EMPTY]
    blocks = [_change_lines(change, layout, plan.commit) for change in plan.changes]
    rows += _spaced([*blocks, *([_missing_line(held, layout)] for held in missing)])
    rows += [EMPTY, *_counts_lines(report, found, width)]
    return [*rows, *_left_out(plan, width), *_way_on(report, saved, goes_on=goes_on)]


def _spaced(blocks: Sequence[list[Line]]) -> list[Line]:
    """``blocks`` one below the other, an empty line around those of several lines."""
    rows: list[Line] = []
    before = 1
    for block in blocks:
        if rows and (before > 1 or len(block) > 1):
            rows.append(EMPTY)
        rows += block
        before = len(block)
    return rows


def headline(project: str, context: str, server: ServerIdentity, commit: str) -> Line:
    """``acme -> production (runtime.example)   commit 4f2c1aa``."""
    where = server.address if not server.label else f"{server.address}, {server.label}"
    said = f"   commit {commit[:7]}" if commit else ""
    known = "" if where == context else f" ({where})"
    return line(strong(project), " -> ", strong(context), quiet(known + said))


def _in_sync(report: PlanReport, found: Counts) -> Line:
    plan = report.plan
    number = counted(found.unchanged, "object")
    verb = "matches" if found.unchanged == 1 else "match"
    at = f" at commit {plan.commit[:7]}" if plan.commit else ""
    foreign = f"; {found.foreign:,} more are not this repository's" if found.foreign else ""
    said = f"{number} {verb} {plan.context}{at}{foreign}."
    if report.offline:
        base = escape.visible(report.offline)
        said = f"{number} of {plan.context} {verb} what the files said at {base}{foreign}."
    return line(Span("In sync:", Style.CREATE), f" {said}", quiet(f" ({elapsed(report.seconds)})"))


def _name_width(changes: Sequence[Change], missing: Sequence[Held]) -> int:
    names = [*(_named(change) for change in changes), *(str(held.id) for held in missing)]
    return min(_NAME_COLUMN, max(cells.width(escape.visible(name)) for name in names))


def _change_lines(change: Change, layout: _Layout, commit: str) -> list[Line]:
    rows = _head_lines(change, layout)
    if change.held_back or change.three_way is not None:
        rows += drift_lines(change, layout.width, commit)
    elif change.op is Op.UPDATE:
        rows += field_lines(change.fields, 6, layout.width)
    for notice in change.foreseen.errors:
        rows += _notice_lines(notice, "error", Style.ERROR, layout.width)
    for notice in change.foreseen.warnings:
        rows += _notice_lines(notice, "warning", Style.WARNING, layout.width)
    return rows


def _head_lines(change: Change, layout: _Layout) -> list[Line]:
    """The object's line; what doesn't fit beside the version goes below."""
    sign = change_sign(change)
    name = escape.visible(_named(change))
    padded = cells.pad(name, max(layout.names, cells.width(name)))
    if change.held_back or change.three_way is not None:
        return _odd_lines(sign, padded, headline_of(change), layout.width)
    said = version_step(change)
    new = change.op is Op.CREATE and not change.moved_from
    more = outline(change.canonical or {}) if new else blast_radius(change)
    head = line("  ", sign, " ", strong(padded), f"   {said}")
    if not more:
        return [head]
    gap = 2 if change.op is Op.CREATE else 3
    if 4 + cells.width(padded) + 3 + len(said) + gap + cells.width(more) <= layout.width:
        return [head + line(" " * gap, _radius(change, more))]
    return [head, line(" " * 6, _radius(change, more))]


def _odd_lines(sign: Span, name: str, said: str, width: int) -> list[Line]:
    """An object's line that has a sentence to say: below the name where that is long."""
    edge = 4 + cells.width(name) + 3
    first, *rest = cells.wrap(escape.visible(said), max(30, width - edge))
    return [
        line("  ", sign, " ", strong(name), f"   {first}"),
        *(line(" " * edge, text) for text in rest),
    ]


def _named(change: Change) -> str:
    """``manifest analyst``, and where a name is new: ``manifest analyst -> analyst-box``."""
    if change.moved_from:
        return f"{change.id.type} {change.moved_from} -> {change.id.name}"
    return str(change.id)


def _radius(change: Change, text: str) -> Span:
    return Span(text, Style.QUIET if change.op is Op.CREATE else Style.PLAIN)


def version_step(change: Change) -> str:
    """``new``, ``v7 -> v8``, or the version that goes."""
    base = change.base
    if change.op is Op.CREATE:
        following = change.foreseen.next_version
        again = "again " if change.state is State.MISSING else ""
        return f"{again}new" if following in (None, 1) else f"{again}new, v{following}"
    if base is None:
        return ""
    if change.op is Op.DELETE:
        return f"v{base.version}, deleted"
    if not base.version:  # a Git revision has no versions
        return "changed"
    following = change.foreseen.next_version or base.version + 1
    return f"v{base.version} -> v{following}"


def outline(body: JsonObject) -> str:
    """A new manifest in a few words: ``virtual, 3 hosts, 2 steps``."""
    parts = [str(body.get("kind", ""))]
    network = body.get("network")
    hosts = network.get("allowedHosts") if isinstance(network, Mapping) else None
    parts.append(counted(len(hosts), "host") if isinstance(hosts, list | tuple) else "no network")
    for key, noun in (("setup", "step"), ("files", "file"), ("secrets", "secret")):
        held = body.get(key)
        if isinstance(held, list | tuple | Mapping) and held:
            parts.append(counted(len(held), noun))
    return ", ".join(part for part in parts if part)


def _notice_lines(notice: Notice, word: str, style: Style, width: int) -> list[Line]:
    """What the server said, under its object, with the field it is about."""
    where = f" ({notice.path})" if notice.path else ""
    head = f"    {word}: "
    text = cells.wrap(escape.visible(notice.message + where), max(30, width - len(head)))
    first, *rest = text
    return [line("    ", Span(f"{word}:", style), f" {first}"), *(line(" " * 6, t) for t in rest)]


def _missing_line(held: Held, layout: _Layout) -> Line:
    name = cells.pad(escape.visible(str(held.id)), layout.names)
    said = "deleted on the server; --recreate makes it again"
    if held.state is State.FOREIGN:
        said = "no longer declared here; a server keeps what it has"
    if held.state is State.GONE:
        said = _gone(held)
    return line("  ", STOPPED, " ", strong(name), f"   {said}")


def _gone(held: Held) -> str:
    version = f" (v{held.base.version})" if held.base else ""
    if held.environments > 0:
        used = counted(held.environments, "Environment uses", "Environments use")
        return f"no longer declared here{version}; {used} it"
    return f"no longer declared here{version}; --prune deletes it"


def counted_changes(found: Counts) -> str:
    """``2 to create, 3 to change, 1 to delete, 34 unchanged``."""
    parts = [
        f"{found.create:,} to create" if found.create else "",
        f"{found.update:,} to change" if found.update else "",
        f"{found.move:,} to move" if found.move else "",
        f"{found.delete:,} to delete" if found.delete else "",
        f"{found.drift:,} in drift" if found.drift else "",
        f"{found.unknown:,} unknown" if found.unknown else "",
        f"{found.missing:,} missing" if found.missing else "",
        f"{found.gone:,} gone" if found.gone else "",
        f"{found.foreign:,} foreign" if found.foreign else "",
        f"{found.unchanged:,} unchanged" if found.unchanged else "",
    ]
    return ", ".join(part for part in parts if part) or "nothing to do"


def _counts_lines(report: PlanReport, found: Counts, width: int) -> list[Line]:
    counted_all = f" {counted_changes(found)}"
    about = f"({counted(report.objects, 'object')}, {elapsed(report.seconds)})"
    head = line(strong("plan:"), counted_all)
    if len("plan:") + len(counted_all) + 3 + len(about) <= width:
        return [head + line(quiet(f"   {about}"))]
    return [head, line(quiet(f"      {about}"))]


def _left_out(plan: Plan, width: int) -> list[Line]:
    """What a narrowed plan doesn't speak of, in sentences."""
    rows: list[Line] = []
    for sentence in plan.left_out:
        rows += [line(quiet(text)) for text in cells.wrap(escape.visible(sentence), width)]
    return rows


def _way_on(report: PlanReport, saved: str, *, goes_on: bool) -> list[Line]:
    plan = report.plan
    blocked = sum(change.blocked for change in plan.changes)
    if blocked:
        what = counted(blocked, "change")
        them = "it" if blocked == 1 else "them"
        said = f": the server would refuse {what}, so apply would not send {them}"
        return [line(Span("error", Style.ERROR), said)]
    if goes_on or all(change.held_back for change in plan.changes):
        return []
    if report.offline:
        said = f"Told from the files since {escape.visible(report.offline)}; no server was asked."
        return [line(quiet(said))]
    if saved:
        file = escape.visible(saved)
        return [line(quiet(f"Saved as {file}. Apply just this with: envsync apply {file}"))]
    return [line(quiet("Save this plan with -o plan.json, or run: envsync apply"))]
