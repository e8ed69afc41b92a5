"""What became of each change: lines as they come, the counts at the end, and all of it as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from envsync.applying.outcome import Outcome, Result
from envsync.contract.json_types import Json
from envsync.errors import ExitCode
from envsync.operations.reports import ApplyReport
from envsync.planning.plan import Op
from envsync.rendering import cells, escape
from envsync.rendering.json_output import json_text, problem_json
from envsync.rendering.symbols import outcome_sign
from envsync.rendering.text import EMPTY, Line, Span, Style, elapsed, line, quiet, strong

_ORDER = (
    Result.APPLIED,
    Result.UNCHANGED,
    Result.CONFLICT,
    Result.FAILED,
    Result.NOT_ATTEMPTED,
)
_VERSION = 5
"""Cells for ``v8``; five digits of versions fit a thousand saves a year for a while."""

_DONE = {Op.CREATE: "saved", Op.UPDATE: "saved", Op.DELETE: "deleted"}


def outcome_lines(outcomes: Sequence[Outcome], width: int) -> list[Line]:
    """One line for each change that was planned, with what to know about it below. Objects that
    the plan left as they were are only counted."""
    planned = [outcome for outcome in outcomes if outcome.op is not None]
    if not planned:
        return []
    names = [cells.width(escape.visible(str(outcome.id))) for outcome in planned]
    column = min(40, max(names))
    rows: list[Line] = []
    for outcome in planned:
        rows += _one(outcome, column, width)
    return rows


def _one(outcome: Outcome, column: int, width: int) -> list[Line]:
    name = escape.visible(str(outcome.id))
    name = cells.pad(name, max(column, cells.width(name)))
    version = f"v{outcome.base.version}" if outcome.base and outcome.op is not Op.DELETE else ""
    head = line(
        "  ",
        outcome_sign(outcome.op, outcome.result),
        " ",
        strong(name),
        f"  {version:<{_VERSION}} ",
    )
    edge = 4 + cells.width(name) + 2 + _VERSION + 1
    first, *rest = _said(outcome, max(30, width - edge))
    style = Style.ERROR if outcome.result in (Result.CONFLICT, Result.FAILED) else Style.PLAIN
    return [head + line(Span(first, style)), *(line(" " * edge, text) for text in rest)]


def _said(outcome: Outcome, room: int) -> list[str]:
    texts = [_verdict(outcome), *outcome.notes]
    if outcome.problem is not None and outcome.problem.remedy:
        texts += outcome.problem.remedy.split("\n")
    lines: list[str] = []
    for text in texts:
        lines += cells.wrap(escape.visible(text), room)
    return lines


def _verdict(outcome: Outcome) -> str:
    problem = outcome.problem
    if outcome.result is Result.APPLIED:
        return _DONE[outcome.op] if outcome.op else "saved"
    if outcome.result is Result.UNCHANGED:
        return "unchanged"
    word = "not attempted" if outcome.result is Result.NOT_ATTEMPTED else outcome.result.value
    if problem is None:
        return word
    code = f" [{problem.code}]" if outcome.result is not Result.NOT_ATTEMPTED else ""
    return f"{word}: {problem.message}{code}"


def result_counts(outcomes: Sequence[Outcome]) -> dict[Result, int]:
    """How many outcomes of each kind, those with none left out."""
    found = Counter(outcome.result for outcome in outcomes)
    return {result: found[result] for result in _ORDER if found[result]}


def verdict_lines(report: ApplyReport) -> list[Line]:
    """The counts and, where something is left, the way on."""
    found = result_counts(report.outcomes)
    words = [f"{result.value.replace('-', ' ')} {number:,}" for result, number in found.items()]
    done = report.exit_code is ExitCode.DONE
    style = Style.CREATE if done else Style.ERROR
    said = ", ".join(words) or "nothing to apply"
    rows = [line(Span(said, style), quiet(f"   ({elapsed(report.seconds)})" + _exit(report)))]
    if not done:
        rows.append(line("See what is left with: envsync plan"))
    return rows


def _exit(report: ApplyReport) -> str:
    return "" if report.exit_code is ExitCode.DONE else f"   exit {int(report.exit_code)}"


def apply_lines(report: ApplyReport, width: int) -> list[Line]:
    """The whole result of an apply."""
    rows = outcome_lines(report.outcomes, width)
    return [*rows, *([EMPTY] if rows else []), *verdict_lines(report)]


def apply_json(report: ApplyReport) -> str:
    """Every object of the plan with its outcome, in the plan's order."""
    plan = report.plan
    return json_text(
        {
            "plan": plan.id,
            "project": plan.project,
            "context": plan.context,
            "server": plan.server.address,
            "commit": plan.commit,
            "exitCode": int(report.exit_code),
            "signal": report.signal,
            "seconds": round(report.seconds, 3),
            "counts": {each.value: n for each, n in result_counts(report.outcomes).items()},
            "outcomes": [outcome_json(outcome) for outcome in report.outcomes],
            "problems": [problem_json(problem) for problem in report.problems],
        }
    )


def outcome_json(outcome: Outcome) -> dict[str, Json]:
    return {
        "type": outcome.id.type,
        "name": outcome.id.name,
        "op": outcome.op.value if outcome.op else None,
        "result": outcome.result.value,
        "version": outcome.base.version if outcome.base else None,
        "hash": outcome.base.hash if outcome.base else None,
        "problem": problem_json(outcome.problem) if outcome.problem else None,
        "notes": list(outcome.notes),
        "attempts": outcome.attempts,
    }
