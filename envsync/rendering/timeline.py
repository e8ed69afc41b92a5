"""The history of one object: which commit said which version, and what no commit explains."""

from __future__ import annotations

from datetime import datetime

from envsync.contract.json_types import Json
from envsync.operations.reports import CommitEntry, HistoryEntry, HistoryReport, Origin
from envsync.rendering.json_output import json_text
from envsync.rendering.tables import Column, table_lines
from envsync.rendering.text import Line, Span, Style
from envsync.rendering.times import ago

_STYLES = {
    Origin.DRIFT: Style.ERROR,
    Origin.PUT_BACK: Style.ERROR,
    Origin.NOT_YET: Style.CHANGE,
    Origin.NEVER: Style.QUIET,
}


def history_lines(report: HistoryReport, now: datetime, width: int | None) -> list[Line]:
    """One row a version or a commit, newest first."""
    columns = [
        Column("version"),
        Column("commit"),
        Column("by", flexible=True),
        Column("what", flexible=True),
        Column("when"),
        Column("", flexible=True),
    ]
    rows = [_row(entry, now) for entry in report.entries]
    if any(entry.environments > 0 for entry in report.entries):
        columns.insert(5, Column("environments"))
        for row, entry in zip(rows, report.entries, strict=True):
            row.insert(5, str(entry.environments) if entry.environments > 0 else "-")
    return table_lines(columns, rows, width)


def _row(entry: HistoryEntry, now: datetime) -> list[str | Span]:
    """A version is told by its commit where there is one, and by who saved it where not."""
    commit = entry.commit
    told = commit is not None and entry.origin is not Origin.PUT_BACK
    by, what = (commit.author, commit.subject) if commit and told else (entry.saved_by, "")
    if entry.origin in (Origin.DRIFT, Origin.PUT_BACK):
        what = "by hand"
    return [
        f"v{entry.version}" if entry.version else "-",
        commit.id[:7] if commit else "-",
        by or "-",
        what or "-",
        ago(entry.saved_at if entry.version else commit.at if commit else "", now),
        Span(_note(entry, told=told), _STYLES.get(entry.origin, Style.PLAIN)),
    ]


def _note(entry: HistoryEntry, *, told: bool) -> str:
    words = [] if entry.origin in (Origin.COMMITTED, Origin.UNKNOWN) else [entry.origin.value]
    if told and entry.version and entry.saved_by:
        words.append(f"by {entry.saved_by}")
    if entry.same_as_here:
        words.append("same as here")
    return ", ".join(words)


def history_json(report: HistoryReport) -> str:
    """``entries`` are the versions, ``notApplied`` the commits that none of them holds."""
    versions = [entry for entry in report.entries if entry.version]
    commits = [entry for entry in report.entries if not entry.version]
    return json_text(
        {
            "type": report.id.type,
            "name": report.id.name,
            "server": report.server.address,
            "entries": [_version_json(entry) for entry in versions],
            "notApplied": [
                {"origin": entry.origin.value, "commit": _commit_json(entry.commit)}
                for entry in commits
            ],
        }
    )


def _version_json(entry: HistoryEntry) -> dict[str, Json]:
    return {
        "version": entry.version,
        "hash": entry.hash,
        "savedAt": entry.saved_at or None,
        "savedBy": entry.saved_by or None,
        "environments": entry.environments if entry.environments >= 0 else None,
        "sameAsHere": entry.same_as_here,
        "origin": entry.origin.value,
        "commit": _commit_json(entry.commit),
    }


def _commit_json(commit: CommitEntry | None) -> Json:
    if commit is None:
        return None
    return {
        "id": commit.id,
        "author": commit.author,
        "subject": commit.subject,
        "at": commit.at,
    }
