"""The smallest edits that make a file say something else."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from envsync.contract.json_types import Json, JsonObject, Pointer
from envsync.documents.edits import Edit, Insert, Remove, Set, identical
from envsync.planning.alignment import align
from envsync.planning.sameness import is_list


def edits_between(
    old: JsonObject, new: JsonObject, *, aliases: Collection[Pointer] = ()
) -> tuple[Edit, ...]:
    """What ``splice`` is to carry out, in this order. Items of lists are inserted and removed one
    by one, so that the others keep their lines.

    ``aliases`` are the places where the file has an alias: below one, the whole value is named
    once more at the end, which changes nothing where its anchor has changed alike.
    """
    edits = _Edits(aliases)
    edits.between(_TOP, old, new)
    return (*edits.made, *edits.late)


class _Place(NamedTuple):
    """``now`` is where a value stands when its edit is made, ``was`` where it stood in the file."""

    now: Pointer
    was: Pointer

    def below(self, now: str | int, was: str | int) -> _Place:
        return _Place((*self.now, now), (*self.was, was))


_TOP: Final = _Place((), ())


class _Edits:
    def __init__(self, aliases: Collection[Pointer]) -> None:
        self._aliases = frozenset(aliases)
        self.made: list[Edit] = []
        self.late: list[Edit] = []

    def between(self, place: _Place, old: Json, new: Json) -> None:
        if identical(old, new):
            return
        if place.was in self._aliases:
            self.late.append(Set(place.now, new))
        elif isinstance(old, Mapping) and isinstance(new, Mapping) and old and new:
            self.of_mappings(place, old, new)
        elif is_list(old) and is_list(new) and old and new:
            self.of_lists(place, old, new)
        else:
            self.made.append(Set(place.now, new))

    def of_mappings(self, place: _Place, old: JsonObject, new: JsonObject) -> None:
        for name in old:
            if name in new:
                self.between(place.below(name, name), old[name], new[name])
        # New ones come before old ones go, so that a mapping is never empty in between.
        self.made += [Set((*place.now, name), new[name]) for name in new if name not in old]
        self.made += [Remove((*place.now, name)) for name in old if name not in new]

    def of_lists(self, place: _Place, old: Sequence[Json], new: Sequence[Json]) -> None:
        """From the front to the back: ``index`` counts in the list as it is by then. Between two
        items that stay, new ones come before old ones go, so that the list is never empty."""
        index = gone = 0
        for before, after in (*align(old, new), (len(old), len(new))):
            if after is None:
                gone += 1
            elif before is None:
                self.made.append(Insert((*place.now, index), new[after]))
                index += 1
            else:
                self.made += [Remove((*place.now, index))] * gone
                gone = 0
                if before < len(old):
                    self.between(place.below(index, before), old[before], new[after])
                    index += 1
