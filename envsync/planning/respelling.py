"""What a file should say so that it means what a server holds, in the words that it uses already.

A value that means the same stays as it is spelled (``2GiB``, a host in capitals, an order, a
default that somebody wrote out). What a server fills in by itself is left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from envsync.contract.json_types import Json, JsonObject, Pointer
from envsync.contract.normalise import DEFAULT_KIND, normalise
from envsync.planning.alignment import align
from envsync.planning.house_style import in_house_style, in_unit, is_size
from envsync.planning.sameness import is_list, same

_UNIT: Final = re.compile(r"[0-9]+([KMGT]?i?B)")


class _Absent:
    """Tells a value that is not there from null."""


_ABSENT: Final = _Absent()
_Maybe = Json | _Absent


def respell(said: JsonObject, wanted: JsonObject, *, defaults: bool = True) -> dict[str, Json]:
    """The body closest to ``said`` whose canonical form is ``wanted``'s.

    ``said`` is a manifest's body as files say it, or empty. ``wanted`` is canonical. Without
    ``defaults`` every field of ``wanted`` that ``said`` lacks is written out, and ``wanted`` may
    be a part of a canonical body: what a server with other defaults than ours holds.
    """
    here = normalise("manifest", said) if said else {}
    if not defaults:
        return _mapping((), said, here, _ABSENT, wanted)
    nice = _mapping((), said, here, _filled(said, wanted), wanted)
    for name in [name for name, value in nice.items() if value == {} and said.get(name) != {}]:
        del nice[name]
    meant = normalise("manifest", nice)
    if same(meant, wanted) or same(meant, normalise("manifest", wanted)):
        return nice
    return _mapping((), said, here, _ABSENT, wanted)


def as_far_as_said(said: JsonObject, wanted: JsonObject) -> dict[str, Json]:
    """``said`` with the values of ``wanted``, and with no key that ``said`` does not have."""
    return _only_keys_of(said, respell(said, wanted, defaults=False))


def _only_keys_of(said: JsonObject, body: JsonObject) -> dict[str, Json]:
    kept: dict[str, Json] = {}
    for name, value in body.items():
        if name in said:
            mine = said[name]
            both = isinstance(mine, Mapping) and isinstance(value, Mapping)
            kept[name] = _only_keys_of(mine, value) if both else value  # type: ignore[arg-type]
    return kept


def part_said(canonical: Json, raw: Json, said: Json = None) -> Json:
    """The part of ``canonical`` that ``raw`` or ``said`` says: without those of our defaults that
    neither has."""
    if isinstance(canonical, Mapping) and isinstance(raw, Mapping):
        mine = said if isinstance(said, Mapping) else {}
        return {
            name: part_said(value, raw.get(name), mine.get(name))
            for name, value in canonical.items()
            if name in raw or name in mine
        }
    if is_list(canonical) and is_list(raw) and len(canonical) == len(raw):
        return [part_said(*pair) for pair in zip(canonical, raw, strict=True)]
    return canonical


def _filled(said: JsonObject, wanted: JsonObject) -> dict[str, Any]:
    """``said`` with every default, where what decides about defaults (``kind``, the slots' types)
    is as it will be."""
    body: dict[str, Any] = dict(said)
    if "kind" in wanted:
        body["kind"] = wanted["kind"]
    slots, goals = said.get("secrets"), wanted.get("secrets")
    if isinstance(slots, Mapping) and isinstance(goals, Mapping):
        body["secrets"] = {name: _of_type(slot, goals.get(name)) for name, slot in slots.items()}
    return {**normalise("manifest", body), "kind": DEFAULT_KIND}


def _of_type(slot: Json, goal: Json) -> Json:
    if isinstance(slot, Mapping) and isinstance(goal, Mapping) and "type" in goal:
        return {**slot, "type": goal["type"]}
    return slot


def _mapping(
    path: Pointer, said: JsonObject, here: Json, filled: _Maybe, wanted: JsonObject
) -> dict[str, Json]:
    """``here`` is ``said`` in canonical form; ``filled`` what it means with every default."""
    result: dict[str, Json] = {}
    for name, value in said.items():
        mine, goal = _member(here, name), _member(wanted, name)
        if isinstance(goal, _Absent):
            if isinstance(mine, _Absent):
                result[name] = value  # an empty collection means nothing
            continue
        result[name] = _value((*path, name), value, mine, _member(filled, name), goal)
    for name, goal in _in_order(path, wanted):
        if name in said:
            continue
        default = _member(filled, name)
        if not isinstance(default, _Absent) and same(default, goal):
            continue
        if isinstance(default, Mapping) and isinstance(goal, Mapping):
            result[name] = _mapping((*path, name), {}, {}, default, goal)
        else:
            result[name] = in_house_style(goal, (*path, name))
    return result


def _in_order(path: Pointer, wanted: JsonObject) -> list[tuple[str, Json]]:
    """What is new comes in the order of a new file."""
    ordered = in_house_style(dict.fromkeys(wanted, None), path)
    assert isinstance(ordered, Mapping)
    names = [*ordered, *(name for name in wanted if name not in ordered)]
    return [(name, wanted[name]) for name in names]


def _value(path: Pointer, said: Json, here: _Maybe, filled: _Maybe, wanted: Json) -> Json:
    if not isinstance(here, _Absent) and same(here, wanted):
        return said
    if isinstance(said, Mapping) and isinstance(here, Mapping) and isinstance(wanted, Mapping):
        return _mapping(path, said, here, filled, wanted)
    if is_list(said) and not isinstance(here, _Absent) and is_list(here) and is_list(wanted):
        if _are_hosts(path, said, wanted):
            return _hosts(said, wanted)
        if len(said) == len(here):
            return _items(path, said, here, wanted)
    if is_size(path) and isinstance(said, str) and isinstance(wanted, str):
        unit = _UNIT.fullmatch(said)
        return in_unit(wanted, unit[1] if unit else "")
    return in_house_style(wanted, path)


def _items(
    path: Pointer, said: Sequence[Json], here: Sequence[Json], wanted: Sequence[Json]
) -> list[Json]:
    """Each wanted item in the words of the one that it was."""
    result: list[Json] = []
    for before, after in align(here, wanted):
        if after is None:
            continue
        place = (*path, after)
        if before is None:
            result.append(in_house_style(wanted[after], place))
        else:
            result.append(_value(place, said[before], here[before], here[before], wanted[after]))
    return result


def _are_hosts(path: Pointer, said: Sequence[Json], wanted: Sequence[Json]) -> bool:
    return path[-1] == "allowedHosts" and all(isinstance(host, str) for host in (*said, *wanted))


def _hosts(said: Sequence[Json], wanted: Sequence[Json]) -> list[Json]:
    """The hosts that stay, in the order and the spelling of ``said``, then the new ones."""
    goal = {str(host).lower() for host in wanted}
    kept = [host for host in said if str(host).lower() in goal]
    there = {str(host).lower() for host in kept}
    return [*kept, *(host for host in wanted if str(host).lower() not in there)]


def _member(value: _Maybe, name: str) -> _Maybe:
    return value[name] if isinstance(value, Mapping) and name in value else _ABSENT
