"""How many of what a plan holds."""

from __future__ import annotations

from dataclasses import dataclass

from envsync.contract.states import State
from envsync.planning.plan import Op, Plan


@dataclass(frozen=True, slots=True)
class Counts:
    """``errors`` and ``warnings`` are what the server foresaw, in all changes together."""

    create: int = 0
    update: int = 0
    delete: int = 0
    unchanged: int = 0
    missing: int = 0
    foreign: int = 0
    errors: int = 0
    warnings: int = 0

    @property
    def objects(self) -> int:
        """All objects that the plan speaks of."""
        changed = self.create + self.update + self.delete
        return changed + self.unchanged + self.missing + self.foreign


def counts(plan: Plan) -> Counts:
    ops = [change.op for change in plan.changes]
    states = [held.state for held in plan.held]
    return Counts(
        create=ops.count(Op.CREATE),
        update=ops.count(Op.UPDATE),
        delete=ops.count(Op.DELETE),
        unchanged=states.count(State.IN_SYNC),
        missing=states.count(State.MISSING),
        foreign=states.count(State.FOREIGN),
        errors=sum(len(change.foreseen.errors) for change in plan.changes),
        warnings=sum(len(change.foreseen.warnings) for change in plan.changes),
    )
