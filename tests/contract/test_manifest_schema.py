"""The manifest's schema is one that an editor can complete and explain from."""

import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from envsync.contract import checks
from envsync.contract.normalise import normalise
from envsync.contract.validator import schema_document, validator, validator_of

SCHEMA = schema_document("environment-manifest")


def properties(schema: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every property that the schema describes, by where it is said."""
    for name, subschema in schema.get("properties", {}).items():
        if isinstance(subschema, dict):
            yield f"{path}/{name}", subschema
            yield from properties(subschema, f"{path}/{name}")
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            yield from properties(schema[keyword], f"{path}/{keyword}")
    for name, subschema in schema.get("$defs", {}).items():
        yield f"{path}/$defs/{name}", subschema
        yield from properties(subschema, f"{path}/$defs/{name}")


PROPERTIES = dict(properties(SCHEMA))


def meaning(subschema: dict[str, Any]) -> dict[str, Any]:
    """``subschema`` with what it refers to beneath."""
    name = subschema.get("$ref", "").rpartition("/")[2]
    return {**(SCHEMA["$defs"][name] if name else {}), **subschema}


def test_it_is_a_json_schema_of_draft_2020_12() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert "://" not in SCHEMA["$id"]


@pytest.mark.parametrize("place", PROPERTIES)
def test_every_property_has_a_title_and_a_description(place: str) -> None:
    said = meaning(PROPERTIES[place])
    assert said["title"]
    assert len(said["description"]) > 15
    assert said["description"].rstrip().endswith((".", "?")), "a description is a sentence"


@pytest.mark.parametrize("place", [place for place in PROPERTIES if "/$defs/" not in place])
def test_every_property_shows_an_example_or_a_default(place: str) -> None:
    said = meaning(PROPERTIES[place])
    assert said.get("examples") or "default" in said


@pytest.mark.parametrize(
    "place",
    [place for place, said in PROPERTIES.items() if "examples" in said or "default" in said],
)
def test_examples_and_defaults_are_valid(place: str) -> None:
    said = PROPERTIES[place]
    own = {**said, "$defs": SCHEMA["$defs"]}
    schema = validator_of(own)
    for example in [*said.get("examples", ()), *([said["default"]] if "default" in said else ())]:
        assert schema.violations(example) == [], example


@pytest.mark.parametrize("field", ["kind", "storage", "harness", "resources", "lifecycle"])
def test_the_defaults_in_the_schema_are_the_ones_that_are_filled_in(field: str) -> None:
    assert (
        normalise("manifest", {"kind": "pod"} if field == "storage" else {})[field]
        == (SCHEMA["properties"][field]["default"])
    )


def test_every_mapping_is_closed() -> None:
    for place, said in PROPERTIES.items():
        if said.get("type") == "object" and not place.endswith("/slot"):
            assert "additionalProperties" in said, place


def test_every_grammar_is_explained_in_editors_too() -> None:
    for place, said in PROPERTIES.items():
        if "pattern" in said and place != "/name":
            assert said["patternErrorMessage"].endswith("."), place


def test_the_named_checks_of_the_schema_exist() -> None:
    documented = "".join(
        filter(
            None,
            (
                getattr(checks, name).__doc__
                for name in dir(checks)
                if callable(getattr(checks, name))
            ),
        )
    )
    for name in SCHEMA["x-check"]:
        assert f"``{name}``" in documented


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"kind": "none"},
        {"kind": "pod", "image": "python:3.13-slim", "storage": "20GiB"},
        {"kind": "pod", "network": {"allowedHosts": ["*.pkg.example", "PyPI.example"]}},
        {"resources": {"cpus": 0.5}},
        {"resources": {"memory": "0512MiB"}},
        {"network": {}},
        {"network": {"allowedHosts": []}},
        {"setup": [{"command": "set -eu\nnpm ci\n", "cwd": "web", "timeout": "10m"}]},
        {"files": [{"path": "x", "files": {}}, {"path": "y", "artifactId": "af_1", "version": 1}]},
        {"secrets": {"a": {"type": "bearer", "url": "http://tools.acme.example:8080/mcp?x=1"}}},
        {
            "secrets": {
                "a": {"type": "bearer", "url": "https://a.example", "via": "http://localhost:9"}
            }
        },
        {
            "secrets": {
                "a": {"type": "bearer", "url": "https://a.example", "via": "http://[::1]:9/x"}
            }
        },
        {"secrets": {"a": {"type": "headers", "url": "https://a.example/users/@me"}}},
    ],
    ids=json.dumps,
)
def test_what_people_write_is_accepted(body: Any) -> None:
    assert validator("environment-manifest").violations(body) == []
