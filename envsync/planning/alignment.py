"""Which item of an old list became which item of a new one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from envsync.contract.json_types import Json
from envsync.planning.sameness import is_list, same

Pair = tuple[int | None, int | None]
"""Old index and new index; ``None`` on one side for what was added or removed."""

_GAP = 1000
"""What adding or removing one item costs. A pair of different items costs less than both
together, so that as many items as possible are told as changed, the most alike ones together."""

_MOST_CELLS = 250_000
"""Above this an exact alignment would be felt; then items are paired by position."""

_TEXT = 2000
"""How many characters of a text are looked at to tell how alike two texts are."""


def align(old: Sequence[Json], new: Sequence[Json]) -> list[Pair]:
    """Pairs in order, so that the whole way from ``old`` to ``new`` is as short as can be.

    Lists of plain values are told apart by value only (nothing but equal items is paired); items
    that are objects may be paired though they differ. The answer depends on nothing but the lists.
    """
    start = _common_start(old, new)
    end = _common_end(old, new, start)
    middle_old = old[start : len(old) - end]
    middle_new = new[start : len(new) - end]
    pairs: list[Pair] = [(index, index) for index in range(start)]
    pairs += [
        (
            None if before is None else before + start,
            None if after is None else after + start,
        )
        for before, after in _align_middle(middle_old, middle_new)
    ]
    shift = len(new) - len(old)
    pairs += [(index, index + shift) for index in range(len(old) - end, len(old))]
    return pairs


def _common_start(old: Sequence[Json], new: Sequence[Json]) -> int:
    count = 0
    for mine, theirs in zip(old, new, strict=False):
        if not same(mine, theirs):
            break
        count += 1
    return count


def _common_end(old: Sequence[Json], new: Sequence[Json], start: int) -> int:
    most = min(len(old), len(new)) - start
    count = 0
    while count < most and same(old[len(old) - 1 - count], new[len(new) - 1 - count]):
        count += 1
    return count


def _align_middle(old: Sequence[Json], new: Sequence[Json]) -> list[Pair]:
    if not old:
        return [(None, index) for index in range(len(new))]
    if not new:
        return [(index, None) for index in range(len(old))]
    if len(old) * len(new) > _MOST_CELLS:
        return _by_position(len(old), len(new))
    return _shortest(old, new, by_value=all(map(_is_plain, (*old, *new))))


def _by_position(old: int, new: int) -> list[Pair]:
    both = min(old, new)
    pairs: list[Pair] = [(index, index) for index in range(both)]
    pairs += [(index, None) for index in range(both, old)]
    pairs += [(None, index) for index in range(both, new)]
    return pairs


def _shortest(old: Sequence[Json], new: Sequence[Json], *, by_value: bool) -> list[Pair]:
    """The cheapest alignment; of equally cheap ones the one that pairs first, then removes."""
    pairing = [[_cost(mine, theirs, by_value=by_value) for theirs in new] for mine in old]
    rest = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for before in range(len(old), -1, -1):
        for after in range(len(new), -1, -1):
            if before == len(old) or after == len(new):
                rest[before][after] = _GAP * (len(old) - before + len(new) - after)
                continue
            rest[before][after] = min(
                pairing[before][after] + rest[before + 1][after + 1],
                _GAP + rest[before + 1][after],
                _GAP + rest[before][after + 1],
            )
    pairs: list[Pair] = []
    before = after = 0
    while before < len(old) or after < len(new):
        here = rest[before][after]
        if (
            before < len(old)
            and after < len(new)
            and here == pairing[before][after] + rest[before + 1][after + 1]
        ):
            pairs.append((before, after))
            before, after = before + 1, after + 1
        elif before < len(old) and here == _GAP + rest[before + 1][after]:
            pairs.append((before, None))
            before += 1
        else:
            pairs.append((None, after))
            after += 1
    return pairs


def _cost(old: Json, new: Json, *, by_value: bool) -> int:
    if same(old, new):
        return 0
    if by_value:
        return 2 * _GAP + 1
    return 2 * _GAP - 1 - _likeness(old, new) * 9 // 10


def _likeness(old: Json, new: Json) -> int:
    """How alike two values are, from 0 to 1000."""
    if same(old, new):
        return 1000
    if isinstance(old, str) and isinstance(new, str):
        mine, theirs = set(old[:_TEXT].split()), set(new[:_TEXT].split())
        return 2000 * len(mine & theirs) // max(1, len(mine) + len(theirs))
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        shared = old.keys() & new.keys()
        return sum(_likeness(old[key], new[key]) for key in shared) // max(
            1, len(old.keys() | new.keys())
        )
    return 0


def _is_plain(value: Json) -> bool:
    return not isinstance(value, Mapping) and not is_list(value)
