"""The plan file: written, read again, and refused when it is not what was written."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from envsync.contract.states import State
from envsync.errors import FileError
from envsync.planning.file import dump, identified, load, plan_id
from envsync.planning.plan import Change, FieldChange, FieldOp, Foreseen, Notice, Op, Plan, ThreeWay
from envsync.planning.plan_json import to_json
from envsync.resources.resource import Base
from tests.planning.double import ServerDouble, plan_for
from tests.planning.samples import BODIES, JSON, KEYS, NAMES, SERVER, TREE, manifest

SMALL = {"resources": {"cpus": 1}}


def some_plan() -> Plan:
    server = ServerDouble()
    server.put("changed", SMALL)
    server.put("same", SMALL)
    files = {"changed": {"resources": {"cpus": 8}}, "same": SMALL, "new": {"harness": "x"}}
    return plan_for(server, files)


def refusal(data: bytes | str) -> FileError:
    with pytest.raises(FileError) as caught:
        load(data if isinstance(data, bytes) else data.encode(), "plan.json")
    return caught.value


def edited(change) -> bytes:
    value = json.loads(dump(some_plan()))
    change(value)
    return json.dumps(value, indent=2).encode()


def signed(change) -> bytes:
    """Edited by somebody who also mends the id."""
    value = json.loads(dump(some_plan()))
    change(value)
    value["id"] = plan_id(value)
    return json.dumps(value, indent=2).encode()


PATHS = st.lists(KEYS | st.integers(0, 99), min_size=1, max_size=4).map(tuple)


@st.composite
def plans(draw):
    """Plans with everything in them that a plan can have."""
    server = ServerDouble(foreign=draw(st.booleans()))
    for name, body in draw(st.dictionaries(NAMES, BODIES, max_size=3)).items():
        server.put(name, body)
    plan = plan_for(server, draw(st.dictionaries(NAMES, BODIES, max_size=3)))
    told = Foreseen(
        "server",
        draw(st.none() | st.integers(1, 9)),
        tuple(Notice(text, text) for text in draw(st.lists(st.text(), max_size=2))),
        (Notice("w", draw(st.text()), "/a"),),
        3,
        -1,
    )
    fields = (
        FieldChange(FieldOp.ADD, draw(PATHS), new=draw(JSON)),
        FieldChange(FieldOp.REPLACE, draw(PATHS), draw(JSON), draw(JSON)),
        FieldChange(FieldOp.REMOVE, draw(PATHS), old=draw(JSON)),
    )
    three_way = st.builds(ThreeWay, st.integers(0, 9), st.text(), st.none() | BODIES, st.text())
    changes = tuple(
        replace(
            each,
            foreseen=told,
            fields=fields,
            three_way=draw(st.none() | three_way),
            held_back=draw(st.sampled_from(["", "drift", "unknown"])),
            moved_from=draw(st.just("") | NAMES),
        )
        for each in plan.changes
    )
    gone = Change(manifest("gone"), Op.DELETE, State.FOREIGN, base=Base(3, "h"))
    return identified(
        replace(
            plan,
            changes=(*changes, gone),
            left_out=tuple(draw(st.lists(st.text(), max_size=2))),
            commit=draw(st.text()),
            created_at=draw(st.text()),
        )
    )


@settings(max_examples=60, deadline=None)
@given(plans())
def test_what_is_written_is_read_again(plan):
    assert load(dump(plan), "plan.json") == plan
    assert dump(load(dump(plan), "plan.json")) == dump(plan)


def test_commit_and_time_are_information_and_no_part_of_the_id():
    plan = some_plan()
    later = replace(plan, commit="4f2c1aa", created_at="2026-11-30T09:15:00Z")
    assert identified(later).id == plan.id
    assert load(dump(later), "plan.json") == later


@pytest.mark.parametrize(
    "part",
    ["project", "context", "tree", "server", "changes", "held", "left_out"],
)
def test_everything_else_is_part_of_the_id(part):
    plan = some_plan()
    other = {
        "project": "other",
        "context": "other",
        "tree": "0" * 64,
        "server": replace(SERVER, host_id="host-2"),
        "changes": plan.changes[:-1],
        "held": (),
        "left_out": ("something",),
    }[part]
    assert identified(replace(plan, **{part: other})).id != plan.id


def test_a_reader_finds_sorted_keys_one_a_line():
    text = dump(some_plan()).decode()
    assert text.endswith("}\n")
    assert '\n  "changes": [\n' in text
    assert text == json.dumps(json.loads(text), indent=2, sort_keys=True) + "\n"


@pytest.mark.parametrize(
    "change",
    [
        lambda plan: plan["changes"][0]["body"].update(harness="evil"),
        lambda plan: plan["changes"].pop(),
        lambda plan: plan["changes"][0].update(name="other"),
        lambda plan: plan["changes"][0]["base"].update(version=9),
        lambda plan: plan["held"].clear(),
        lambda plan: plan.update(context="staging"),
        lambda plan: plan["server"].update(address="https://other.example"),
        lambda plan: plan.update(id="0" * 64),
    ],
)
def test_a_plan_that_was_changed_is_refused(change):
    error = refusal(edited(change))
    assert error.code == "E504"
    assert error.problems[0].position.line > 1
    assert "envsync plan" in error.remedy


def test_an_information_that_was_changed_is_not_minded():
    load(edited(lambda plan: plan.update(commit="0000000")), "plan.json")


def test_a_hash_that_does_not_fit_its_body_is_refused_though_the_id_does():
    error = refusal(signed(lambda plan: plan["changes"][0].update(hash="0" * 64)))
    assert error.code == "E505"
    assert error.problems[0].subject == "manifest changed"
    assert str(error.problems[0].position).startswith("plan.json:")


def test_a_newer_format_is_refused_before_anything_else_is_said():
    error = refusal(edited(lambda plan: plan.update(format=2, more={}, changes=7)))
    assert error.code == "E502"
    assert error.message == "this plan has format 2; this envsync reads up to format 1"


@pytest.mark.parametrize(
    ("change", "line_says"),
    [
        (lambda plan: plan.update(extra=1), '"extra"'),
        (lambda plan: plan["changes"][0].update(extra=1), '"extra"'),
        (lambda plan: plan["changes"][0]["foreseen"].update(extra=1), '"extra"'),
        (lambda plan: plan["changes"][0].update(op="replace"), '"op"'),
        (lambda plan: plan["changes"][0].update(base="none"), '"base"'),
        (lambda plan: plan.update(tree="x"), '"tree"'),
        (lambda plan: plan["held"][0].update(environments="3"), '"environments"'),
    ],
)
def test_what_the_schema_does_not_know_is_refused_where_it_stands(change, line_says):
    data = signed(change)
    error = refusal(data)
    assert error.code == "E503"
    lines = {data.decode().splitlines()[each.position.line - 1] for each in error.problems}
    assert any(line_says in line for line in lines)


@pytest.mark.parametrize("key", ["id", "changes", "server", "tree", "held", "leftOut", "commit"])
def test_a_plan_without_one_of_its_parts_is_refused(key):
    assert refusal(edited(lambda plan: plan.pop(key))).code == "E503"


@pytest.mark.parametrize(
    "change",
    [
        lambda plan: plan["changes"][0].update(op="delete"),
        lambda plan: plan["changes"][0].pop("body"),
        lambda plan: plan["changes"][0].update(base="absent"),
        lambda plan: plan["changes"][1].update(base={"version": 1, "hash": "x"}),
        lambda plan: plan["changes"][0].update(hash=""),
    ],
)
def test_a_change_that_makes_no_sense_is_refused_though_the_id_fits(change):
    assert refusal(signed(change)).code == "E503"


@pytest.mark.parametrize(
    ("data", "where"),
    [
        (b"", "plan.json:1:1"),
        (b'{\n  "format": 1,\n  oops\n}', "plan.json:3:3"),
        (b'{"format": 1', "plan.json:1:13"),
        (b'{"format": NaN}', "plan.json:1:12"),
        (b'{"a": "\xff"}', "plan.json:1:8"),
        (b"[]", "plan.json:1:1"),
        (b'{"a": 1}', "plan.json:1:1"),
        (b'{"format": 1, "a": 1, "a": 2}', "plan.json:1:1"),
    ],
)
def test_what_is_no_plan_is_refused_where_it_ends_to_be_one(data, where):
    error = refusal(data)
    assert error.code == "E501"
    assert str(error.problems[0].position) == where
    assert error.message.startswith("this is not a plan file: ")


def test_a_plan_nested_beyond_reason_is_refused():
    assert refusal('{"format": 1, "a": ' + "[" * 100_000 + "]" * 100_000 + "}").code == "E501"


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_no_damage_is_ever_read_as_another_plan(data):
    """Any byte changed: refused, or nothing but information differs."""
    plan = some_plan()
    given_bytes = bytearray(dump(plan))
    at = data.draw(st.integers(0, len(given_bytes) - 1))
    given_bytes[at] = data.draw(st.integers(0, 255))
    with contextlib.suppress(FileError):
        read = load(bytes(given_bytes), "plan.json")
        assert replace(read, commit="", created_at="") == plan


def test_the_json_of_a_plan_says_absent_aloud():
    value = to_json(some_plan())
    assert [change["base"] for change in value["changes"] if change["op"] == "create"] == ["absent"]
    assert value["tree"] == TREE
