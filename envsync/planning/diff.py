"""The way from one normalised body to another, field by field, and back.

Mappings are compared by key. A list of plain values (``allowedHosts``) is compared by value, a
list of objects (``setup``, ``files``) is aligned first, so that one inserted step is one addition
and not a change of every step after it.

In a path an index counts in the *new* list, with one exception: the last index of a removal
counts in the old list, because what is removed has no place in the new one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from envsync.contract.json_types import Json, JsonObject, Pointer
from envsync.planning.alignment import align
from envsync.planning.plan import FieldChange, FieldOp
from envsync.planning.sameness import is_list, same


def field_changes(old: JsonObject, new: JsonObject) -> tuple[FieldChange, ...]:
    """What differs between ``old`` and ``new``, by key, then by position; empty when nothing does.

    >>> [str(c.path) for c in field_changes({"a": 1}, {"a": 2})]
    ["('a',)"]
    """
    return tuple(_of_mappings((), old, new))


def apply_changes(old: JsonObject, changes: Sequence[FieldChange]) -> dict[str, Json]:
    """``old`` with ``changes`` made: the inverse of :func:`field_changes`.

    Raises ``ValueError`` when the changes were not made from ``old``.
    """
    result = _changed(old, [(change.path, change) for change in changes])
    if not isinstance(result, dict):
        raise ValueError("a body is a mapping, and these changes make something else of it")
    return result


def _between(path: Pointer, old: Json, new: Json) -> Iterable[FieldChange]:
    if same(old, new):
        return ()
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return _of_mappings(path, old, new)
    if is_list(old) and is_list(new):
        return _of_lists(path, old, new)
    return (FieldChange(FieldOp.REPLACE, path, old, new),)


def _of_mappings(path: Pointer, old: JsonObject, new: JsonObject) -> Iterable[FieldChange]:
    for key in sorted(old.keys() | new.keys()):
        here = (*path, key)
        if key not in new:
            yield FieldChange(FieldOp.REMOVE, here, old=old[key])
        elif key not in old:
            yield FieldChange(FieldOp.ADD, here, new=new[key])
        else:
            yield from _between(here, old[key], new[key])


def _of_lists(path: Pointer, old: Sequence[Json], new: Sequence[Json]) -> Iterable[FieldChange]:
    for before, after in align(old, new):
        if after is None:
            assert before is not None  # an alignment never pairs nothing with nothing
            yield FieldChange(FieldOp.REMOVE, (*path, before), old=old[before])
        elif before is None:
            yield FieldChange(FieldOp.ADD, (*path, after), new=new[after])
        else:
            yield from _between((*path, after), old[before], new[after])


_Rest = tuple[Pointer, FieldChange]


def _changed(value: Json, changes: list[_Rest]) -> Json:
    if isinstance(value, Mapping):
        return _changed_mapping(value, changes)
    if is_list(value):
        return _changed_list(value, changes)
    raise ValueError(f"nothing lies inside {value!r}")


def _changed_mapping(value: JsonObject, changes: list[_Rest]) -> dict[str, Json]:
    result = dict(value)
    for part, here, inside in _grouped(changes):
        key = str(part)
        if inside:
            if key not in result:
                raise ValueError(f"there is no {key!r} to change")
            result[key] = _changed(result[key], inside)
        for change in here:
            if (change.op is FieldOp.ADD) == (key in result):
                raise ValueError(f"{change.op.value} does not fit {key!r}")
            if change.op is FieldOp.REMOVE:
                del result[key]
            else:
                result[key] = change.new
    return result


def _changed_list(value: Sequence[Json], changes: list[_Rest]) -> list[Json]:
    """Removals first, by old index; then additions, by new index; then what changed in place."""
    removed = {_index(path[0]) for path, change in changes if _is_own(path, change, FieldOp.REMOVE)}
    result = [item for index, item in enumerate(value) if index not in removed]
    if len(result) != len(value) - len(removed):
        raise ValueError("a removed item was not in the list")
    added = [
        (_index(path[0]), change) for path, change in changes if _is_own(path, change, FieldOp.ADD)
    ]
    for index, change in sorted(added, key=lambda item: item[0]):
        if index > len(result):
            raise ValueError(f"there is no place {index} to add at")
        result.insert(index, change.new)
    for path, change in changes:
        if _is_own(path, change, FieldOp.REPLACE):
            result[_within(result, path[0])] = change.new
    for part, _, inside in _grouped(changes):
        if inside:
            index = _within(result, part)
            result[index] = _changed(result[index], inside)
    return result


def _grouped(
    changes: list[_Rest],
) -> list[tuple[str | int, list[FieldChange], list[_Rest]]]:
    groups: dict[str | int, tuple[list[FieldChange], list[_Rest]]] = {}
    for path, change in changes:
        here, inside = groups.setdefault(path[0], ([], []))
        if len(path) == 1:
            here.append(change)
        else:
            inside.append((path[1:], change))
    return [(part, here, inside) for part, (here, inside) in groups.items()]


def _is_own(path: Pointer, change: FieldChange, op: FieldOp) -> bool:
    return len(path) == 1 and change.op is op


def _index(part: str | int) -> int:
    if not isinstance(part, int):
        raise ValueError(f"{part!r} is not an index")
    return part


def _within(items: Sequence[Json], part: str | int) -> int:
    index = _index(part)
    if index >= len(items):
        raise ValueError(f"there is no item {index} to change")
    return index
