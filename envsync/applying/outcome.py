"""Outcome: what became of one change."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from envsync.errors import Problem
from envsync.planning.plan import Op
from envsync.resources.resource import Base, ObjectId


class Result(StrEnum):
    """One of these for each object, always (``rules.md`` 6)."""

    APPLIED = "applied"
    UNCHANGED = "unchanged"
    CONFLICT = "conflict"
    FAILED = "failed"
    NOT_ATTEMPTED = "not-attempted"


@dataclass(frozen=True, slots=True)
class Outcome:
    """``base`` is what the server holds afterwards, where that is known.

    ``op`` is ``None`` for an object that the plan left as it was.
    ``notes`` are sentences a person should read: a precondition that the API does not have,
    an answer that was lost and found again.
    """

    id: ObjectId
    op: Op | None
    result: Result
    base: Base | None = None
    problem: Problem | None = None
    notes: tuple[str, ...] = ()
    attempts: int = 0
