"""The order in which changes are carried out, as data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from envsync.planning.plan import Change, Op

TYPE_ORDER: Final[tuple[str, ...]] = ("manifest",)
"""Types in the order in which they depend on each other; an unknown type comes after all."""


def stage(change: Change) -> int:
    """Changes of one stage are independent of each other; a lower stage is finished first.

    Deletes come after all else, in reverse order of types, so that nothing loses what it needs.
    """
    known = change.id.type in TYPE_ORDER
    rank = TYPE_ORDER.index(change.id.type) if known else len(TYPE_ORDER)
    return 2 * len(TYPE_ORDER) + 1 - rank if change.op is Op.DELETE else rank


def in_order(changes: Iterable[Change]) -> tuple[Change, ...]:
    """By stage, then by byte order of the name; deletes in reverse byte order."""
    staying = [change for change in changes if change.op is not Op.DELETE]
    going = [change for change in changes if change.op is Op.DELETE]
    staying.sort(key=lambda change: (stage(change), change.id))
    going.sort(key=lambda change: (-stage(change), change.id), reverse=True)
    return (*staying, *going)
