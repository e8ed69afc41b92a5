"""What all changes of one run share, and what ends it early."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from envsync.applying.outcome import Outcome, Result
from envsync.applying.pausing import Pause
from envsync.applying.ports import Reader, View, Writer
from envsync.applying.stop import StopSignal
from envsync.contract.normalise import normalise
from envsync.errors import ApiError, EnvsyncError, NetworkError, Problem
from envsync.planning.ignore import IgnoreRule
from envsync.planning.plan import Change
from envsync.resources.resource import Base, ObjectId, Observed

MOST_RETRIES: Final = 3
_CREDENTIAL_REFUSED: Final = frozenset({401, 403})
_FIRST_REFUSAL: Final = 300
_OTHERWISE: Final = "the server saved something, and does not show it as it was sent"
_UNCERTAIN: Final = (
    "whether it was written is not known: the answer was lost and the server could not be read; "
    "the next plan will show it"
)


@dataclass
class Run:
    """One run. ``halt`` says why nothing new is begun; it never changes once set."""

    reader: Reader
    writer: Writer
    saved_plan: bool
    comparable: bool
    ignore: Sequence[IgnoreRule]
    stop: StopSignal
    pause: Pause
    done: frozenset[ObjectId] = frozenset()
    halt: Problem | None = field(default=None)

    def why_not(self) -> Problem | None:
        """Why a change must not be begun now, or ``None``."""
        if self.halt is not None:
            return self.halt
        if self.stop.is_set:
            return Problem(
                "E525",
                "not attempted: the run was asked to stop",
                remedy="run it again; what is already done stays done",
            )
        return None

    def note_error(self, error: EnvsyncError) -> None:
        """Ends the run when ``error`` means that nothing else can succeed either."""
        if self.halt is not None:
            return
        if isinstance(error, NetworkError):
            self.halt = Problem(
                "E523",
                "not attempted: the server can no longer be reached",
                remedy="run it again when the server answers; what is already done stays done",
            )
        elif isinstance(error, ApiError) and error.status in _CREDENTIAL_REFUSED:
            self.halt = Problem(
                "E524",
                "not attempted: the server refused the credential",
                remedy="see which key the context uses: envsync doctor",
            )

    async def read(self, object_id: ObjectId) -> Observed | None:
        """What the server holds of it now."""
        view = await self.reader.get_manifest(object_id.name)
        return None if view is None else observed(object_id.type, view)


def observed(object_type: str, view: View) -> Observed:
    return Observed(
        ObjectId(object_type, view.name),
        Base(view.version, view.hash),
        None if view.manifest is None else normalise(object_type, view.manifest),
        saved_at=view.saved_at,
        saved_by=view.saved_by,
        environments=view.environments,
        body=view.manifest,
    )


def not_attempted(change: Change, why: Problem, *, attempts: int = 0) -> Outcome:
    return Outcome(
        change.id, change.op, Result.NOT_ATTEMPTED, change.base, _about(why, change), (), attempts
    )


def failed(
    change: Change, error: EnvsyncError, *, attempts: int = 1, uncertain: bool = False
) -> Outcome:
    """``uncertain``: it may have been written all the same."""
    problem = _about(error.problems[0], change)
    base = change.base
    notes: tuple[str, ...] = ()
    if isinstance(error, ApiError) and error.status < _FIRST_REFUSAL:
        base, notes, uncertain = None, (_OTHERWISE,), True
    elif uncertain:
        base, notes = None, (_UNCERTAIN,)
    return Outcome(
        change.id, change.op, Result.FAILED, base, problem, notes, attempts, uncertain=uncertain
    )


def _about(problem: Problem, change: Change) -> Problem:
    return Problem(
        problem.code,
        problem.message,
        problem.severity,
        problem.position,
        problem.label,
        problem.remedy,
        problem.related,
        str(change.id),
    )
