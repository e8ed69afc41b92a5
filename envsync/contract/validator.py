"""JSON Schema validators: one says yes quickly, and where it says no, another one explains.

The quick one is ``jsonschema-rs``. The explaining one (``jsonschema``) is slow to import, so it
is loaded only when there is something to explain. Neither ever fetches anything.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from itertools import islice
from typing import Any, Final, cast

import jsonschema_rs

from envsync.contract.assets import asset
from envsync.contract.json_types import Json, JsonObject, Pointer
from envsync.contract.violation import Violation

MANIFEST: Final = "environment-manifest"
MANIFEST_BODY: Final = "environment-manifest-body"
FILE_ONLY_KEYS: Final = ("$schema", "name")
"""Keys that a file may carry and that are dropped before it is sent."""


_LONGEST: Final = 300


class SchemaError(ValueError):
    """A JSON Schema cannot be used. ``pointer`` leads to the part of it that is wrong."""

    def __init__(self, message: str, pointer: Pointer = ()) -> None:
        super().__init__(message)
        self.pointer = pointer


class SchemaValidator:
    """Validates values against one JSON Schema (draft 2020-12)."""

    __slots__ = ("_quick", "schema")

    def __init__(self, schema: JsonObject | bool) -> None:
        """Raises ``SchemaError`` when ``schema`` is not a usable JSON Schema."""
        self.schema = schema
        self._quick = _compile(schema)

    def is_valid(self, instance: Json) -> bool:
        """Whether ``instance`` keeps every rule."""
        return self._quick.is_valid(instance)

    def violations(self, instance: Json) -> list[Violation]:
        """Every rule that ``instance`` breaks, in the order of the document; empty when none."""
        if self._quick.is_valid(instance):
            return []
        from envsync.contract.explain import explain

        return explain(self.schema, instance) or [_unexplained(self._quick, instance)]

    def first_violations(self, instance: Json, most: int) -> list[Violation]:
        """Up to ``most`` broken rules, in the quick validator's own words, cut where long.

        For a server, whose callers could send a value that takes minutes to explain.
        """
        errors = islice(self._quick.iter_errors(instance), most)
        return [_in_its_own_words(error) for error in errors]


@cache
def validator(name: str) -> SchemaValidator:
    """The validator of a shipped schema, by its name (``environment-manifest``, ``plan``).

    ``environment-manifest-body`` is the manifest as it goes over the wire. Raises
    ``FileNotFoundError`` for a name that does not ship.
    """
    if name == MANIFEST_BODY:
        return SchemaValidator(wire_schema())
    return SchemaValidator(schema_document(name))


def validator_of(schema: JsonObject | bool) -> SchemaValidator:
    """A validator of somebody's own schema. It may refer to the shipped schemas by file name.

    Raises ``SchemaError`` when it is not a JSON Schema, or refers to something else.
    """
    return SchemaValidator(schema)


def schema_document(name: str) -> dict[str, Any]:
    """The shipped schema of that name, fresh, so that the caller may alter it."""
    document: dict[str, Any] = json.loads(asset(f"schemas/{name}.schema.json").read_bytes())
    return document


def wire_schema() -> dict[str, Any]:
    """The schema of a manifest's body as a server takes it: without what only files carry."""
    schema = schema_document(MANIFEST)
    schema["$id"] = f"{MANIFEST_BODY}.schema.json"
    schema["title"] = "Environment manifest body"
    for key in FILE_ONLY_KEYS:
        del schema["properties"][key]
    return schema


def retrieve(uri: str) -> dict[str, Any]:
    """The shipped schema that ``uri`` ends with. Raises ``ValueError`` for any other one.

    Nothing is ever fetched: a schema of a policy may refer to ours, and to itself.
    """
    name = uri.rpartition("/")[2].partition("#")[0]
    stem = name.removesuffix(".schema.json")
    if stem == MANIFEST_BODY:
        return wire_schema()
    try:
        return schema_document(stem)
    except (FileNotFoundError, OSError):
        raise ValueError(f"{uri} is not one of the schemas that envsync ships") from None


def _compile(schema: JsonObject | bool) -> jsonschema_rs.Draft202012Validator:
    if not isinstance(schema, Mapping | bool):
        raise SchemaError("a JSON Schema is a mapping, or true or false")
    try:
        return jsonschema_rs.Draft202012Validator(cast("Any", schema), retriever=retrieve)
    except jsonschema_rs.ValidationError as error:
        raise SchemaError(error.message, tuple(error.instance_path)) from error
    except (jsonschema_rs.ReferencingError, ValueError, RecursionError) as error:
        raise SchemaError(str(error)) from error


def _unexplained(quick: jsonschema_rs.Draft202012Validator, instance: Json) -> Violation:
    """What the quick validator itself says, should the explaining one see nothing wrong."""
    return _in_its_own_words(next(iter(quick.iter_errors(instance))))


def _in_its_own_words(error: jsonschema_rs.ValidationError) -> Violation:
    words = error.message if len(error.message) <= _LONGEST else f"{error.message[:_LONGEST]}..."
    return Violation(tuple(error.instance_path), "E200", f"a rule is broken: {words}")
