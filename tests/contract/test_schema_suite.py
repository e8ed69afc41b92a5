"""Both validators give the answers of the public JSON Schema test suite (draft 2020-12)."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from envsync.contract.assets import asset
from envsync.contract.broken import broken_rules
from envsync.contract.validator import validator_of

DATA = os.environ.get("ENVSYNC_TEST_DATA", "")
SUITE = Path(DATA) / "json-schema-test-suite" / "tests" / "draft2020-12"

# The suite's files for the keywords that our schemas use, and for what a team's may use.
COVERED_BY = {"if": "if-then-else", "then": "if-then-else", "else": "if-then-else", "$ref": "ref"}
COVERED_BY |= {"$defs": "defs"}
ANNOTATIONS = {"$schema", "$id", "$comment", "title", "description", "examples", "enumDescriptions"}
ANNOTATIONS |= {"errorMessage", "patternErrorMessage"}
OF_TEAMS = [
    "boolean_schema",
    "contains",
    "dependentRequired",
    "dependentSchemas",
    "exclusiveMaximum",
    "maxItems",
    "maxProperties",
    "minProperties",
    "multipleOf",
    "patternProperties",
    "prefixItems",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
]
BY_NAME = {"properties", "$defs", "patternProperties", "dependentSchemas"}
OPAQUE = {"default", "examples", "const", "enum", "enumDescriptions", "x-instead"}


def keywords(schema: Any) -> set[str]:
    found: set[str] = set()
    if isinstance(schema, list):
        return found.union(*(keywords(each) for each in schema))
    if isinstance(schema, dict):
        for keyword, value in schema.items():
            found.add(keyword)
            if keyword in BY_NAME:
                found = found.union(*(keywords(each) for each in value.values()))
            elif keyword not in OPAQUE:
                found |= keywords(value)
    return found


def used() -> set[str]:
    schemas = asset("schemas").glob("*.schema.json")
    return {
        keyword
        for path in schemas
        for keyword in keywords(json.loads(path.read_bytes()))
        if not keyword.startswith("x-") and keyword not in ANNOTATIONS
    }


FILES = sorted({COVERED_BY.get(keyword, keyword) for keyword in used()} | set(OF_TEAMS))


@pytest.mark.data
@pytest.mark.skipif(not DATA, reason="ENVSYNC_TEST_DATA names no folder of public test data")
@pytest.mark.parametrize("name", FILES)
def test_both_validators_answer_as_the_suite_says(name: str) -> None:
    for group in json.loads((SUITE / f"{name}.json").read_text("utf-8")):
        quick = validator_of(group["schema"])
        for case in group["tests"]:
            place = f"{group['description']}: {case['description']}"
            assert quick.is_valid(case["data"]) is case["valid"], place
            assert (not broken_rules(group["schema"], case["data"])) is case["valid"], place
            assert (not quick.violations(case["data"])) is case["valid"], place
