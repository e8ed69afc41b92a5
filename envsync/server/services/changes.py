"""How one manifest becomes another, member by member, for a dry run's answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from envsync.contract.json_types import Json, JsonObject, Pointer, pointer_text


def changes(old: JsonObject, new: JsonObject) -> list[Json]:
    """``{"op", "path", "from"?, "to"?}`` for every value that differs; nothing when none does.

    Carried out one after the other they turn ``old`` into ``new``: a list loses entries from its
    end and gains them from its front, so that each path is right when its turn comes.
    """
    return list(_objects(old, new, ()))


def _values(old: Json, new: Json, at: Pointer) -> Iterator[Json]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        yield from _objects(old, new, at)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _lists(old, new, at)
    elif _differ(old, new):
        yield {"op": "replace", "path": pointer_text(at), "from": old, "to": new}


def _objects(old: JsonObject, new: JsonObject, at: Pointer) -> Iterator[Json]:
    for key in sorted({*old, *new}):
        here = (*at, key)
        if key not in new:
            yield {"op": "remove", "path": pointer_text(here), "from": old[key]}
        elif key not in old:
            yield {"op": "add", "path": pointer_text(here), "to": new[key]}
        else:
            yield from _values(old[key], new[key], here)


def _lists(old: Sequence[Json], new: Sequence[Json], at: Pointer) -> Iterator[Json]:
    if _is_set(old) and _is_set(new):
        yield from _sets(old, new, at)
        return
    for index, (before, after) in enumerate(zip(old, new, strict=False)):
        yield from _values(before, after, (*at, index))
    for index in range(len(old) - 1, len(new) - 1, -1):
        yield {"op": "remove", "path": pointer_text((*at, index)), "from": old[index]}
    for index in range(len(old), len(new)):
        yield {"op": "add", "path": pointer_text((*at, index)), "to": new[index]}


def _sets(old: Sequence[Json], new: Sequence[Json], at: Pointer) -> Iterator[Json]:
    """Sorted texts without a double, such as hosts: told by value, not by place."""
    for index in range(len(old) - 1, -1, -1):
        if old[index] not in new:
            yield {"op": "remove", "path": pointer_text((*at, index)), "from": old[index]}
    for index, value in enumerate(new):
        if value not in old:
            yield {"op": "add", "path": pointer_text((*at, index)), "to": value}


def _is_set(values: Sequence[Json]) -> bool:
    texts = [value for value in values if isinstance(value, str)]
    return len(texts) == len(values) and texts == sorted(set(texts))


def _differ(old: Json, new: Json) -> bool:
    """As JSON sees it: ``true`` is not ``1``."""
    return isinstance(old, bool) is not isinstance(new, bool) or old != new
