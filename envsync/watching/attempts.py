"""What was tried in vain, so that a loop does not try the same thing again and again. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from msgspec import Struct

from envsync.planning.plan import Change
from envsync.resources.resource import Base, ObjectId
from envsync.watching.backoff import backoff


class Attempt(Struct, frozen=True):
    """``desired`` is the hash that was wanted (empty for a delete), ``observed`` what the server
    held. ``not_before`` is when the same may be tried again, in seconds."""

    desired: str
    observed: Base | None
    failures: int
    not_before: float


@dataclass(slots=True)
class Attempts:
    """Failed attempts by object, each good for one pair of desired and observed: whatever changes
    either of them may be tried at once."""

    _failed: dict[ObjectId, Attempt] = field(default_factory=dict)

    def may(self, change: Change, now: float) -> bool:
        """Whether it is time for ``change``."""
        known = self._same(change)
        return known is None or now >= known.not_before

    def fail(self, change: Change, now: float, chance: float) -> Attempt:
        """``change`` was tried and did not succeed."""
        known = self._same(change)
        failures = 1 if known is None else known.failures + 1
        attempt = Attempt(change.hash, change.base, failures, now + backoff(failures, chance))
        self._failed[change.id] = attempt
        return attempt

    def keep(self, ids: Collection[ObjectId]) -> None:
        """Forgets all but ``ids``: what needs no attempt any more."""
        for id_ in [each for each in self._failed if each not in ids]:
            del self._failed[id_]

    def due(self, changes: Iterable[Change]) -> float | None:
        """When the first of ``changes`` that waits may be tried again."""
        times = [known.not_before for each in changes if (known := self._same(each)) is not None]
        return min(times, default=None)

    def _same(self, change: Change) -> Attempt | None:
        known = self._failed.get(change.id)
        if known is None or (known.desired, known.observed) != (change.hash, change.base):
            return None
        return known
