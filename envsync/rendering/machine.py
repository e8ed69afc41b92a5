"""Reports about this machine and this repository: contexts, doctor, init."""

from __future__ import annotations

from collections.abc import Sequence

from envsync.operations.reports import ContextRow, DoctorReport, InitReport
from envsync.rendering import cells, escape
from envsync.rendering.json_output import json_text
from envsync.rendering.tables import Column, table_lines
from envsync.rendering.text import EMPTY, Line, Span, Style, counted, line, quiet, strong

_STATES = {
    "ok": Span("ok", Style.CREATE),
    "warning": Span("warning", Style.WARNING),
    "failed": Span("FAILED", Style.ERROR),
    "info": Span("-", Style.QUIET),
}


def context_lines(rows: Sequence[ContextRow], width: int | None) -> list[Line]:
    """One row a context; ``*`` marks the one in use."""
    columns = (
        Column(""),
        Column("context"),
        Column("server", flexible=True),
        Column("protected"),
        Column("credential", flexible=True),
    )
    table: list[list[str | Span]] = [
        [
            Span("*" if row.current else "", Style.CREATE),
            strong(row.name) if row.current else row.name,
            row.server,
            "yes" if row.protected else "no",
            row.credential,
        ]
        for row in rows
    ]
    return table_lines(columns, table, width)


def contexts_json(rows: Sequence[ContextRow]) -> str:
    return json_text(
        {
            "contexts": [
                {
                    "name": row.name,
                    "server": row.server,
                    "protected": row.protected,
                    "current": row.current,
                    "credential": row.credential,
                }
                for row in rows
            ]
        }
    )


def doctor_lines(report: DoctorReport, width: int) -> list[Line]:
    """One line a check; what to do about it below."""
    names = max(cells.width(escape.visible(check.name)) for check in report.checks)
    edge = names + 2 + 7 + 2
    rows: list[Line] = []
    for check in report.checks:
        state = _STATES.get(check.state, Span(check.state))
        found = cells.wrap(escape.visible(check.found), max(30, width - edge))
        name = cells.pad(escape.visible(check.name), names)
        state = Span(cells.pad(state.text, 7), state.style)
        rows.append(line(strong(name), "  ", state, f"  {found[0]}"))
        rows += [line(" " * edge, text) for text in found[1:]]
        if check.remedy:
            rows += [line(" " * edge, quiet("= "), text) for text in check.remedy.split("\n")]
    return [*rows, EMPTY, _verdict(report)]


def _verdict(report: DoctorReport) -> Line:
    failed = sum(check.state == "failed" for check in report.checks)
    warned = sum(check.state == "warning" for check in report.checks)
    if failed:
        return line(Span(f"{counted(failed, 'check')} failed", Style.ERROR))
    if warned:
        return line(Span(f"works, with {counted(warned, 'warning')}", Style.WARNING))
    return line(Span("everything works", Style.CREATE))


def doctor_json(report: DoctorReport) -> str:
    return json_text(
        {
            "ok": all(check.state != "failed" for check in report.checks),
            "checks": [
                {
                    "name": check.name,
                    "state": check.state,
                    "found": check.found,
                    "remedy": check.remedy or None,
                }
                for check in report.checks
            ],
        }
    )


def init_lines(report: InitReport) -> list[Line]:
    """What was written and what was there, and what to do next."""
    rows = [line("  ", Span("+", Style.CREATE), f" {path}") for path in report.written]
    rows += [line("  ", quiet(f"= {path}")) for path in report.kept]
    if not report.written:
        return [*rows, EMPTY, line("Nothing to write: everything is there.")]
    written = counted(len(report.written), "file")
    kept = f", left {len(report.kept)} as they were" if report.kept else ""
    return [
        *rows,
        EMPTY,
        line(Span(f"wrote {written}{kept}", Style.CREATE), quiet(f" in {report.root}")),
        line("Next: envsync validate, then envsync plan"),
        line("To check each commit in this clone: envsync hook install"),
    ]


def init_json(report: InitReport) -> str:
    return json_text(
        {"root": report.root, "written": list(report.written), "kept": list(report.kept)}
    )
