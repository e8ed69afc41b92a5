"""A plan as Markdown for a comment or a job summary: the verdict first, and never too long."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from envsync.contract.states import State
from envsync.operations.reports import PlanReport
from envsync.planning.counts import Counts, counts
from envsync.planning.diff import field_changes
from envsync.planning.plan import Change, FieldChange, Notice, Op, Plan
from envsync.rendering.environments import blast_radius
from envsync.rendering.escape import markdown, markdown_block, markdown_code
from envsync.rendering.fields import field_views
from envsync.rendering.plan_text import counted_changes, outline, version_step
from envsync.rendering.symbols import change_sign
from envsync.rendering.text import counted
from envsync.rendering.three_way import headline_of, their_changes
from envsync.rendering.values import value_lines

BUDGET = 60_000
"""Bytes of UTF-8. GitHub refuses a comment of more than 65,536 characters."""

_RESERVE = 400
"""Kept for the sentence that says what was left out."""


class _Section(Struct, frozen=True):
    """Some lines that are shown whole or not at all."""

    text: str

    @property
    def size(self) -> int:
        return len(self.text.encode())


def plan_markdown(report: PlanReport, budget: int = BUDGET) -> str:
    """The plan: verdict and counts, all errors and deletes, a table of changes, their details.

    Whole sections are left out from the end when ``budget`` bytes don't hold them, and the text
    says so; the plan file has all of it.
    """
    plan = report.plan
    found = counts(plan)
    head = _verdict(plan, found)
    tables = [
        *_rows("Refused by the server", [_refused_row(c) for c in plan.changes if c.blocked]),
        *_rows("Held back", [_held_back_row(c) for c in plan.changes if c.held_back]),
        *_rows("Deletes", [_delete_row(c) for c in plan.changes if _is_deleted(c)]),
        *_rows("Warnings", [_warning_row(c) for c in plan.changes if c.foreseen.warnings]),
        *_change_table([c for c in plan.changes if c.op is not Op.DELETE]),
    ]
    details = [_details(change) for change in plan.changes]
    tail = [*(_Section(f"\n_{markdown(sentence)}_\n") for sentence in plan.left_out)]
    return _fitted(head, [*tables, *tail], details, budget)


def _verdict(plan: Plan, found: Counts) -> _Section:
    where = markdown_code(plan.context)
    if found.errors:
        refused = counted(sum(change.blocked for change in plan.changes), "change")
        verdict = f"### ❌ envsync: the server would refuse {refused} for {where}"
    elif plan.is_empty:
        verdict = f"### ✅ envsync: in sync with {where}"
    else:
        held_back = sum(bool(change.held_back) for change in plan.changes)
        number = counted(len(plan.changes) - held_back, "change")
        verdict = f"### envsync: {number} for {where}"
        if held_back:
            verdict += f", {held_back:,} held back"
    about = [
        f"project {markdown_code(plan.project)}",
        f"server {markdown_code(plan.server.address)}",
        f"commit {markdown_code(plan.commit[:12])}" if plan.commit else "",
        f"plan {markdown_code(plan.id[:12])}" if plan.id else "",
    ]
    missing = [held for held in plan.held if held.state is State.MISSING]
    lines = [verdict, "", f"**{counted_changes(found)}**"]
    if missing:
        names = ", ".join(markdown_code(str(held.id)) for held in missing[:20])
        lines += ["", f"Deleted on the server and not made again unasked: {names}"]
    gone = [held for held in plan.held if held.state is State.GONE]
    if gone:
        names = ", ".join(markdown_code(str(held.id)) for held in gone[:20])
        lines += ["", f"No longer declared here, and still on the server: {names}"]
    lines += ["", " · ".join(part for part in about if part)]
    return _Section("\n".join(lines) + "\n")


def _rows(title: str, rows: Sequence[str]) -> list[_Section]:
    if not rows:
        return []
    return [_Section(f"\n#### {title}\n\n"), *(_Section(row) for row in rows)]


def _refused_row(change: Change) -> str:
    return _notices(change, change.foreseen.errors)


def _warning_row(change: Change) -> str:
    return _notices(change, change.foreseen.warnings)


def _notices(change: Change, notices: Sequence[Notice]) -> str:
    name = markdown_code(str(change.id))
    lines = []
    for notice in notices:
        where = f" at {markdown_code(notice.path)}" if notice.path else ""
        lines.append(f"- {name}{where}: {markdown(notice.message)}")
    return "\n".join(lines) + "\n"


def _is_deleted(change: Change) -> bool:
    return change.op is Op.DELETE and not change.held_back


def _held_back_row(change: Change) -> str:
    return f"- {markdown_code(str(change.id))}: {markdown(headline_of(change))}\n"


def _delete_row(change: Change) -> str:
    told = blast_radius(change)
    version = f" v{change.base.version}" if change.base else ""
    return f"- {markdown_code(str(change.id))}{version}" + (f": {told}" if told else "") + "\n"


def _change_table(changes: Sequence[Change]) -> list[_Section]:
    if not changes:
        return []
    head = "\n#### Changes\n\n| | object | version | Environments |\n|---|---|---|---|\n"
    rows = []
    for change in changes:
        sign = change_sign(change).text
        radius = blast_radius(change)
        version = version_step(change).replace("->", "→")
        if change.held_back:
            version = change.held_back
        name = markdown_code(str(change.id))
        if change.moved_from:
            name = f"{markdown_code(change.moved_from)} → {name}"
        rows.append(f"| `{sign}` | {name} | {version} | {markdown(radius)} |\n")
    return [_Section(head), *(_Section(row) for row in rows)]


def _details(change: Change) -> _Section:
    step = version_step(change).replace("->", "→")
    title = f"<code>{change_sign(change).text} {markdown(str(change.id))}</code> {step}"
    lines = ["", "<details>", f"<summary>{title}</summary>", ""]
    lines += [markdown_block(_diff(change), "diff"), ""]
    agreed = their_changes(change)
    if agreed is not None and change.base_canonical is not None and change.three_way is not None:
        since = f"v{change.three_way.version}"
        lines += [f"What was changed on the server since {since}:", ""]
        theirs = field_changes(agreed, change.base_canonical)
        lines += [markdown_block(_field_diff(theirs), "diff"), ""]
    lines += ["</details>", ""]
    return _Section("\n".join(lines))


def _diff(change: Change) -> list[str]:
    """The change as a diff. ``@@`` begins each field, as a hunk does."""
    if change.op is Op.CREATE:
        body = [f"+ {text}" for text in value_lines(change.body or {})]
        return [f"@@ {outline(change.canonical or {})} @@", *body]
    if change.op is Op.DELETE:
        return [f"- {text}" for text in value_lines(change.base_canonical or {})]
    return _field_diff(change.fields)


def _field_diff(fields: Sequence[FieldChange]) -> list[str]:
    lines: list[str] = []
    for view in field_views(fields):
        lines.append(f"@@ {view.label} @@")
        lines += [f"{sign} {text}" for sign, text in view.rows]
    return lines


def _fitted(
    head: _Section, rows: Sequence[_Section], details: Sequence[_Section], budget: int
) -> str:
    """``head``, then what fits of ``rows``, then what fits of ``details``."""
    room = budget - _RESERVE - head.size
    shown = [head.text]
    for section in rows:
        if section.size > room:
            break
        shown.append(section.text)
        room -= section.size
    left_rows = len(rows) - (len(shown) - 1)
    left_details = 0
    for section in details:
        if left_rows or section.size > room:
            left_details += 1
            continue
        shown.append(section.text)
        room -= section.size
    return "".join(shown) + _left_out(left_rows, left_details)


def _left_out(rows: int, details: int) -> str:
    if not rows and not details:
        return ""
    parts = [counted(rows, "row")] if rows else []
    parts += [f"the details of {counted(details, 'change')}"] if details else []
    said = " and ".join(parts)
    return f"\n_Left out to keep this short: {said}. The plan file has all of it._\n"
