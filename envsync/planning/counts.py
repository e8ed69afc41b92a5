"""How many of what a plan holds."""

from __future__ import annotations

from msgspec import Struct

from envsync.contract.states import State
from envsync.planning.plan import Op, Plan


class Counts(Struct, frozen=True):
    """What is held back counts as ``drift`` or ``unknown`` and nowhere else, a create under a new
    name as ``move``. ``errors`` and ``warnings`` are what the server foresaw, in all changes
    together."""

    create: int = 0
    update: int = 0
    move: int = 0
    delete: int = 0
    drift: int = 0
    unknown: int = 0
    unchanged: int = 0
    missing: int = 0
    gone: int = 0
    foreign: int = 0
    errors: int = 0
    warnings: int = 0

    @property
    def objects(self) -> int:
        """All objects that the plan speaks of."""
        changed = self.create + self.update + self.move + self.delete + self.drift + self.unknown
        return changed + self.unchanged + self.missing + self.gone + self.foreign


def counts(plan: Plan) -> Counts:
    sent = [change for change in plan.changes if not change.held_back]
    ops = [None if change.moved_from else change.op for change in sent]
    kept = [change.held_back for change in plan.changes]
    states = [held.state for held in plan.held]
    return Counts(
        create=ops.count(Op.CREATE),
        update=ops.count(Op.UPDATE),
        move=ops.count(None),
        delete=ops.count(Op.DELETE),
        drift=kept.count(State.DRIFT.value),
        unknown=kept.count(State.UNKNOWN.value) + states.count(State.UNKNOWN),
        unchanged=states.count(State.IN_SYNC),
        missing=states.count(State.MISSING),
        gone=states.count(State.GONE),
        foreign=states.count(State.FOREIGN),
        errors=sum(len(change.foreseen.errors) for change in plan.changes),
        warnings=sum(len(change.foreseen.warnings) for change in plan.changes),
    )
