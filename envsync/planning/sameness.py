"""When two JSON values are the same: when their canonical JSON is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeGuard

from envsync.contract.json_types import Json


def is_list(value: Json) -> TypeGuard[Sequence[Json]]:
    return isinstance(value, list | tuple)


def same(one: Json, other: Json) -> bool:
    """Equality as canonical JSON sees it: ``1`` is ``1.0``, but ``true`` is not ``1``."""
    if isinstance(one, str) or one is None:
        return one == other
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, Mapping):
        return (
            isinstance(other, Mapping)
            and one.keys() == other.keys()
            and all(same(value, other[key]) for key, value in one.items())
        )
    if is_list(one):
        return (
            is_list(other)
            and len(one) == len(other)
            and all(same(mine, theirs) for mine, theirs in zip(one, other, strict=True))
        )
    return one == other
