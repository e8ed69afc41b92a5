"""Carries out one delete."""

from __future__ import annotations

from envsync.applying.conflict import conflict
from envsync.applying.outcome import Outcome, Result
from envsync.applying.run import MOST_RETRIES, Run, failed, not_attempted
from envsync.errors import ApiError, EnvsyncError, NetworkError
from envsync.planning.drafting import precondition
from envsync.planning.plan import Change

_GONE = 404
_PRECONDITION_FAILED = 412
_SERVER_ERROR = 500
_NOT_ATOMIC = (
    "this server checks no version when it deletes: it was read just before, and a save in "
    "between would have been deleted too"
)


async def delete(run: Run, change: Change) -> Outcome:
    """What became of ``change``. Raises nothing that is an ``EnvsyncError``.

    The server is read just before; what is not the planned base is never deleted.
    """
    lost = False
    attempt = 0
    while True:
        try:
            found = await run.read(change.id)
        except EnvsyncError as error:
            run.note_error(error)
            return failed(change, error, attempts=attempt, uncertain=lost)
        if found is None:
            return _gone(change, lost=lost, attempts=attempt)
        if found.base != change.base:
            return conflict(change, found, attempts=attempt, saved_plan=run.saved_plan)
        why = run.why_not() if attempt else None
        if why is not None:
            return not_attempted(change, why, attempts=attempt)
        if attempt:
            await run.pause(attempt)
        attempt += 1
        try:
            answer = await run.writer.delete_manifest(change.id.name, precondition(change.base))
        except EnvsyncError as error:
            trouble = error
        else:
            notes = () if answer.atomic else (_NOT_ATOMIC,)
            result = Result.APPLIED if answer.deleted or lost else Result.UNCHANGED
            return Outcome(change.id, change.op, result, None, None, notes, attempt)
        if not _must_look(trouble) or attempt > MOST_RETRIES:
            run.note_error(trouble)
            uncertain = isinstance(trouble, NetworkError) and trouble.sent
            return failed(change, trouble, attempts=attempt, uncertain=uncertain)
        lost = lost or not isinstance(trouble, ApiError) or trouble.status >= _SERVER_ERROR


def _must_look(error: EnvsyncError) -> bool:
    if isinstance(error, ApiError):
        return error.status in {_GONE, _PRECONDITION_FAILED} or error.status >= _SERVER_ERROR
    return isinstance(error, NetworkError) and error.sent


def _gone(change: Change, *, lost: bool, attempts: int) -> Outcome:
    if lost:
        note = "the answer was lost; it is gone"
        return Outcome(change.id, change.op, Result.APPLIED, None, None, (note,), attempts)
    note = "it was gone already"
    return Outcome(change.id, change.op, Result.UNCHANGED, None, None, (note,), attempts)
