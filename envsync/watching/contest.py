"""Two that write the same object against each other, noticed and parked. Pure.

A flip is: we brought an object to what the files say, and then the server held something else
again though the files still say the same. Somebody else wants something else; writing once more
would only make noise. After three flips the object is parked: it is shown, and left alone until
the files say something else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from msgspec import Struct

from envsync.resources.resource import Base, ObjectId, Observed

FLIPS: Final = 3
FORGOTTEN_AFTER: Final = 3600.0
"""Seconds after which a flip says nothing any more."""


@dataclass(slots=True)
class _Written:
    desired: str
    base: Base | None
    flips: list[float] = field(default_factory=list)
    there: bool = True
    parked: bool = False


class Contested(Struct, frozen=True):
    """``saved_by`` is who wrote it last, as far as the server says."""

    id: ObjectId
    flips: int
    saved_by: str = ""


@dataclass(slots=True)
class Contest:
    """Remembers what this process wrote, and how often it was undone."""

    _written: dict[ObjectId, _Written] = field(default_factory=dict)

    def wrote(self, object_id: ObjectId, desired: str, base: Base | None) -> None:
        """We brought ``object_id`` to ``desired`` (a hash; empty for a delete), which the server
        holds as ``base``."""
        known = self._written.get(object_id)
        if known is None or known.desired != desired:
            self._written[object_id] = _Written(desired, base)
        else:
            known.base, known.there = base, True

    def see(
        self,
        listed: Mapping[ObjectId, Observed],
        desired: Mapping[ObjectId, str],
        now: float,
    ) -> tuple[Contested, ...]:
        """What the server holds now, beside what the files say. Returns what is newly parked."""
        found = []
        for object_id, known in list(self._written.items()):
            if desired.get(object_id, "") != known.desired:
                del self._written[object_id]
                continue
            there = _same(listed.get(object_id), known.base)
            if known.there and not there:
                known.flips = [each for each in known.flips if now - each < FORGOTTEN_AFTER]
                known.flips.append(now)
                if len(known.flips) >= FLIPS and not known.parked:
                    known.parked = True
                    other = listed.get(object_id)
                    by = other.saved_by if other is not None else ""
                    found.append(Contested(object_id, len(known.flips), by))
            known.there = there
        return tuple(found)

    def is_parked(self, object_id: ObjectId) -> bool:
        known = self._written.get(object_id)
        return known is not None and known.parked and not known.there


def _same(found: Observed | None, base: Base | None) -> bool:
    """Whether the content is still ours: a version that says the same again is no flip."""
    if found is None or base is None:
        return found is None and base is None
    return found.base.hash == base.hash
