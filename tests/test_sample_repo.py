"""The sample repository is one that a company could have, and a demonstration of every field."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from envsync.contract.assets import asset
from envsync.contract.validator import schema_document
from envsync.documents import parse
from envsync.operations.schemas import PUBLISHED
from envsync.operations.validating import validate
from envsync.project.config import load

SAMPLE = asset("sample-repo")
MANIFESTS = sorted((SAMPLE / "manifests").glob("*.yaml"))
SCHEMAS = [asset(f"schemas/{name}") for name in PUBLISHED]


def data(path: Path) -> dict[str, Any]:
    return parse(path.read_bytes(), path.relative_to(SAMPLE).as_posix()).data


def keys_said(value: Any) -> Iterator[str]:
    """Every key of ``value``, at any depth."""
    if isinstance(value, list):
        for each in value:
            yield from keys_said(each)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from keys_said(inner)


def keys_described(schema: Any) -> Iterator[str]:
    """Every key that ``schema`` describes, at any depth."""
    if isinstance(schema, list):
        for each in schema:
            yield from keys_described(each)
    elif isinstance(schema, dict):
        yield from schema.get("properties", {})
        for keyword, inner in schema.items():
            if keyword not in ("default", "examples", "x-instead"):
                yield from keys_described(inner)


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda path: path.name)
def test_its_schemas_are_the_ones_that_ship(schema: Path) -> None:
    assert (SAMPLE / "schemas" / schema.name).read_bytes() == schema.read_bytes()


def test_it_has_no_other_schemas() -> None:
    assert {path.name for path in (SAMPLE / "schemas").iterdir()} == {path.name for path in SCHEMAS}


def test_it_is_valid_in_every_context_and_nothing_is_lint() -> None:
    report = validate(load(SAMPLE), cache=False)
    assert report.problems == ()
    assert report.objects == len(MANIFESTS) >= 14


@pytest.mark.parametrize("path", [SAMPLE / "envsync.yaml", *MANIFESTS], ids=lambda path: path.name)
def test_each_file_begins_with_its_schema(path: Path) -> None:
    first, _, rest = path.read_text("utf-8").partition("\n")
    key, _, reference = first.partition(": ")
    assert key == "$schema"
    assert (path.parent / reference).resolve().is_file()
    assert "#" in rest, "people write comments"


def test_together_the_manifests_use_every_field() -> None:
    said = {key for path in MANIFESTS for key in keys_said(data(path))}
    assert set(keys_described(schema_document("environment-manifest"))) <= said


def test_together_they_use_every_kind_and_every_type_of_slot() -> None:
    bodies = [data(path) for path in MANIFESTS]
    kinds = {body.get("kind", "virtual") for body in bodies}
    types = {slot["type"] for body in bodies for slot in body.get("secrets", {}).values()}
    assert kinds == {"none", "virtual", "pod"}
    assert types == {"environment_secret", "environment_variable", "bearer", "headers"}
    assert any("network" not in body for body in bodies)


def test_it_has_three_contexts_and_only_production_is_protected() -> None:
    contexts = load(SAMPLE).config.contexts
    assert {name: context.server for name, context in contexts.items()} == {
        "local": "embedded",
        "staging": "https://runtime.staging.example",
        "production": "https://runtime.example",
    }
    assert [name for name, context in contexts.items() if context.protected] == ["production"]


def test_its_hosts_are_example_hosts() -> None:
    for path in MANIFESTS:
        body = data(path)
        slots = body.get("secrets", {}).values()
        hosts = body.get("network", {}).get("allowedHosts", []) + [
            host for slot in slots for host in slot.get("allowedHosts", [])
        ]
        urls = [slot[key] for slot in slots for key in ("url", "via") if key in slot]
        hosts += [url.split("/")[2] for url in urls]
        assert [host for host in hosts if not host.endswith(".example")] == []


def test_its_readme_names_every_manifest() -> None:
    readme = (SAMPLE / "README.md").read_text("utf-8")
    for path in MANIFESTS:
        assert f"`{data(path).get('name', path.stem)}`" in readme


def test_git_ignores_what_envsync_keeps_beside_it() -> None:
    assert ".envsync/" in (SAMPLE / ".gitignore").read_text("utf-8").splitlines()
