"""Git hooks of a clone: what was installed or taken away, and how things are."""

from __future__ import annotations

from collections.abc import Sequence

from envsync.operations.hooking import HookReport
from envsync.project.hook_script import PRE_COMMIT
from envsync.rendering.json_output import json_text
from envsync.rendering.tables import Column, table_lines
from envsync.rendering.text import Line, Span, Style, line, quiet

_STATES = {
    "installed": Span("installed", Style.CREATE),
    "absent": Span("-", Style.QUIET),
    "other": Span("another tool's", Style.QUIET),
    "changed": Span("changed by hand", Style.WARNING),
}


def installed_lines(report: HookReport) -> list[Line]:
    """What the hook does now, what it runs first, and how to get rid of it."""
    hook = report.hook
    verb = "installed" if report.done else "already there:"
    rows = [line(Span(f"{verb} {hook.type}", Style.CREATE), quiet(f"   {hook.file}"))]
    rows.append(line(f"  {_does(report)}"))
    if hook.before is not None:
        rows.append(line(f"  first it runs what was there before: {hook.before.name}"))
    if hook.file.name != hook.type:
        rows.append(line(f"  {hook.type} is another tool's hook, and runs it"))
    if report.folder.tracked:
        rows.append(line("  the folder is part of the repository: whoever pulls it runs it too"))
    rows.append(line(quiet(f"To get rid of it: envsync hook uninstall --type {hook.type}")))
    return rows


def _does(report: HookReport) -> str:
    entry = report.hook.entry
    if entry is None:
        return ""
    if report.hook.type == PRE_COMMIT:
        where = f" in {entry.context}" if entry.context else ""
        return f"validates what is staged{where}"
    return f"applies in {entry.context}"


def uninstalled_lines(reports: Sequence[HookReport]) -> list[Line]:
    """What was taken away, and what stands there again."""
    rows = []
    for report in reports:
        if report.done:
            again = "   what was there before is there again" if _restored(report) else ""
            rows.append(line(Span(f"uninstalled {report.hook.type}", Style.DELETE), quiet(again)))
    return rows or [line("There is no hook of envsync here.")]


def _restored(report: HookReport) -> bool:
    return report.done and report.hook.state == "other"


def hooks_table(reports: Sequence[HookReport], width: int | None) -> list[Line]:
    """One row a hook."""
    columns = (
        Column("hook"),
        Column("state"),
        Column("does", flexible=True),
        Column("runs first", flexible=True),
        Column("file", flexible=True),
    )
    table: list[list[str | Span]] = [
        [
            report.hook.type,
            _STATES[report.hook.state],
            _does(report),
            report.hook.before.name if report.hook.before else "",
            str(report.hook.file),
        ]
        for report in reports
    ]
    return table_lines(columns, table, width)


def hooks_json(reports: Sequence[HookReport]) -> str:
    return json_text(
        {
            "hooks": [
                {
                    "type": report.hook.type,
                    "state": report.hook.state,
                    "file": str(report.hook.file),
                    "context": (report.hook.entry.context or None) if report.hook.entry else None,
                    "before": str(report.hook.before) if report.hook.before else None,
                    "done": report.done,
                }
                for report in reports
            ]
        }
    )
