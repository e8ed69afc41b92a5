"""Safety brakes: what a run may delete without being asked twice.

More than 30 percent of the objects of a type, more than 10 of them, or all of them need the right
number said aloud. A small set is not exempt: one of two is half, one of one is all.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from envsync.contract.states import State
from envsync.errors import BrakeError, Problem
from envsync.planning.plan import Op, Plan

MAX_DELETE_PERCENT: Final = 30
MAX_DELETES: Final = 10


def deletes_off(*, unread_files: int = 0, failed_reads: int = 0) -> str:
    """Why nothing may be deleted in this run, as the end of a sentence; empty when it may.

    A file that can't be read may declare what looks undeclared; a server that can't be read may
    hold something else than it seems to.
    """
    reasons: list[str] = []
    if unread_files:
        files = "1 file" if unread_files == 1 else f"{unread_files} files"
        reasons.append(f"{files} could not be read")
    if failed_reads:
        reads = "1 read" if failed_reads == 1 else f"{failed_reads} reads"
        reasons.append(f"{reads} from the server failed")
    return " and ".join(reasons)


def tripped(
    plan: Plan,
    *,
    allow_deletes: int | None = None,
    max_percent: int = MAX_DELETE_PERCENT,
) -> tuple[Problem, ...]:
    """The brakes that stop ``plan``. None when it deletes few, or ``allow_deletes`` is right.
    Deletes that it holds back don't count.

    A wrong ``allow_deletes`` stops a plan that would pass without it: the number is what a person
    believes will happen, and it can only narrow what is permitted.
    """
    deletes = [change for change in plan.changes if change.op is Op.DELETE and not change.held_back]
    count = len(deletes)
    if allow_deletes is not None:
        return () if allow_deletes == count else (_wrong_number(count, allow_deletes),)
    owned = _existing(plan)
    going = Counter(change.id.type for change in deletes)
    found: list[Problem] = []
    for kind in sorted(going):
        told = _why(kind, going[kind], owned[kind], max_percent)
        if told:
            found.append(_too_many(told, count))
    return tuple(found)


def require_released(
    plan: Plan,
    *,
    allow_deletes: int | None = None,
    max_percent: int = MAX_DELETE_PERCENT,
) -> None:
    """Raises ``BrakeError`` when a brake stops ``plan``."""
    problems = tripped(plan, allow_deletes=allow_deletes, max_percent=max_percent)
    if problems:
        error = BrakeError(problems[0].code, problems[0].message)
        error.problems = problems
        raise error


def _existing(plan: Plan) -> Counter[str]:
    """How many objects of each type the server holds for this repository, before the run."""
    existing = Counter(change.id.type for change in plan.changes if change.base is not None)
    existing.update(
        held.id.type
        for held in plan.held
        if held.base is not None and held.state is not State.FOREIGN
    )
    return existing


def _why(kind: str, going: int, existing: int, max_percent: int) -> str:
    if going >= existing:
        return f"it would delete every {kind} there is ({going})"
    if going * 100 > existing * max_percent:
        return f"it would delete {going} of {existing} {kind}s, more than {max_percent} percent"
    if going > MAX_DELETES:
        return f"it would delete {going} {kind}s, more than {MAX_DELETES}"
    return ""


def _too_many(told: str, count: int) -> Problem:
    return Problem(
        "E530",
        f"stopped by a safety brake: {told}",
        remedy=f"if that is meant, say how many: --allow-deletes {count}",
    )


def _wrong_number(count: int, said: int) -> Problem:
    return Problem(
        "E531",
        f"--allow-deletes says {said}, but the plan deletes {count}",
        remedy=f"look at the plan again; if it is right, say --allow-deletes {count}",
    )
