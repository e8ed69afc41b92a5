"""What a sync did: the commit, the push, and all of it as JSON."""

from __future__ import annotations

import json

from envsync.operations.synced import Landed, SyncReport
from envsync.rendering import escape
from envsync.rendering.json_output import json_text
from envsync.rendering.outcomes import apply_json
from envsync.rendering.text import EMPTY, Line, Span, Style, counted, line, quiet

_MOST_FILES = 8


def landed_lines(landed: Landed) -> list[Line]:
    """The commit and its files, and where it was pushed; nothing where nothing was to be done."""
    rows: list[Line] = []
    short = landed.commit[:7]
    if landed.files:
        files = counted(len(landed.files), "file")
        rows.append(line(Span(f"committed {short}", Style.CREATE), f"   {files}"))
        rows += [line(quiet(f"  {path}")) for path in landed.files[:_MOST_FILES]]
        more = len(landed.files) - _MOST_FILES
        if more > 0:
            rows.append(line(quiet(f"  and {more:,} more")))
    if landed.upstream:
        where = escape.visible(landed.upstream)
        if landed.pushed:
            rows.append(line(Span(f"pushed {short}", Style.CREATE), f"   to {where}"))
        else:
            rows.append(line(quiet(f"{where} has {short} already")))
    return [*rows, EMPTY] if rows and landed.prepared.plan.plan.changes else rows


def sync_json(report: SyncReport) -> str:
    """The commit, the push, and the apply's own document."""
    landed = report.landed
    return json_text(
        {
            "commit": landed.commit,
            "committed": list(landed.files),
            "upstream": landed.upstream or None,
            "pushed": landed.pushed,
            "apply": json.loads(apply_json(report.applied)),
        }
    )
