"""Policies: the team's own JSON Schemas that every object of a type must also satisfy.

A policy sees the canonical form: defaults filled in, hosts in lower case and sorted, memory in
``MiB``. So it is written once for every way to write a value, and no spelling gets around it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from envsync.contract.json_types import Json, JsonObject, Pointer
from envsync.documents import parse
from envsync.errors import FileError, Position, Problem
from envsync.project.names import comparable

if TYPE_CHECKING:
    from envsync.contract.validator import SchemaValidator
    from envsync.project.overlays import Layers

TYPE_MEMBER = "x-type"
_TYPES = ("manifest",)


class Policy(Struct, frozen=True):
    """``title`` and ``description`` are the schema's own and become the message and remedy."""

    path: str
    type: str
    title: str
    description: str
    schema: SchemaValidator

    def problems(
        self, body: JsonObject, canonical: JsonObject, layers: Layers
    ) -> Iterator[Problem]:
        """What ``canonical`` breaks, placed where ``body``, the object as written, says it."""
        if self.schema.is_valid(canonical):
            return
        for violation in self.schema.violations(canonical):
            pointer = as_written(violation.pointer, body, canonical)
            found = violation.message
            yield Problem(
                "E430",
                f"{self.title}: {found}" if self.title else found,
                position=layers.position(pointer, key=violation.on_key),
                label=violation.label,
                remedy=self.description or violation.remedy,
                related=((Position(self.path), "the policy that says so"),),
            )


def policy_of(data: bytes, path: str) -> Policy:
    """The policy that a file holds. Raises ``FileError`` when it is no JSON Schema."""
    from envsync.contract.validator import SchemaError, validator_of

    document = parse(data, path)
    said = document.data
    type_ = said.get(TYPE_MEMBER, "manifest")
    if type_ not in _TYPES:
        raise FileError(
            "E431",
            f"the policy is about objects of an unknown type: `{TYPE_MEMBER}` is {type_!r}",
            position=document.position((TYPE_MEMBER,)),
            remedy=f"name one of: {', '.join(_TYPES)}",
        )
    try:
        schema = validator_of(said)
    except SchemaError as error:
        raise FileError(
            "E431",
            f"the policy is no JSON Schema (draft 2020-12): {error}",
            position=document.position(error.pointer),
            remedy="mend the schema, or move the file out of the policies' folder",
        ) from None
    return Policy(path, type_, _text(said, "title"), _text(said, "description"), schema)


def as_written(pointer: Pointer, body: Json, canonical: Json) -> Pointer:
    """``pointer`` into the canonical form as a pointer into the body: where canonical order is
    not the file's, an item is found by its value."""
    written: list[str | int] = []
    for part in pointer:
        if isinstance(part, int) and _is_list(canonical):
            assert isinstance(canonical, Sequence)
            value = canonical[part] if part < len(canonical) else None
            part = _index(value, body, part)
            canonical = value
        else:
            canonical = canonical.get(str(part)) if isinstance(canonical, Mapping) else None
        if isinstance(part, int):
            body = body[part] if isinstance(body, list) and part < len(body) else None
        else:
            body = body.get(part) if isinstance(body, Mapping) else None
        written.append(part)
    return tuple(written)


def _index(value: Json, body: Json, index: int) -> int:
    if not isinstance(value, str) or not isinstance(body, list):
        return index
    for place, item in enumerate(body):
        if isinstance(item, str) and comparable(item) == comparable(value):
            return place
    return index


def _is_list(value: Json) -> bool:
    return isinstance(value, list)


def _text(said: Mapping[str, object], member: str) -> str:
    value = said.get(member)
    return value.strip() if isinstance(value, str) else ""
