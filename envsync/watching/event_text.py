"""One event as lines for people, where there is no live table: one line each, where it can be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime

from envsync.applying.outcome import Outcome, Result
from envsync.planning.plan import Change, Plan
from envsync.rendering.problems import ReadSource, problem_lines
from envsync.rendering.symbols import OPS, STOPPED, UNKNOWN, outcome_sign
from envsync.rendering.text import Line, Span, Style, counted, elapsed, line, quiet
from envsync.resources.resource import ObjectId
from envsync.watching import events

_NAMED = 5
"""So many objects are named on one line; the rest is counted."""


def event_lines(event: events.Event, at: datetime, read: ReadSource, width: int) -> list[Line]:
    """``event``, headed by the local time of day; below it what must be read in full."""
    head = quiet(f"{at.astimezone():%H:%M:%S} ")
    first, *below = _said(event, read, width)
    return [(head, *first), *below]


def _said(  # noqa: C901 - one short case an event
    event: events.Event, read: ReadSource, width: int
) -> list[Line]:
    match event:
        case events.Started():
            return [_started(event)]
        case events.FilesChanged():
            return [_files(event)]
        case events.FilesWrong():
            head = line(STOPPED, " files have errors; nothing is planned until they are mended")
            return [head, *problem_lines(event.problems, read, width)]
        case events.FilesMended():
            return [line("files are right again")]
        case events.ServerChanged():
            said = (
                f"{each.id} {each.what}"
                + (f" v{each.version}" if each.version else "")
                + (f" by {each.saved_by}" if each.saved_by else "")
                for each in event.saved
            )
            return [line("server: ", _named(said, len(event.saved)))]
        case events.Planned():
            return [_planned(event)]
        case events.Withheld():
            remedy = f" ({event.problem.remedy.splitlines()[0]})" if event.problem.remedy else ""
            return [line(UNKNOWN, f" not applied: {event.problem.message}{remedy}")]
        case events.Applied():
            return _applied(event)
        case events.Parked():
            parked = event.contested
            by = f", now by {parked.saved_by}" if parked.saved_by else ""
            return [
                line(
                    STOPPED,
                    f" {parked.id} is contested: what was applied was undone {parked.flips} times"
                    f"{by}; it is left alone until its file says something else",
                )
            ]
        case events.Trouble():
            again = elapsed(event.again_in)
            return [line(STOPPED, f" {event.problem.message} (again in {again})")]
        case events.Recovered():
            return [line(f"works again, after {elapsed(event.seconds)}")]
        case events.Rearmed():
            how = f"{counted(event.folders, 'folder')} watched anew"
            if not event.native:
                how = "looking at the files every 2 s instead"
            return [line(quiet(f"{event.why}: {how}"))]
        case events.Stopped():
            return [_stopped(event)]


def _started(event: events.Started) -> Line:
    of = f"commits of {event.ref}" if event.source == "commit" else "the working tree"
    does = "applying to" if event.applies else "planning for"
    more = f", listening on {event.listening}" if event.listening else ""
    return line(f"watching {of} of {event.project}, {does} {event.context}{more}")


def _files(event: events.FilesChanged) -> Line:
    at = f" at commit {event.commit[:7]}" if event.commit else ""
    if not event.objects:
        return line(f"files: {counted(event.files, 'file')}{at}")
    return line(f"files{at}: ", _named(map(str, event.objects), len(event.objects)), " changed")


def _named(said: Iterable[str], count: int) -> str:
    parts = [text for text, _ in zip(said, range(_NAMED), strict=False)]
    more = f" and {count - _NAMED:,} more" if count > _NAMED else ""
    return ", ".join(parts) + more


def _planned(event: events.Planned) -> Line:
    plan = event.plan
    took = quiet(f"  ({elapsed(event.seconds)})")
    total = sum(event.counts.values())
    if plan.is_empty:
        return line(f"plan: in sync, {counted(total, 'object')}", took)
    return line("plan: ", *_changes(plan.changes), f"; {_totals(plan)}", took)


def _changes(changes: tuple[Change, ...]) -> Line:
    spans: list[Span] = []
    for change in changes[:_NAMED]:
        if spans:
            spans.append(Span(", "))
        stopped = change.held_back or change.blocked
        sign = STOPPED if stopped else OPS[change.op]
        why = f" ({change.held_back or 'refused by the server'})" if stopped else ""
        spans += [sign, Span(f" {_short(change.id)}{why}")]
    if len(changes) > _NAMED:
        spans.append(Span(f" and {len(changes) - _NAMED:,} more"))
    return tuple(spans)


def _short(object_id: ObjectId) -> str:
    return object_id.name if object_id.type == "manifest" else str(object_id)


def _totals(plan: Plan) -> str:
    held = sum(bool(change.held_back) for change in plan.changes)
    said = counted(len(plan.changes), "change")
    return f"{said}, {held:,} held back" if held else said


def _applied(event: events.Applied) -> list[Line]:
    counts = Counter(each.result for each in event.outcomes)
    said = ", ".join(f"{result.value} {counts[result]:,}" for result in Result if counts[result])
    bad = any(each.result not in (Result.APPLIED, Result.UNCHANGED) for each in event.outcomes)
    style = Style.WARNING if bad else Style.CREATE
    rows = [line(Span(said, style), quiet(f"  ({elapsed(event.seconds)})"))]
    return [*rows, *(row for each in event.outcomes[:50] for row in _outcome(each))]


def _outcome(outcome: Outcome) -> list[Line]:
    version = f" v{outcome.base.version}" if outcome.base else ""
    why = f": {outcome.problem.message}" if outcome.problem else ""
    sign = outcome_sign(outcome.op, outcome.result)
    said = f" {_short(outcome.id)}{version} {outcome.result.value}{why}"
    return [line("           ", sign, said)]


def _stopped(event: events.Stopped) -> Line:
    if not event.pending:
        return line("stopped; nothing is left to apply" if not event.exit_code else "stopped")
    left = _named(map(_short, event.pending), len(event.pending))
    return line(f"stopped; left to apply: {left}")
