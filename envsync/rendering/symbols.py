"""The signs that say what happens to an object; they carry the meaning without colour."""

from __future__ import annotations

from envsync.applying.outcome import Result
from envsync.contract.states import State
from envsync.planning.plan import Change, FieldOp, Op
from envsync.rendering.text import Span, Style

OPS: dict[Op, Span] = {
    Op.CREATE: Span("+", Style.CREATE),
    Op.UPDATE: Span("~", Style.CHANGE),
    Op.DELETE: Span("-", Style.DELETE),
}
FIELD_OPS: dict[FieldOp, Span] = {
    FieldOp.ADD: Span("+", Style.CREATE),
    FieldOp.REMOVE: Span("-", Style.DELETE),
    FieldOp.REPLACE: Span("~", Style.CHANGE),
}
SIGNS: dict[str, Style] = {
    "+": Style.CREATE,
    "-": Style.DELETE,
    "~": Style.CHANGE,
    " ": Style.QUIET,
}
MOVED = Span(">", Style.CHANGE)
STOPPED = Span("!", Style.ERROR)
UNCHANGED = Span("=", Style.QUIET)
UNKNOWN = Span("?", Style.WARNING)
NOT_ATTEMPTED = Span(".", Style.QUIET)

STATES: dict[State, Style] = {
    State.IN_SYNC: Style.PLAIN,
    State.NEW: Style.CREATE,
    State.DIFFERS: Style.CHANGE,
    State.AHEAD: Style.CHANGE,
    State.DRIFT: Style.ERROR,
    State.MISSING: Style.WARNING,
    State.GONE: Style.DELETE,
    State.FOREIGN: Style.QUIET,
    State.EXPIRED: Style.WARNING,
    State.UNKNOWN: Style.WARNING,
    State.BLOCKED: Style.ERROR,
    State.CONTESTED: Style.ERROR,
}


def change_sign(change: Change) -> Span:
    """The sign of a planned change: its op's, unless something keeps it from being sent."""
    if change.held_back == State.UNKNOWN.value:
        return UNKNOWN
    if change.blocked or change.held_back:
        return STOPPED
    return MOVED if change.moved_from else OPS[change.op]


def outcome_sign(op: Op | None, result: Result) -> Span:
    """The sign of an outcome: its change's when that was made, else what kept it from it."""
    if result is Result.APPLIED and op is not None:
        return OPS[op]
    if result is Result.NOT_ATTEMPTED:
        return NOT_ATTEMPTED
    if result in (Result.CONFLICT, Result.FAILED):
        return STOPPED
    return UNCHANGED
