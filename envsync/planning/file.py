"""The plan file: what a person reviews and a later ``apply`` sends, byte for byte.

The id of a plan is the SHA-256 of its canonical JSON without ``commit``, ``createdAt`` and ``id``,
so that the same plan made again from the same things has the same id, and a changed one has not.
A plan file holds the exact bodies to send and never a secret: bodies name slots, not values.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import orjson
from msgspec.structs import replace

from envsync.contract.canonical import digest
from envsync.contract.json_types import Json, Pointer
from envsync.errors import FileError, Position, Problem
from envsync.planning.json_places import place, position
from envsync.planning.plan import Change, Plan
from envsync.planning.plan_json import FORMAT, from_json, to_json

MOST_PROBLEMS: Final = 20
_INFORMATION: Final = frozenset({"id", "commit", "createdAt"})
_AGAIN: Final = "make the plan again: envsync plan -o plan.json"


def identified(plan: Plan) -> Plan:
    """``plan`` with its id."""
    return replace(plan, id=plan_id(to_json(plan)))


def plan_id(data: Mapping[str, Json]) -> str:
    """The id that the plan ``data`` should have: 64 hexadecimal digits."""
    return digest({key: value for key, value in data.items() if key not in _INFORMATION})


def dump(plan: Plan) -> bytes:
    """``plan`` as the bytes of a file: JSON with sorted keys, indented for a reader of a diff."""
    return orjson.dumps(to_json(plan), option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS) + b"\n"


def load(data: bytes, path: str) -> Plan:
    """The plan in ``data``, the bytes of the file ``path``.

    Raises ``FileError`` when it is not JSON, was made by a newer envsync, does not follow the
    schema, or was changed after it was made. Nothing of such a file is used.
    """
    text = _text(data, path)
    value = _parsed(text, path)
    _require_known_format(value, text, path)
    _require_schema(value, text, path)
    assert isinstance(value, dict)  # the schema says so
    if value["id"] != _id_or_none(value):
        raise FileError(
            "E504",
            "this plan was changed after it was made: its id does not fit what it says",
            position=place(text, path, ("id",)),
            remedy=_AGAIN,
        )
    plan = from_json(value)
    _require_fitting_hashes(plan, text, path)
    return plan


def _id_or_none(value: Mapping[str, Json]) -> str:
    """Empty when the plan has no canonical form (a number that no envsync writes)."""
    try:
        return plan_id(value)
    except ValueError:
        return ""


def _text(data: bytes, path: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        raise FileError(
            "E501",
            "this is not a plan file: it is not UTF-8 text",
            position=position(before, path, len(before)),
            remedy=_AGAIN,
        ) from None


def _parsed(text: str, path: str) -> Json:
    """Strict JSON; a key said twice is refused, since a reader may have seen the other one."""
    try:
        orjson.loads(text)
        value: Json = json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        # Column 0 is said of the end of a text by one of the two parsers.
        where = Position(path, error.lineno, max(1, error.colno))
        raise FileError(
            "E501",
            f"this is not a plan file: it is not JSON ({error.msg.split(': line')[0]})",
            position=where,
            remedy=_AGAIN,
        ) from None
    except (_TwiceError, RecursionError) as error:
        told = (
            f"the key {error.key!r} stands in it twice"
            if isinstance(error, _TwiceError)
            else ("it is nested too deeply")
        )
        raise FileError(
            "E501",
            f"this is not a plan file: {told}",
            position=Position(path),
            remedy=_AGAIN,
        ) from None
    return value


class _TwiceError(Exception):
    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _TwiceError(key)
            seen.add(key)
    return made


def _require_known_format(value: Json, text: str, path: str) -> None:
    """Before the schema, whose complaints about a newer file would only mislead."""
    if not isinstance(value, Mapping) or "format" not in value:
        raise FileError(
            "E501",
            "this is not a plan file: it does not say its format",
            position=Position(path),
            remedy=_AGAIN,
        )
    stated = value["format"]
    if isinstance(stated, int) and not isinstance(stated, bool) and stated > FORMAT:
        raise FileError(
            "E502",
            f"this plan has format {stated}; this envsync reads up to format {FORMAT}",
            position=place(text, path, ("format",)),
            remedy="apply it with the envsync that made it, or a newer one",
        )


def _require_schema(value: Json, text: str, path: str) -> None:
    from envsync.contract.validator import validator

    schema = validator("plan")
    if schema.is_valid(value):
        return
    found = schema.violations(value)[:MOST_PROBLEMS]
    raise FileError.of(
        tuple(
            Problem(
                "E503",
                f"not a plan: {each.message}",
                position=place(text, path, each.pointer, key=each.on_key),
                label=each.label,
                remedy=each.remedy or _AGAIN,
            )
            for each in found
        )
    )


def _require_fitting_hashes(plan: Plan, text: str, path: str) -> None:
    """The hash of each change must be that of its body, as this envsync understands both."""
    for index, change in enumerate(plan.changes):
        if not _fits(change):
            where: Pointer = ("changes", index, "hash")
            raise FileError(
                "E505",
                f"the hash of {change.id} does not fit its body: the plan was made by an envsync "
                "that reads bodies in another way",
                position=place(text, path, where),
                remedy=_AGAIN,
                subject=str(change.id),
            )


def _fits(change: Change) -> bool:
    if change.canonical is None:
        return change.hash == ""
    return change.hash == digest(change.canonical)
