"""Fields that are left to others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envsync.contract.json_types import pointer_text
from envsync.planning.ignore import IgnoreRule, ignored_fields, pointer_tokens, take_over
from tests.planning.samples import KEYS, OBJECTS, manifest

RULES = [
    IgnoreRule("manifest", "*-legacy", "/lifecycle/idle"),
    IgnoreRule("manifest", "a*", "/network"),
    IgnoreRule("manifest", "a-legacy", "/network"),
    IgnoreRule("environment", "*", "/labels"),
]


def test_the_rules_of_an_object_are_found_by_type_and_name():
    assert ignored_fields(RULES, manifest("a-legacy")) == (("lifecycle", "idle"), ("network",))
    assert ignored_fields(RULES, manifest("b-legacy")) == (("lifecycle", "idle"),)
    assert ignored_fields(RULES, manifest("b")) == ()


@given(st.lists(KEYS, min_size=1, max_size=4))
def test_a_pointer_is_read_as_it_was_written(tokens):
    assert pointer_tokens(pointer_text(tuple(tokens))) == tuple(tokens)


@pytest.mark.parametrize("text", ["", "lifecycle", "/a~b", "/a~2", "/~"])
def test_what_is_no_pointer_to_a_field_is_refused(text):
    with pytest.raises(ValueError, match="JSON Pointer"):
        pointer_tokens(text)


@pytest.mark.parametrize(
    ("body", "observed", "field", "expected"),
    [
        ({"a": 1}, {"a": 2}, ("a",), {"a": 2}),
        ({"a": 1}, {}, ("a",), {}),
        ({}, {"a": None}, ("a",), {"a": None}),
        ({}, {"l": {"idle": "1h"}}, ("l", "idle"), {"l": {"idle": "1h"}}),
        ({}, {"l": {}}, ("l", "idle"), {}),
        ({"l": {"idle": "1h", "x": 1}}, {}, ("l", "idle"), {"l": {"x": 1}}),
        ({"l": "text"}, {"l": {"idle": "1h"}}, ("l", "idle"), {"l": "text"}),
        ({"s": [{"c": 1}]}, {"s": [{"c": 2}]}, ("s", "0", "c"), {"s": [{"c": 2}]}),
        ({"s": [{"c": 1}]}, {"s": []}, ("s", "0", "c"), {"s": [{"c": 1}]}),
        ({"s": []}, {"s": [{"c": 2}]}, ("s", "0", "c"), {"s": []}),
        ({"s": [1, 2]}, {"s": [3]}, ("s", "1"), {"s": [1, 2]}),
        ({"s": [1, 2]}, {"s": [3, 4]}, ("s", "1"), {"s": [1, 4]}),
        ({"s": [1]}, {"s": [3]}, ("s", "x"), {"s": [1]}),
    ],
)
def test_what_the_server_holds_is_taken_over(body, observed, field, expected):
    assert take_over(body, observed, [field]) == expected


@given(OBJECTS, OBJECTS, KEYS)
def test_a_field_at_the_top_is_as_the_server_has_it_and_the_rest_as_it_was(body, observed, key):
    result = take_over(body, observed, [(key,)])
    assert (key in result) == (key in observed)
    assert result.get(key) == observed.get(key)
    assert {k: v for k, v in result.items() if k != key} == {
        k: v for k, v in body.items() if k != key
    }


@given(OBJECTS, OBJECTS, st.lists(st.lists(KEYS, min_size=1, max_size=3), max_size=3))
def test_taking_over_twice_is_taking_over_once_and_alters_neither_side(body, observed, paths):
    fields = [tuple(path) for path in paths]
    before = (repr(body), repr(observed))
    once = take_over(body, observed, fields)
    assert take_over(once, observed, fields) == once
    assert (repr(body), repr(observed)) == before
