"""The verdict of ``validate``, and the whole of it as JSON."""

from __future__ import annotations

from envsync.operations.reports import ValidationReport
from envsync.rendering.json_output import json_text, problem_json
from envsync.rendering.problems import problem_counts
from envsync.rendering.text import Line, Span, Style, counted, elapsed, line, quiet


def verdict_lines(report: ValidationReport) -> list[Line]:
    """The last line: what was found, in how many files, and how long it took."""
    took = quiet(f" ({elapsed(report.seconds)})")
    if not report.problems:
        found = f"valid: {counted(report.objects, 'object')} in {counted(report.checked, 'file')}"
        return [line(Span(found, Style.CREATE), took)]
    faulty = len({problem.position.path for problem in report.problems if problem.position})
    counts = Span(
        problem_counts(report.errors, report.warnings),
        Style.ERROR if report.errors else Style.WARNING,
    )
    # What is not read, such as a link that leads away, is faulty and not among the files checked.
    files = counted(max(faulty, report.checked), "file")
    where = f" in {faulty} of {files}" if faulty else ""
    return [line(counts, where, took)]


def validation_json(report: ValidationReport) -> str:
    """``problems`` in the order of files and lines; ``files`` were checked."""
    return json_text(
        {
            "valid": not report.errors,
            "errors": report.errors,
            "warnings": report.warnings,
            "files": report.checked,
            "objects": report.objects,
            "seconds": round(report.seconds, 3),
            "problems": [problem_json(problem) for problem in report.problems],
        }
    )
