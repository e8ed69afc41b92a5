"""Validators: the shipped schemas by name, and anybody's own."""

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envsync.contract.broken import broken_rules
from envsync.contract.validator import (
    SchemaError,
    schema_document,
    validator,
    validator_of,
    wire_schema,
)


def test_a_file_may_carry_what_the_wire_refuses() -> None:
    body = {"$schema": "../schemas/environment-manifest.schema.json", "name": "Analyst"}
    assert validator("environment-manifest").is_valid(body)
    codes = [
        (violation.pointer, violation.code)
        for violation in validator("environment-manifest-body").violations(body)
    ]
    assert codes == [(("$schema",), "E201"), (("name",), "E201")]


def test_the_wire_schema_is_the_file_schema_without_what_only_files_carry() -> None:
    file, wire = schema_document("environment-manifest"), wire_schema()
    assert set(file["properties"]) - set(wire["properties"]) == {"$schema", "name"}
    assert file["$defs"] == wire["$defs"]
    assert wire["$id"] == "environment-manifest-body.schema.json"


def test_a_validator_is_made_once() -> None:
    assert validator("environment-manifest") is validator("environment-manifest")


def test_a_schema_that_does_not_ship_is_not_found() -> None:
    with pytest.raises(FileNotFoundError, match="no-such"):
        validator("no-such")


def test_a_valid_value_has_no_violations_and_needs_no_explaining() -> None:
    program = (
        "import sys; from envsync.contract.validator import validator; "
        "v = validator('environment-manifest'); "
        "assert v.violations({'kind': 'pod'}) == []; "
        "assert 'jsonschema' not in sys.modules; "
        "assert v.violations({'kind': 1}) != []; "
        "assert 'jsonschema' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_policy_may_say_its_own_message_and_way_out() -> None:
    policy = validator_of(
        {
            "properties": {
                "image": {
                    "pattern": "@sha256:[0-9a-f]{64}$",
                    "errorMessage": "images are pinned by digest here",
                    "x-remedy": "ask the registry: crane digest IMAGE",
                }
            }
        }
    )
    (violation,) = policy.violations({"image": "python:3.13"})
    assert violation.pointer == ("image",)
    assert violation.code == "E200"
    assert violation.message == "images are pinned by digest here"
    assert violation.remedy == "ask the registry: crane digest IMAGE"


@pytest.mark.parametrize(
    ("schema", "instance", "code", "message"),
    [
        ({"properties": {"a": False}}, {"a": 1}, "E200", "`a` is not allowed here"),
        ({"required": ["lifecycle"]}, {}, "E203", "the document has no key `lifecycle`"),
        ({"pattern": "^a$"}, "b", "E205", "the document does not match `^a$`"),
        ({"const": 1}, 2, "E204", "the document is `2`, not `1`"),
        ({"maxItems": 1}, [1, 2], "E207", "the document has 2 items; it takes at most 1 item"),
        ({"uniqueItems": True}, [1, 1], "E207", "the document holds the same item twice"),
        ({"multipleOf": 2}, 3, "E206", "the document is 3, not a multiple of 2"),
        ({"contains": {"const": 1}}, [2], "E200", "the document breaks the rule `contains`"),
        ({"not": {"type": "array"}}, [], "E200", "the document breaks the rule `not`"),
        ({"type": ["string", "null"]}, 3, "E202", "the document is the number 3, not text or null"),
        (
            {"dependentRequired": {"a": ["b"]}},
            {"a": 1},
            "E203",
            "the document has no key `b`, which `a` needs",
        ),
        (
            {"anyOf": [{"type": "string"}, {"type": "array"}]},
            3,
            "E202",
            "the document is the number 3, not text or a list",
        ),
        (
            {"oneOf": [{"type": "string"}, {"minLength": 1}]},
            "both",
            "E200",
            "the document breaks the rule `oneOf`",
        ),
    ],
)
def test_the_rules_that_a_team_may_write(
    schema: Any, instance: Any, code: str, message: str
) -> None:
    (violation,) = validator_of(schema).violations(instance)
    assert (violation.code, violation.message) == (code, message)


def test_of_several_shapes_the_one_that_was_meant_is_explained() -> None:
    shapes = validator_of(
        {
            "oneOf": [
                {
                    "properties": {"type": {"const": "file"}, "path": {"type": "string"}},
                    "required": ["type", "path"],
                    "additionalProperties": False,
                },
                {
                    "properties": {"type": {"const": "url"}, "url": {"type": "string"}},
                    "required": ["type", "url"],
                    "additionalProperties": False,
                },
            ]
        }
    )
    said = [violation.message for violation in shapes.violations({"type": "url", "path": "x"})]
    assert said == ["the document has no key `url`", "unknown key `path`"]


def test_a_key_that_breaks_a_rule_is_pointed_at() -> None:
    schema = {"properties": {"contexts": {"propertyNames": {"pattern": "^[a-z]+$"}}}}
    (violation,) = validator_of(schema).violations({"contexts": {"A": 1}})
    assert violation.pointer == ("contexts", "A")
    assert violation.on_key


def test_a_policy_may_refer_to_a_shipped_schema() -> None:
    policy = validator_of(
        {"properties": {"memory": {"$ref": "environment-manifest.schema.json#/$defs/size"}}}
    )
    assert policy.is_valid({"memory": "2GiB"})
    (violation,) = policy.violations({"memory": "2Gi"})
    assert violation.code == "E210"


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "text"}, "text"),
        ({"pattern": "("}, "regex"),
        ({"properties": []}, "type"),
        ({"$ref": "https://schemas.example/other.json"}, "schemas.example"),
        ({"$ref": "#/$defs/missing"}, "missing"),
        ([], "mapping"),
    ],
)
def test_a_schema_that_cannot_be_used_is_refused(schema: Any, said: str) -> None:
    with pytest.raises(SchemaError, match=said):
        validator_of(schema)


WORDS = st.sampled_from(
    ["kind", "pod", "setup", "command", "secrets", "type", "bearer", "url", "files", "path"]
)
ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | WORDS | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(WORDS | st.text(), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(ODD)
def test_whatever_is_refused_is_explained(body: Any) -> None:
    schema = validator("environment-manifest")
    valid = schema.is_valid(body)
    assert (not broken_rules(schema.schema, body)) is valid
    assert (not schema.violations(body)) is valid
