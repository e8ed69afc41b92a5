"""The explaining validator: every rule that a value breaks, with the schema that says it.

``jsonschema`` is slow to import; only ``explain`` imports this module.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Any, cast

import jsonschema_rs
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend
from jsonschema_specifications import REGISTRY as METASCHEMAS  # type: ignore[import-untyped]
from msgspec import Struct
from referencing import Registry, Resource
from referencing.exceptions import NoSuchResource
from referencing.jsonschema import DRAFT202012

from envsync.contract.json_types import Json, Pointer
from envsync.contract.validator import retrieve


class Broken(Struct, frozen=True):
    """A broken rule: ``keyword`` and its value ``rule`` stand in ``schema``.

    With ``of_key`` it is a key that breaks it, the last step of ``pointer``. ``within`` is the
    way from the value that a choice (``anyOf``, ``oneOf``) is about to ``instance``, and
    ``branch`` which of the choices it belongs to. For a choice ``context`` holds what each
    branch wants; it is empty for other keywords.
    """

    keyword: str
    rule: Any
    instance: Any
    schema: Mapping[str, Any]
    pointer: Pointer
    of_key: bool = False
    within: Pointer = ()
    branch: int = 0
    context: tuple[Broken, ...] = ()

    @property
    def keys(self) -> Mapping[str, Any]:
        """The value as a mapping; empty when it is none."""
        return self.instance if isinstance(self.instance, dict) else {}


def broken_rules(schema: Mapping[str, Json] | bool, instance: Json) -> list[Broken]:
    """Every rule of ``schema`` that ``instance`` breaks, in no order that matters."""
    explainer = _Explainer(schema, registry=_registry())
    return [_broken(error) for error in explainer.iter_errors(instance)]


def unknown_keys(keys: Mapping[str, Any], schema: Mapping[str, Any]) -> list[str]:
    """The keys that ``schema`` itself neither names nor describes by a pattern."""
    known = schema.get("properties", {})
    patterns = schema.get("patternProperties", {})
    return [
        key
        for key in keys
        if key not in known and not any(_matches(pattern, key) for pattern in patterns)
    ]


@cache
def _registry() -> Any:
    """The meta-schemas and the schemas that envsync ships; nothing else can be referred to."""
    return METASCHEMAS.combine(Registry(retrieve=cast("Any", _retrieve)))  # type: ignore[call-arg]


def _broken(error: Any) -> Broken:
    steps = list(error.relative_schema_path)
    of_key = "propertyNames" in steps
    return Broken(
        keyword=error.validator or "false",
        rule=error.validator_value,
        instance=error.instance,
        schema=error.schema if isinstance(error.schema, dict) else {},
        pointer=(*error.absolute_path, error.instance) if of_key else tuple(error.absolute_path),
        of_key=of_key,
        within=tuple(error.relative_path),
        branch=steps[0] if steps and isinstance(steps[0], int) else 0,
        context=tuple(_broken(inner) for inner in error.context or ()),
    )


def _retrieve(uri: str) -> Resource[Any]:
    try:
        return DRAFT202012.create_resource(retrieve(uri))
    except ValueError as error:
        raise NoSuchResource(ref=uri) from error  # type: ignore[call-arg]


# Regular expressions are the quick validator's own, so that both always agree about them.


@lru_cache(maxsize=512)
def _pattern(pattern: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator({"pattern": pattern})


def _matches(pattern: str, text: str) -> bool:
    return _pattern(pattern).is_valid(text)


def _check_pattern(
    validator: Any, pattern: str, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not _matches(pattern, instance):
        yield ValidationError(f"does not match {pattern}")


def _check_properties(
    validator: Any, properties: Mapping[str, Any], instance: Any, schema: Any
) -> Iterator[ValidationError]:
    if not isinstance(instance, dict):
        return
    for key, subschema in properties.items():
        if key in instance and subschema is False:
            # The library itself loses the path of a property that may not be there.
            yield ValidationError(
                "not allowed",
                validator="false",
                validator_value=False,
                instance=instance[key],
                schema={},
                path=[key],
            )
        elif key in instance:
            yield from validator.descend(instance[key], subschema, path=key, schema_path=key)


def _check_pattern_properties(
    validator: Any, patterns: Mapping[str, Any], instance: Any, schema: Any
) -> Iterator[ValidationError]:
    if not isinstance(instance, dict):
        return
    for pattern, subschema in patterns.items():
        for key, value in instance.items():
            if _matches(pattern, key):
                yield from validator.descend(value, subschema, path=key, schema_path=pattern)


def _check_additional_properties(
    validator: Any, rule: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    if not isinstance(instance, dict):
        return
    extras = unknown_keys(instance, schema)
    if rule is False:
        if extras:
            yield ValidationError("unknown keys")
        return
    for key in extras:
        yield from validator.descend(instance[key], rule, path=key)


_Explainer: Any = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    {
        "pattern": _check_pattern,
        "properties": _check_properties,
        "patternProperties": _check_pattern_properties,
        "additionalProperties": _check_additional_properties,
    },
)
