"""What a plan shows and does not send: somebody else's save that nobody said may be overwritten."""

from __future__ import annotations

from typing import Final

from envsync.applying.outcome import Outcome, Result
from envsync.contract.states import State
from envsync.errors import Problem
from envsync.planning.drift import drift_told
from envsync.planning.plan import Change, Op

DRIFT: Final = "E527"
UNKNOWN: Final = "E528"


def held_back(change: Change) -> Outcome:
    """The outcome of a change that its plan holds back: a conflict, with the ways out."""
    problem = _unknown(change) if change.held_back == State.UNKNOWN.value else _drift(change)
    return Outcome(
        change.id,
        change.op,
        Result.CONFLICT,
        change.base,
        problem,
        theirs=change.base_canonical,
    )


def is_held_back(outcome: Outcome) -> bool:
    return outcome.problem is not None and outcome.problem.code in (DRIFT, UNKNOWN)


def _drift(change: Change) -> Problem:
    ours = "delete it" if change.op is Op.DELETE else "keep ours"
    name = change.id.name
    return Problem(
        DRIFT,
        f"drift: {drift_told(change)}; nothing was written",
        remedy=f"keep theirs: envsync pull {name}\n{ours}: envsync apply --on-drift overwrite",
        subject=str(change.id),
    )


def _unknown(change: Change) -> Problem:
    why = [notice.message for notice in change.foreseen.warnings if notice.code == "unknown"]
    said = "somebody else's change" if change.base else "something that was deleted on purpose"
    return Problem(
        UNKNOWN,
        f"not written: whether this would undo {said} is not known",
        remedy=why[0] if why else "fetch the whole history: git fetch --unshallow",
        subject=str(change.id),
    )
