"""The diff of two bodies, and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envsync.contract.canonical import canonical_json
from envsync.contract.normalise import normalise
from envsync.planning.diff import apply_changes, field_changes
from envsync.planning.plan import FieldChange, FieldOp
from tests.planning.samples import BODIES, JSON, OBJECTS


def told(old: dict, new: dict) -> list[tuple[str, str]]:
    return [
        (change.op.value, "/".join(map(str, change.path))) for change in field_changes(old, new)
    ]


@given(OBJECTS, OBJECTS)
def test_the_changes_made_to_the_old_body_give_the_new_one(old, new):
    assert canonical_json(apply_changes(old, field_changes(old, new))) == canonical_json(new)


@given(BODIES, BODIES)
def test_so_they_do_for_normalised_manifests(old, new):
    before, after = normalise("manifest", old), normalise("manifest", new)
    changes = field_changes(before, after)
    assert canonical_json(apply_changes(before, changes)) == canonical_json(after)


@given(
    st.lists(st.sampled_from([{"command": text} for text in "abcde"]), max_size=8),
    st.lists(st.sampled_from([{"command": text} for text in "abcdf"]), max_size=8),
)
def test_lists_of_steps_with_repetitions_come_out_right(old, new):
    before, after = {"setup": old}, {"setup": new}
    assert apply_changes(before, field_changes(before, after)) == after


@given(st.lists(JSON, max_size=6), st.lists(JSON, max_size=6))
def test_any_two_lists_come_out_right(old, new):
    before, after = {"it": old}, {"it": new}
    changes = field_changes(before, after)
    assert canonical_json(apply_changes(before, changes)) == canonical_json(after)


@given(OBJECTS)
def test_nothing_differs_from_itself(body):
    assert field_changes(body, body) == ()


@given(OBJECTS, OBJECTS)
def test_no_changes_means_the_same_canonical_json(old, new):
    assert (field_changes(old, new) == ()) == (canonical_json(old) == canonical_json(new))


def test_true_is_not_one_and_one_is_one_point_zero():
    assert told({"a": True}, {"a": 1}) == [("replace", "a")]
    assert told({"a": [False]}, {"a": [0]}) == [("remove", "a/0"), ("add", "a/0")]
    assert told({"a": 1}, {"a": 1.0}) == []


def test_null_is_told_from_absent():
    assert field_changes({"a": None}, {}) == (FieldChange(FieldOp.REMOVE, ("a",)),)
    assert field_changes({}, {"a": None}) == (FieldChange(FieldOp.ADD, ("a",)),)


def test_hosts_are_told_by_value():
    old = {"network": {"allowedHosts": ["a.example", "c.example", "d.example"]}}
    new = {"network": {"allowedHosts": ["a.example", "b.example", "d.example", "e.example"]}}
    assert field_changes(old, new) == (
        FieldChange(FieldOp.REMOVE, ("network", "allowedHosts", 1), old="c.example"),
        FieldChange(FieldOp.ADD, ("network", "allowedHosts", 1), new="b.example"),
        FieldChange(FieldOp.ADD, ("network", "allowedHosts", 3), new="e.example"),
    )


def test_an_inserted_step_is_one_addition():
    old = {"setup": [{"command": "one"}, {"command": "two"}, {"command": "three"}]}
    new = {"setup": [{"command": "zero"}, *old["setup"]]}
    assert told(old, new) == [("add", "setup/0")]


def test_a_removed_step_is_one_removal():
    old = {"setup": [{"command": "one"}, {"command": "two"}, {"command": "three"}]}
    new = {"setup": [{"command": "one"}, {"command": "three"}]}
    assert told(old, new) == [("remove", "setup/1")]


def test_a_changed_step_is_told_by_its_field():
    old = {"setup": [{"command": "uv sync"}, {"command": "make", "timeout": "1m"}]}
    new = {"setup": [{"command": "uv sync --frozen"}, {"command": "make", "timeout": "5m"}]}
    assert told(old, new) == [("replace", "setup/0/command"), ("replace", "setup/1/timeout")]


def test_a_step_is_recognised_though_another_was_inserted_before_it():
    old = {"setup": [{"command": "uv sync --all-extras", "timeout": "5m"}]}
    new = {
        "setup": [
            {"command": "apt-get install -y jq"},
            {"command": "uv sync --all-extras --frozen", "timeout": "5m"},
        ]
    }
    assert told(old, new) == [("add", "setup/0"), ("replace", "setup/1/command")]


def test_files_are_recognised_by_what_they_share():
    first = {"path": "/workspace/a", "files": {"x": "1"}}
    second = {"path": "/workspace/b", "files": {"y": "2"}}
    changed = {"path": "/workspace/b", "files": {"y": "3"}}
    assert told({"files": [first, second]}, {"files": [changed]}) == [
        ("remove", "files/0"),
        ("replace", "files/0/files/y"),
    ]


def test_secrets_are_told_by_name():
    old = {"secrets": {"A": {"type": "environment_variable"}, "B": {"type": "bearer"}}}
    new = {"secrets": {"A": {"type": "environment_variable", "required": False}, "C": {}}}
    assert told(old, new) == [
        ("add", "secrets/A/required"),
        ("remove", "secrets/B"),
        ("add", "secrets/C"),
    ]


def test_a_list_too_long_to_align_is_compared_by_place():
    old = {"it": [{"n": index} for index in range(600)]}
    new = {"it": [{"n": index + 1} for index in range(601)]}
    changes = field_changes(old, new)
    assert len(changes) == 601
    assert apply_changes(old, changes) == new


@pytest.mark.parametrize(
    "change",
    [
        FieldChange(FieldOp.ADD, ("a",), new=1),
        FieldChange(FieldOp.REMOVE, ("b",), old=1),
        FieldChange(FieldOp.REPLACE, ("b",), new=1),
        FieldChange(FieldOp.ADD, ("b", "c"), new=1),
        FieldChange(FieldOp.ADD, ("a", "c"), new=1),
        FieldChange(FieldOp.REMOVE, ("l", 5), old=1),
        FieldChange(FieldOp.ADD, ("l", "x"), new=1),
        FieldChange(FieldOp.ADD, ("l", 3), new=1),
        FieldChange(FieldOp.REPLACE, ("l", 1), new=1),
        FieldChange(FieldOp.REPLACE, ("l", 1, "x"), new=1),
    ],
)
def test_changes_of_another_body_are_refused(change):
    with pytest.raises(ValueError, match=r"."):
        apply_changes({"a": 1, "l": [1]}, [change])
