"""Board: how everything stands at this moment, for the live table and for the metrics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from envsync.contract.states import State
from envsync.errors import Problem
from envsync.operations.reports import StatusRow
from envsync.resources.resource import ObjectId


@dataclass(slots=True)
class Board:
    """Written by the loop alone. Times are seconds since 1970, 0 for never.

    ``doing`` is what happens now. ``trouble`` is what is in the way, ``wrong`` what the files do
    wrong. ``behind_since`` is when the server was first seen to differ from what is applied, 0
    while it does not. ``pending`` are changes that an apply would send.
    """

    project: str = ""
    context: str = ""
    server: str = ""
    applies: bool = False
    commit: str = ""
    doing: str = "starting"
    rows: tuple[StatusRow, ...] = ()
    planned_at: float = 0.0
    plan_seconds: float = 0.0
    applied_at: float = 0.0
    seen_at: float = 0.0
    behind_since: float = 0.0
    trouble: Problem | None = None
    wrong: tuple[Problem, ...] = ()
    withheld: Problem | None = None
    pending: tuple[ObjectId, ...] = ()
    errors_total: int = 0
    plans_total: int = 0
    rounds_total: int = 0
    outcomes_total: Counter[str] = field(default_factory=Counter)

    @property
    def counts(self) -> Mapping[State, int]:
        return Counter(row.state for row in self.rows)

    def lag(self, now: float) -> float:
        """Seconds for which the server has not been as the files say; 0 when it is."""
        return max(0.0, now - self.behind_since) if self.behind_since else 0.0

    @property
    def is_healthy(self) -> bool:
        return self.trouble is None and not self.wrong
