"""Outcome: what became of one change."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from envsync.contract.json_types import JsonObject
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


class Outcome(Struct, frozen=True):
    """``base`` is what the server holds afterwards, where that is known.

    ``op`` is ``None`` for an object that the plan left as it was.
    ``notes`` are sentences a person should read: a precondition that the API does not have,
    an answer that was lost and found again. ``theirs`` is, in a conflict, what the server holds,
    in canonical form. ``uncertain`` says that a change may have been written though it failed:
    its answer was lost, and the server could not be read afterwards.
    """

    id: ObjectId
    op: Op | None
    result: Result
    base: Base | None = None
    problem: Problem | None = None
    notes: tuple[str, ...] = ()
    attempts: int = 0
    theirs: JsonObject | None = None
    uncertain: bool = False
