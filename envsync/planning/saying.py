"""What a file says, held against a server that fills in defaults of its own."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from envsync.contract.json_types import Json, JsonObject
from envsync.planning.sameness import is_list, same
from envsync.resources.resource import Desired, Observed


class Verdict(Enum):
    """``SAME``: the server holds what the file says and no more. ``MORE``: also fields that the
    file leaves out, and only the server knows whether those are its defaults. ``DIFFERENT``: a
    field that the file names has another value."""

    SAME = "same"
    MORE = "more"
    DIFFERENT = "different"


def verdict(desired: Desired, observed: Observed) -> Verdict:
    """Only what the file says is compared, in canonical form; our defaults are not the server's.

    ``observed.canonical`` must be there.
    """
    return verdict_of(desired.body, desired.canonical, observed)


def verdict_of(body: JsonObject, canonical: JsonObject, observed: Observed) -> Verdict:
    """:func:`verdict` of a body that is no longer known by its file."""
    theirs = observed.canonical or {}
    if not _agrees(body, canonical, theirs):
        return Verdict.DIFFERENT
    raw = observed.body if observed.body is not None else theirs
    return Verdict.MORE if _has_more(raw, body) else Verdict.SAME


def _agrees(said: JsonObject, ours: JsonObject, theirs: JsonObject) -> bool:
    """Whether both canonical sides agree on every key of ``said``. A key that both leave out in
    canonical form (an empty collection) agrees."""
    return all(
        _value_agrees(value, ours[key], theirs[key])
        if key in ours and key in theirs
        else (key in ours) == (key in theirs) or _is_empty(ours.get(key, theirs.get(key)))
        for key, value in said.items()
    )


def _value_agrees(said: Json, ours: Json, theirs: Json) -> bool:
    if isinstance(said, Mapping) and isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        return _agrees(said, ours, theirs)
    if is_list(said) and is_list(ours) and is_list(theirs) and len(said) == len(ours):
        return len(ours) == len(theirs) and all(
            _value_agrees(*each) for each in zip(said, ours, theirs, strict=True)
        )
    return same(ours, theirs)


def _has_more(raw: Json, said: Json) -> bool:
    if isinstance(raw, Mapping) and isinstance(said, Mapping):
        return any(
            _has_more(value, said[key]) if key in said else not _is_empty(value)
            for key, value in raw.items()
        )
    if is_list(raw) and is_list(said) and len(raw) == len(said):
        return any(_has_more(mine, theirs) for mine, theirs in zip(raw, said, strict=True))
    return False


def _is_empty(value: Json) -> bool:
    return (isinstance(value, Mapping) or is_list(value)) and not value
