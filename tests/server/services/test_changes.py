"""Changes tell the whole difference: carried out, they make the new out of the old."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from envsync.server.services.changes import changes

values = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["a", "b", "c/~d", ""]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("ab/~"), inner),
    max_leaves=12,
)
objects = st.dictionaries(st.sampled_from(["a", "b", "c/d", "e~f"]), values, max_size=4)


def carried_out(old: dict[str, Any], steps: list[Any]) -> Any:
    """``old`` after ``steps``, as RFC 6902 has it; checks every ``from`` on the way."""
    new = copy.deepcopy(old)
    for step in steps:
        *way, last = [
            part.replace("~1", "/").replace("~0", "~") for part in step["path"].split("/")[1:]
        ]
        holder: Any = new
        for part in way:
            holder = holder[int(part)] if isinstance(holder, list) else holder[part]
        key = int(last) if isinstance(holder, list) else last
        if step["op"] != "add":
            assert holder[key] == step["from"]
        if step["op"] == "remove":
            del holder[key]
        elif step["op"] == "add" and isinstance(holder, list):
            holder.insert(key, step["to"])
        else:
            holder[key] = step["to"]
    return new


@given(objects, objects)
def test_carried_out_they_make_the_new_out_of_the_old(
    old: dict[str, Any], new: dict[str, Any]
) -> None:
    assert carried_out(old, changes(old, new)) == new


@given(objects)
def test_there_are_none_between_equals(old: dict[str, Any]) -> None:
    assert changes(old, copy.deepcopy(old)) == []


def test_hosts_are_told_by_value() -> None:
    old = {"allowedHosts": ["a.example", "c.example", "d.example"]}
    new = {"allowedHosts": ["a.example", "b.example", "d.example"]}
    assert changes(old, new) == [
        {"op": "remove", "path": "/allowedHosts/1", "from": "c.example"},
        {"op": "add", "path": "/allowedHosts/1", "to": "b.example"},
    ]


def test_steps_are_told_by_place() -> None:
    old = {"setup": [{"command": "b"}, {"command": "a"}]}
    new = {"setup": [{"command": "b", "timeout": "1m"}]}
    assert changes(old, new) == [
        {"op": "add", "path": "/setup/0/timeout", "to": "1m"},
        {"op": "remove", "path": "/setup/1", "from": {"command": "a"}},
    ]


def test_true_is_not_one() -> None:
    assert changes({"required": True}, {"required": 1}) == [
        {"op": "replace", "path": "/required", "from": True, "to": 1}
    ]
