"""Carries out one create or update."""

from __future__ import annotations

from envsync.applying.conflict import already_there, conflict, conflict_unread, rebased
from envsync.applying.outcome import Outcome, Result
from envsync.applying.run import MOST_RETRIES, Run, failed, not_attempted
from envsync.errors import ApiError, EnvsyncError, NetworkError
from envsync.planning.drafting import precondition
from envsync.planning.plan import Change
from envsync.resources.resource import Base, Observed

_PRECONDITION_FAILED = 412
_SERVER_ERROR = 500


async def save(run: Run, change: Change) -> Outcome:
    """What became of ``change``. Raises nothing that is an ``EnvsyncError``.

    Nothing is written over what nobody has seen: a save carries the version that it starts from,
    and is repeated only upon a base with the same diff, or when the answer was lost and the
    server shows that nothing happened.
    """
    if change.id in run.done:
        try:
            found = await run.read(change.id)
            if await already_there(run, change, found):
                return _already_there(change, found, lost=False, attempts=0)
        except EnvsyncError as error:
            run.note_error(error)
            return failed(change, error, attempts=0)
    return await _save(run, change)


async def _save(run: Run, change: Change) -> Outcome:
    now = change
    lost = False
    attempt = 0
    while True:
        attempt += 1
        try:
            saved = await run.writer.save_manifest(
                now.id.name, now.body or {}, precondition(now.base)
            )
        except EnvsyncError as error:
            trouble = error
        else:
            result = Result.UNCHANGED if saved.unchanged else Result.APPLIED
            base = Base(saved.view.version, saved.view.hash)
            return Outcome(change.id, change.op, result, base, None, saved.notes, attempt)
        if not _must_look(trouble):
            run.note_error(trouble)
            return failed(change, trouble, attempts=attempt)
        lost = lost or not _is_conflict(trouble)
        try:
            found = await run.read(change.id)
            if await already_there(run, now, found):
                return _already_there(change, found, lost=lost, attempts=attempt)
        except EnvsyncError as error:
            run.note_error(error)
            if _is_conflict(trouble) and not lost:
                return conflict_unread(change, trouble, attempts=attempt)
            return failed(change, trouble, attempts=attempt, uncertain=True)
        following = await _following(run, now, found, trouble, attempt)
        if isinstance(following, Outcome):
            return following
        now = following


async def _following(
    run: Run, change: Change, found: Observed | None, trouble: EnvsyncError, attempt: int
) -> Change | Outcome:
    """What to try next, or what to tell. ``found`` is the server's latest, and not what we want."""
    if isinstance(trouble, ApiError) and not _is_conflict(trouble):
        return failed(change, trouble, attempts=attempt)
    base = None if found is None else found.base
    following: Change | None = change
    if base != change.base:
        following = None if run.saved_plan else rebased(run, change, found)
    if following is None:
        return conflict(change, found, attempts=attempt, saved_plan=run.saved_plan)
    if attempt > MOST_RETRIES:
        if _is_conflict(trouble):
            return conflict(change, found, attempts=attempt, saved_plan=run.saved_plan)
        run.note_error(trouble)
        return failed(change, trouble, attempts=attempt)
    why = run.why_not()
    if why is not None:
        return not_attempted(change, why, attempts=attempt)
    await run.pause(attempt)
    return following


def _must_look(error: EnvsyncError) -> bool:
    """Whether only the server's latest tells what happened: the base moved, or the answer was lost
    (also behind a gateway, which answers in the server's place)."""
    if isinstance(error, ApiError):
        return _is_conflict(error) or error.status >= _SERVER_ERROR
    return isinstance(error, NetworkError) and error.sent


def _is_conflict(error: EnvsyncError) -> bool:
    return isinstance(error, ApiError) and error.status == _PRECONDITION_FAILED


def _already_there(change: Change, found: Observed | None, *, lost: bool, attempts: int) -> Outcome:
    base = None if found is None else found.base
    if lost:
        note = "the answer was lost; the server holds what was sent"
        return Outcome(change.id, change.op, Result.APPLIED, base, None, (note,), attempts)
    by = f", saved by {found.saved_by}" if found is not None and found.saved_by else ""
    note = f"the server already held this{by}"
    return Outcome(change.id, change.op, Result.UNCHANGED, base, None, (note,), attempts)
