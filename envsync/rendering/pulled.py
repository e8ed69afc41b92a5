"""What a pull or a rollback did to the files, as text or JSON."""

from __future__ import annotations

from datetime import datetime

from envsync.contract.json_types import Json
from envsync.operations.pulled import Fate, PulledObject, PullReport
from envsync.rendering.cells import pad, width
from envsync.rendering.json_output import json_text, problem_json
from envsync.rendering.symbols import STOPPED, UNCHANGED
from envsync.rendering.text import EMPTY, Line, Span, Style, elapsed, line, quiet, strong
from envsync.rendering.times import ago
from envsync.rendering.unified import diff_lines, diff_text

_SIGNS = {
    Fate.CREATED: Span("+", Style.CREATE),
    Fate.CHANGED: Span("~", Style.CHANGE),
    Fate.REMOVED: Span("-", Style.DELETE),
    Fate.REFUSED: STOPPED,
    Fate.UNCHANGED: UNCHANGED,
}
_WORDS = {
    Fate.CREATED: "created",
    Fate.CHANGED: "changed",
    Fate.REMOVED: "removed",
    Fate.REFUSED: "refused",
    Fate.UNCHANGED: "unchanged",
}


def pull_lines(report: PullReport, now: datetime) -> list[Line]:
    """The diffs (of new files only in a dry run: they can be read as they are), a line for each
    object that changed, and the sum."""
    rows: list[Line] = [line(strong(report.project), " <- ", strong(report.context),
                             quiet(f" ({report.server.address})")), EMPTY]  # fmt: skip
    for file in report.files:
        if report.dry_run or file.fate is Fate.CHANGED:
            rows += [*diff_lines(file), EMPTY]
    shown = [each for each in report.objects if each.fate is not Fate.UNCHANGED]
    if shown:
        column = max(width(each.id.name) for each in shown)
        for each in shown:
            rows += _object(each, column, now)
        rows.append(EMPTY)
    return [*rows, *_sum(report)]


def _object(each: PulledObject, column: int, now: datetime) -> list[Line]:
    paths = ", ".join(file.path for file in each.files)
    said = f"v{each.version}" if each.version else "not on the server"
    saved = f" by {each.saved_by}" if each.saved_by else ""
    when = f" {ago(each.saved_at, now)}" if each.saved_at else ""
    told = quiet(f"{said}{saved}{when}")
    head = line("  ", _SIGNS[each.fate], f" {each.id.type} {pad(each.id.name, column)}  ", told)
    rows = [(*head, *line(f"  {paths}"))] if paths else [head]
    for problem in each.problems:
        rows.append(line(f"      {problem.code}: {problem.message}"))
        if problem.remedy:
            rows.append(line(quiet(f"      {problem.remedy}")))
    others = sorted({name for file in each.files for name in file.contexts})
    if others and each.fate is Fate.CHANGED:
        rows.append(line(quiet(f"      the file speaks for {', '.join(others)} as well")))
    return rows


def _sum(report: PullReport) -> list[Line]:
    took = quiet(f"   ({elapsed(report.seconds)})")
    counts = report.counts
    if not report.objects:
        return [line(f"Nothing on {report.context} that this repository owns.", took)]
    parts = ", ".join(f"{_WORDS[fate]} {counts[fate]:,}" for fate in _WORDS if counts[fate])
    if counts.total() == counts[Fate.UNCHANGED]:
        what = "what that version says" if report.back else "what the server holds"
        return [line(f"The files say already {what}: {parts}", took)]
    rows = [line(parts, took)]
    if report.dry_run:
        rows.append(line("A dry run: nothing was written."))
    elif report.files:
        rows.append(line("Look at it with `git status` and `git diff`, then commit it."))
        if report.back:
            rows.append(line("The server is as it was: `envsync plan` shows the way to this."))
    return rows


def pull_json(report: PullReport) -> str:
    """``files`` have the diff as text; ``created``, ``changed`` ... count objects."""
    counts: dict[str, Json] = {fate.value: report.counts[fate] for fate in Fate}
    return json_text(
        {
            "project": report.project,
            "context": report.context,
            "server": report.server.address,
            "dryRun": report.dry_run,
            "rollback": report.back,
            "exitCode": int(report.exit_code),
            "seconds": round(report.seconds, 3),
            "counts": counts,
            "objects": [_object_json(each) for each in report.objects],
            "files": [
                {
                    "path": file.path,
                    "change": file.fate.value,
                    "contexts": list(file.contexts),
                    "diff": diff_text(file),
                }
                for file in report.files
            ],
            "problems": [problem_json(problem) for problem in report.problems],
        }
    )


def _object_json(each: PulledObject) -> dict[str, Json]:
    return {
        "type": each.id.type,
        "name": each.id.name,
        "result": each.fate.value,
        "version": each.version or None,
        "savedBy": each.saved_by or None,
        "savedAt": each.saved_at or None,
        "paths": [file.path for file in each.files],
        "problems": [problem_json(problem) for problem in each.problems],
    }
