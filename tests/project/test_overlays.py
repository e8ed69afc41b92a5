"""Overlays: RFC 7396, and where each merged value was said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envsync.contract.json_types import Json, Pointer
from envsync.documents import parse
from envsync.project.overlays import Layers, merge

# RFC 7396 appendix A: original, patch, result.
CASES: list[tuple[Json, Json, Json]] = [
    ({"a": "b"}, {"a": "c"}, {"a": "c"}),
    ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
    ({"a": "b"}, {"a": None}, {}),
    ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
    ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
    ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
    ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
    ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
    (["a", "b"], ["c", "d"], ["c", "d"]),
    ({"a": "b"}, ["c"], ["c"]),
    ({"a": "foo"}, None, None),
    ({"a": "foo"}, "bar", "bar"),
    ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
    ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
    ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
]


@pytest.mark.parametrize(("base", "patch", "merged"), CASES)
def test_the_examples_of_the_standard(base: Json, patch: Json, merged: Json) -> None:
    assert merge(base, patch) == merged


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner),
    max_leaves=12,
)


@given(json, json)
def test_merging_twice_is_merging_once(base: Json, patch: Json) -> None:
    merged = merge(base, patch)
    assert merge(merged, patch) == merged


BASE = parse(
    b"""\
kind: pod
resources:
  cpus: 2
  memory: 2GiB
network:
  allowedHosts:
    - a.example
lifecycle: {idle: 30m}
""",
    "manifests/box.yaml",
)
OVERLAY = parse(
    b"""\
resources:
  memory: 8GiB
network:
  allowedHosts: [b.example, c.example]
lifecycle:
  idle: null
  deleteAfter: 9d
secrets:
  TOKEN: {type: environment_variable}
""",
    "overlays/production/manifests/box.yaml",
)


@pytest.mark.parametrize(
    ("pointer", "place"),
    [
        (("kind",), "manifests/box.yaml:1:7"),
        (("resources",), "manifests/box.yaml:3:3"),
        (("resources", "cpus"), "manifests/box.yaml:3:9"),
        (("resources", "memory"), "overlays/production/manifests/box.yaml:2:11"),
        (("network", "allowedHosts", 1), "overlays/production/manifests/box.yaml:4:29"),
        (("lifecycle", "idle"), "overlays/production/manifests/box.yaml:6:9"),
        (("lifecycle", "deleteAfter"), "overlays/production/manifests/box.yaml:7:16"),
        (("secrets", "TOKEN", "type"), "overlays/production/manifests/box.yaml:9:17"),
        (("secrets", "TOKEN", "url"), "overlays/production/manifests/box.yaml:9:3"),
        (("setup",), "manifests/box.yaml:1:1"),
        (("resources", "disk"), "manifests/box.yaml:2:1"),
    ],
)
def test_a_merged_value_stands_where_it_was_said(pointer: Pointer, place: str) -> None:
    assert str(Layers(BASE, OVERLAY).position(pointer)) == place


def test_without_an_overlay_all_is_said_by_the_base() -> None:
    layers = Layers(BASE)
    assert layers.paths == ("manifests/box.yaml",)
    assert layers.merged() == BASE.data
    assert str(layers.position(("resources", "memory"))) == "manifests/box.yaml:4:11"
