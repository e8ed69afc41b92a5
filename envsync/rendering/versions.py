"""One object looked at closely: one of its versions, or what differs between two sides."""

from __future__ import annotations

from datetime import datetime

from envsync.contract.json_types import Json, pointer_text
from envsync.operations.reports import DiffReport, ShowReport
from envsync.planning.plan import FieldChange
from envsync.rendering.fields import field_lines
from envsync.rendering.json_output import json_text
from envsync.rendering.text import EMPTY, Line, counted, line, quiet, strong
from envsync.rendering.times import ago
from envsync.rendering.values import value_lines


def show_lines(report: ShowReport, now: datetime) -> list[Line]:
    """Who saved it and when, and the body as a little YAML."""
    latest = "latest" if report.latest else "not the latest"
    about = [f"v{report.version} ({latest})"]
    if report.saved_at or report.saved_by:
        by = f" by {report.saved_by}" if report.saved_by else ""
        about.append(f"saved {ago(report.saved_at, now)}{by}")
    if report.environments > 0:
        about.append(counted(report.environments, "Environment"))
    rows = [line(strong(str(report.id)), quiet("  " + ", ".join(about))), EMPTY]
    return [*rows, *(line(text) for text in value_lines(report.body))]


def show_json(report: ShowReport) -> str:
    return json_text(
        {
            "type": report.id.type,
            "name": report.id.name,
            "version": report.version,
            "latest": report.latest,
            "hash": report.hash,
            "savedAt": report.saved_at or None,
            "savedBy": report.saved_by or None,
            "environments": report.environments if report.environments >= 0 else None,
            "body": report.body,
        }
    )


def diff_lines(report: DiffReport, width: int) -> list[Line]:
    """The fields that differ, or one sentence when none do."""
    name = strong(str(report.id))
    if report.old is not None and report.new is not None and not report.fields:
        return [line(name, f": no difference between {report.old_label} and {report.new_label}")]
    path = quiet(f"  {report.path}") if report.path else ""
    head = line(name, f"  {report.old_label} -> {report.new_label}", path)
    return [head, EMPTY, *field_lines(report.fields, 2, width, most=400)]


def diff_json(report: DiffReport) -> str:
    return json_text(
        {
            "type": report.id.type,
            "name": report.id.name,
            "path": report.path or None,
            "old": {"label": report.old_label, "body": report.old},
            "new": {"label": report.new_label, "body": report.new},
            "changes": [field_json(change) for change in report.fields],
        }
    )


def field_json(change: FieldChange) -> dict[str, Json]:
    """``path`` is a JSON Pointer."""
    return {
        "op": change.op.value,
        "path": pointer_text(change.path),
        "from": change.old,
        "to": change.new,
    }
