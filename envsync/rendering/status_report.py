"""How things stand: one row an object, or JSON."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from envsync.contract.json_types import Json
from envsync.contract.states import State
from envsync.operations.reports import StatusReport, StatusRow
from envsync.rendering import text
from envsync.rendering.json_output import json_text, problem_json
from envsync.rendering.symbols import STATES
from envsync.rendering.tables import Column, table_lines
from envsync.rendering.text import EMPTY, Line, Span, Style, counted, elapsed, line, quiet
from envsync.rendering.times import age

_COLUMNS = (
    Column("type"),
    Column("name", flexible=True),
    Column("state"),
    Column("here", flexible=True),
    Column("server"),
    Column("by", flexible=True),
    Column("environments", flexible=True),
)


def status_lines(report: StatusReport, now: datetime, width: int | None) -> list[Line]:
    """The table and the line that sums it up."""
    if not report.rows:
        return [line(f"Nothing here, and nothing on {report.context} that it speaks for.")]
    return [*status_table(report.rows, now, width), EMPTY, *_summary(report, width)]


def status_table(rows: Sequence[StatusRow], now: datetime, width: int | None) -> list[Line]:
    """The table alone, its head first."""
    return table_lines(_COLUMNS, [_row(row, now) for row in rows], width)


def _row(row: StatusRow, now: datetime) -> list[str | Span]:
    by = "-"
    if row.version and (row.saved_by or row.saved_at):
        by = ", ".join(part for part in (row.saved_by, _age(row.saved_at, now)) if part)
    return [
        row.id.type,
        row.id.name,
        Span(row.state.value, STATES.get(row.state, Style.PLAIN)),
        row.here or "-",
        f"v{row.version}" if row.version else "-",
        by,
        _environments(row),
    ]


def _age(saved_at: str, now: datetime) -> str:
    return age(saved_at, now) if saved_at else ""


def _environments(row: StatusRow) -> str:
    if row.environments <= 0:
        return "-"
    older = f" ({row.on_older} older)" if row.on_older > 0 else ""
    return f"{row.environments}{older}"


def _summary(report: StatusReport, width: int | None) -> list[Line]:
    total = len(report.rows)
    parts = [
        f"{report.counts[state]:,} {state.value}" for state in State if report.counts.get(state)
    ]
    said = line(f"{counted(total, 'object')}: {', '.join(parts)}")
    took = quiet(f"   ({report.context}, {elapsed(report.seconds)})")
    if width is None or text.width((*said, took)) <= width:
        return [(*said, took)]
    return [said, line(took)]


def status_json(report: StatusReport) -> str:
    return json_text(
        {
            "project": report.project,
            "context": report.context,
            "server": report.server.address,
            "commit": report.commit,
            "seconds": round(report.seconds, 3),
            "counts": {state.value: report.counts.get(state, 0) for state in State},
            "rows": [_row_json(row) for row in report.rows],
            "problems": [problem_json(problem) for problem in report.problems],
        }
    )


def _row_json(row: StatusRow) -> dict[str, Json]:
    """Unknown counts and absent versions are null."""
    return {
        "type": row.id.type,
        "name": row.id.name,
        "state": row.state.value,
        "here": row.here or None,
        "version": row.version or None,
        "savedBy": row.saved_by or None,
        "savedAt": row.saved_at or None,
        "environments": row.environments if row.environments >= 0 else None,
        "onOlder": row.on_older if row.on_older >= 0 else None,
        "path": row.path or None,
    }
