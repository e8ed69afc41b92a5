"""Which of an object's two files changes: the base, or the overlay that says the value."""

from __future__ import annotations

from collections.abc import Mapping

from envsync.contract.json_types import Json, JsonObject
from envsync.planning.sameness import same


def layered(
    base: JsonObject, overlay: JsonObject, target: JsonObject
) -> tuple[dict[str, Json], dict[str, Json]]:
    """The base and the overlay (a JSON Merge Patch, RFC 7396) that say ``target`` together.

    What the overlay says, or removes, is changed there; all else is changed in the base, and so
    for every context. What can't be said so (a null inside ``target``) comes out as something
    else when both are merged: the caller must look.
    """
    new_base, new_overlay = dict(base), dict(overlay)
    for name in dict.fromkeys((*base, *overlay, *target)):
        if name not in overlay:
            if name in target:
                new_base[name] = target[name]
            else:
                del new_base[name]
        elif name not in target:
            _remove(name, base, overlay, new_overlay)
        else:
            _say(name, target[name], new_base, new_overlay)
    return new_base, new_overlay


def _remove(name: str, base: JsonObject, overlay: JsonObject, new_overlay: dict[str, Json]) -> None:
    if overlay[name] is None:
        return
    if name in base:
        new_overlay[name] = None
    else:
        del new_overlay[name]


def _say(name: str, goal: Json, base: dict[str, Json], overlay: dict[str, Json]) -> None:
    """Brings ``base`` and ``overlay``, which says ``name``, to ``goal`` there."""
    said, below = overlay[name], base.get(name)
    if isinstance(said, Mapping) and isinstance(goal, Mapping):
        if isinstance(below, Mapping):
            base[name], patch = layered(below, said, goal)
            if patch or not said:
                overlay[name] = patch
            else:
                del overlay[name]
        else:
            overlay[name] = _alone(said, goal)
    elif said is None and name in base and same(below, goal):
        del overlay[name]
    elif said is None or not same(said, goal):
        overlay[name] = _patch(below, goal)


def _alone(said: JsonObject, goal: JsonObject) -> dict[str, Json]:
    """The overlay's own object, below which the base says nothing. A null in it stays."""
    result: dict[str, Json] = {}
    for name in dict.fromkeys((*said, *goal)):
        mine = said.get(name)
        if name not in goal:
            if name in said and mine is None:
                result[name] = None
            continue
        value = goal[name]
        both = isinstance(mine, Mapping) and isinstance(value, Mapping)
        result[name] = _alone(mine, value) if both else value  # type: ignore[arg-type]
    return result


def _patch(below: Json, goal: Json) -> Json:
    """What makes ``goal`` of ``below`` when it is merged into it."""
    if not isinstance(goal, Mapping) or not isinstance(below, Mapping):
        return goal
    patch: dict[str, Json] = {name: None for name in below if name not in goal}
    for name, value in goal.items():
        if name not in below or not same(below[name], value):
            patch[name] = _patch(below.get(name), value)
    return patch
