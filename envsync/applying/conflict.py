"""Somebody else saved what we were about to save: what a 412 means, and what is told of it."""

from __future__ import annotations

from msgspec.structs import replace

from envsync.applying.outcome import Outcome, Result
from envsync.applying.run import Run
from envsync.contract.canonical import digest
from envsync.contract.json_types import JsonObject, dotted
from envsync.contract.normalise import normalise
from envsync.errors import EnvsyncError, Problem
from envsync.planning.diff import field_changes
from envsync.planning.foreseen import says_unchanged
from envsync.planning.ignore import ignored_fields, take_over
from envsync.planning.plan import Change, FieldOp
from envsync.planning.sameness import same
from envsync.planning.staleness import is_fulfilled
from envsync.resources.resource import Observed

_MOST_FIELDS = 3


async def already_there(run: Run, change: Change, found: Observed | None) -> bool:
    """Whether the server's latest is what ``change`` wants, so that nothing is left to do. Where
    a foreign server fills in fields, it is asked."""
    told = is_fulfilled(change, found, comparable=run.comparable)
    if told is None and found is not None and change.body is not None:
        answer = await run.reader.dry_run(change.id.name, change.body, found.base.version)
        return says_unchanged(answer)
    return bool(told)


def rebased(run: Run, change: Change, found: Observed | None) -> Change | None:
    """``change`` upon the server's latest, when it is still the same change: the same diff from
    theirs to ours. ``None`` when it is another one, which nobody has seen.

    Fields that are left to others are taken over again, as they are now.
    """
    if (found is None) != (change.base is None):
        return None
    if found is None or found.canonical is None or change.base_canonical is None:
        return None
    if change.body is None or change.canonical is None:
        return None
    body: JsonObject = change.body
    canonical: JsonObject = change.canonical
    fields = ignored_fields(run.ignore, change.id)
    if fields:
        raw = found.body if found.body is not None else found.canonical
        body = take_over(body, raw, fields)
        canonical = normalise(change.id.type, body)
    ours = field_changes(change.base_canonical, change.canonical)
    if ours != field_changes(found.canonical, canonical):
        return None
    return replace(
        change,
        base=found.base,
        base_canonical=found.canonical,
        body=body,
        canonical=canonical,
        hash=digest(canonical),
    )


def conflict(change: Change, found: Observed | None, *, attempts: int, saved_plan: bool) -> Outcome:
    """What is told when we stop: who was there, and what theirs differs in from the base."""
    theirs = None if found is None else found.canonical
    problem = Problem(
        "E520",
        f"{_what_moved(change, found)}; {_difference(change, theirs)}nothing was written",
        remedy=(
            "the plan is stale, make it again: envsync plan -o plan.json"
            if saved_plan
            else "see what is there now: envsync plan"
        ),
        subject=str(change.id),
    )
    return Outcome(
        change.id,
        change.op,
        Result.CONFLICT,
        None if found is None else found.base,
        problem,
        (),
        attempts,
        theirs,
    )


def conflict_unread(change: Change, refusal: EnvsyncError, *, attempts: int) -> Outcome:
    """A conflict of which no more is known than the server's refusal: reading failed."""
    problem = replace(refusal.problems[0], subject=str(change.id))
    return Outcome(change.id, change.op, Result.CONFLICT, None, problem, (), attempts)


def _what_moved(change: Change, found: Observed | None) -> str:
    planned = "that there is none" if change.base is None else f"v{change.base.version}"
    if found is None:
        return f"{planned} is gone: somebody deleted it"
    by = f" by {found.saved_by}" if found.saved_by else ""
    at = f", {found.saved_at}" if found.saved_at else ""
    if change.base is None:
        return f"somebody made it meanwhile (v{found.base.version}{by}{at})"
    if found.base.version == change.base.version:
        return f"{planned} is no longer what it was (made again{by}{at})"
    return f"{planned} is no longer the latest (v{found.base.version}{by}{at})"


def _difference(change: Change, theirs: JsonObject | None) -> str:
    """Which fields they changed, in words; empty when that can't be told."""
    if theirs is None:
        return ""
    against = change.base_canonical if change.base is not None else change.canonical
    if against is None:
        return ""
    if same(theirs, against):
        return "theirs has the same content as the base; "
    paths = list(
        dict.fromkeys(_told(each.op, each.path) for each in field_changes(against, theirs))
    )
    more = len(paths) - _MOST_FIELDS
    words = ", ".join(paths[:_MOST_FIELDS]) + (f" and {more} more" if more > 0 else "")
    return f"theirs differs in {words}; "


def _told(op: FieldOp, path: tuple[str | int, ...]) -> str:
    """A value of a list by the list, since its place says nothing to a person."""
    if op is not FieldOp.REPLACE and path and isinstance(path[-1], int):
        return dotted(path[:-1])
    return dotted(path)
