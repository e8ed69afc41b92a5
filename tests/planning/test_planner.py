"""From files and a server to a plan."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from envsync.api.views import Conflict, DryRun, Notice, ServerChange
from envsync.contract.states import State
from envsync.planning.comparison import compare
from envsync.planning.counts import counts
from envsync.planning.drafting import draft
from envsync.planning.foreseen import foreseen
from envsync.planning.ignore import IgnoreRule
from envsync.planning.order import in_order, stage
from envsync.planning.plan import Change, FieldChange, FieldOp, Op
from envsync.planning.planner import answered, build_plan, learned, moved
from envsync.resources.resource import Base, ObjectId
from tests.planning.double import ServerDouble, plan_for
from tests.planning.samples import (
    BODIES,
    NAMES,
    SERVER,
    TREE,
    declared,
    desired,
    hash_of,
    manifest,
    observed,
)

SMALL = {"resources": {"cpus": 1}}
LARGE = {"resources": {"cpus": 8}}


def planned(drafts, answers=None, **options):
    drafts = answered(drafts, answers or {})
    return build_plan(drafts, project="acme", context="production", server=SERVER, tree=TREE)


def test_a_new_object_is_created_upon_an_explicitly_absent_base():
    (change,) = plan_for(ServerDouble(), {"box": SMALL}).changes
    assert (change.op, change.state, change.base) == (Op.CREATE, State.NEW, None)
    assert change.body == SMALL
    assert change.hash == hash_of(SMALL)
    assert change.foreseen.next_version == 1
    assert change.path == "manifests/box.yaml"


def test_a_changed_object_is_updated_upon_the_version_that_was_seen():
    server = ServerDouble()
    server.put("box", SMALL)
    (change,) = plan_for(server, {"box": LARGE}).changes
    assert (change.op, change.state) == (Op.UPDATE, State.DIFFERS)
    assert change.base == Base(1, hash_of(SMALL))
    assert change.fields == (FieldChange(FieldOp.REPLACE, ("resources", "cpus"), 1, 8),)
    assert change.saved_by == "subject:carol"


def test_what_is_sent_is_what_the_file_says_and_not_its_canonical_form():
    body = {
        "resources": {"memory": "1GiB"},
        "network": {"allowedHosts": ["B.example", "a.example"]},
    }
    (change,) = plan_for(ServerDouble(), {"box": body}).changes
    assert change.body == body
    assert change.canonical["resources"]["memory"] == "1024MiB"


def test_the_server_overrules_our_diff():
    comparison = compare(
        [declared("box", LARGE)], {manifest("box"): observed("box", SMALL)}, comparable=True
    )
    drafts = draft(comparison, {manifest("box"): desired("box", LARGE)})
    answers = {manifest("box"): DryRun("box", current_version=1, unchanged=True)}
    plan = planned(drafts, answers)
    assert plan.is_empty
    assert plan.held[0].state is State.IN_SYNC
    assert len(learned(drafts, answers)) == 1


@pytest.mark.parametrize(
    "answer",
    [
        DryRun("box", unchanged=True, conflict=Conflict(2)),
        DryRun("box", unchanged=True, errors=(Notice("too_large", "too large"),)),
        DryRun("box", unchanged=True, unreadable=True, raw="<html>"),
    ],
)
def test_an_answer_that_says_anything_else_is_never_taken_for_no_changes(answer):
    comparison = compare(
        [declared("box", LARGE)], {manifest("box"): observed("box", SMALL)}, comparable=True
    )
    drafts = draft(comparison, {manifest("box"): desired("box", LARGE)})
    assert len(planned(drafts, {manifest("box"): answer}).changes) == 1
    assert learned(drafts, {manifest("box"): answer}) == frozenset()


def test_what_the_server_foresees_stands_in_the_plan():
    answer = DryRun(
        "box",
        next_version=3,
        errors=(Notice("limit_exceeded", "too many steps", "/setup"),),
        warnings=(Notice("unused_hosts", "2 hosts are not reached"),),
        environments_total=5,
        environments_on_older=2,
    )
    told = foreseen(answer)
    assert told.source == "server"
    assert (told.next_version, told.environments, told.on_older) == (3, 5, 2)
    assert [error.path for error in told.errors] == ["/setup"]
    assert [warning.code for warning in told.warnings] == ["unused_hosts"]


def test_an_unreadable_answer_is_shown_raw_and_cut():
    told = foreseen(DryRun("box", unreadable=True, raw="<" * 10_000))
    assert told.warnings[0].message.startswith("the server's plan can't be read: <<<")
    assert len(told.warnings[0].message) < 600


def test_somebody_who_saves_while_we_plan_is_seen_and_read_again():
    server = ServerDouble()
    server.put("box", SMALL)
    listed = server.listed()
    server.put("box", {"harness": "codex"})
    comparison = compare([declared("box", LARGE)], listed, comparable=True)
    wanted = {manifest("box"): desired("box", LARGE)}
    drafts = draft(comparison, wanted)
    answers = {manifest("box"): server.foresee("box", LARGE, 1)}
    assert moved(answers) == (manifest("box"),)
    assert planned(drafts, answers).has_errors
    again = draft(comparison, wanted, server.listed())
    (change,) = again.changes
    assert change.base.version == 2
    assert moved({manifest("box"): server.foresee("box", LARGE, 2)}) == ()


def test_a_draft_again_sees_what_was_made_or_deleted_meanwhile():
    comparison = compare(
        [declared("made", SMALL), declared("gone", LARGE), declared("same", LARGE)],
        {each: observed(each.name, SMALL) for each in (manifest("gone"), manifest("same"))},
        comparable=True,
    )
    wanted = {
        manifest(name): desired(name, body)
        for name, body in (("made", SMALL), ("gone", LARGE), ("same", LARGE))
    }
    now = {
        manifest("made"): observed("made", LARGE),
        manifest("gone"): None,
        manifest("same"): observed("same", LARGE, version=2),
    }
    drafts = draft(comparison, wanted, now)
    assert [(each.id.name, each.op) for each in drafts.changes] == [("made", Op.UPDATE)]
    assert {each.id.name: each.state for each in drafts.held} == {
        "gone": State.MISSING,
        "same": State.IN_SYNC,
    }


def test_a_body_that_was_not_asked_for_is_an_error_of_the_caller():
    comparison = compare(
        [declared("box", LARGE)],
        {manifest("box"): observed("box", SMALL, summary=True)},
        comparable=True,
    )
    with pytest.raises(KeyError):
        draft(comparison, {manifest("box"): desired("box", LARGE)})


# Fields left to others ----------------------------------------------------------------------

IDLE = [IgnoreRule("manifest", "*", "/lifecycle/idle")]


def test_an_ignored_field_alone_is_no_difference():
    server = ServerDouble()
    server.put("box", {"lifecycle": {"idle": "2h"}})
    plan = plan_for(server, {"box": {"lifecycle": {"idle": "1h"}}}, ignore=IDLE)
    assert plan.is_empty
    assert plan.held[0].hash == server.latest["box"].hash


def test_an_ignored_field_is_sent_as_the_server_has_it():
    server = ServerDouble()
    server.put("box", {"lifecycle": {"idle": "2h"}, "harness": "a"})
    file = {"lifecycle": {"idle": "1h", "deleteAfter": "7d"}, "harness": "b"}
    (change,) = plan_for(server, {"box": file}, ignore=IDLE).changes
    assert change.body == {"lifecycle": {"idle": "2h", "deleteAfter": "7d"}, "harness": "b"}
    assert change.hash == hash_of(change.body)
    assert {field.path for field in change.fields} == {("lifecycle", "deleteAfter"), ("harness",)}


def test_an_ignored_field_of_a_new_object_is_as_its_file_says():
    (change,) = plan_for(
        ServerDouble(), {"box": {"lifecycle": {"idle": "1h"}}}, ignore=IDLE
    ).changes
    assert change.body == {"lifecycle": {"idle": "1h"}}


# A server that is not ours ------------------------------------------------------------------


def test_a_foreign_server_that_fills_its_own_defaults_is_in_sync_after_a_save():
    server = ServerDouble(foreign=True)
    server.put("box", {"image": "a"})
    remembered: set = set()
    plan = plan_for(server, {"box": {"image": "a"}}, remembered=remembered)
    assert plan.is_empty
    assert len(remembered) == 1
    comparison = compare(
        [declared("box", {"image": "a"})],
        server.listed(),
        comparable=False,
        remembered=remembered,
    )
    assert comparison.needs_desired == ()


def test_a_foreign_server_that_holds_just_what_the_file_says_is_not_asked():
    body = {"kind": "none", "harness": "x", "lifecycle": {}}
    comparison = compare(
        [declared("box", body)],
        {manifest("box"): observed("box", body, server_hash="e")},
        comparable=False,
    )
    drafts = draft(comparison, {manifest("box"): desired("box", body)})
    assert drafts.asks == ()
    assert len(drafts.learned) == 1


def test_a_field_taken_out_of_a_file_is_seen_by_a_foreign_server():
    server = ServerDouble(foreign=True)
    server.put("box", {"network": {"allowedHosts": ["a.example"]}})
    (change,) = plan_for(server, {"box": {}}).changes
    assert change.op is Op.UPDATE


def test_other_spellings_of_the_same_value_agree_with_a_foreign_server():
    theirs = {"resources": {"cpus": 2, "memory": "2048MiB"}, "kind": "virtual"}
    ours = {"resources": {"cpus": 2.0, "memory": "2GiB"}, "kind": "virtual"}
    comparison = compare(
        [declared("box", ours)],
        {manifest("box"): observed("box", theirs, server_hash="e")},
        comparable=False,
    )
    assert draft(comparison, {manifest("box"): desired("box", ours)}).changes == ()


def test_the_fields_of_a_foreign_change_are_told_as_the_server_tells_them():
    comparison = compare(
        [declared("box", {"image": "b"})],
        {manifest("box"): observed("box", {"image": "a", "x": 1}, server_hash="e")},
        comparable=False,
    )
    drafts = draft(comparison, {manifest("box"): desired("box", {"image": "b"})})
    said = (ServerChange("replace", "/image", "a", "b"),)
    (change,) = planned(drafts, {manifest("box"): DryRun("box", changes=said)}).changes
    assert change.fields == (FieldChange(FieldOp.REPLACE, ("image",), "a", "b"),)
    half = (*said, ServerChange(text="and something else"))
    (change,) = planned(drafts, {manifest("box"): DryRun("box", changes=half)}).changes
    assert ("x",) in {field.path for field in change.fields}


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(NAMES, BODIES, max_size=4), st.booleans())
def test_planning_after_the_plan_was_carried_out_is_empty(files, foreign):
    server = ServerDouble(foreign=foreign)
    for change in plan_for(server, files).changes:
        server.put(change.id.name, change.body)
    again = plan_for(server, files)
    assert again.is_empty
    assert all(held.state is State.IN_SYNC for held in again.held)


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(NAMES, BODIES, max_size=4),
    st.dictionaries(NAMES, BODIES, max_size=4),
    st.booleans(),
)
def test_what_differs_is_exactly_what_a_plan_changes(before, files, foreign):
    server = ServerDouble(foreign=foreign)
    for name, body in before.items():
        server.put(name, body)
    plan = plan_for(server, files)
    expected = {name for name, body in files.items() if not server.holds(name, body)}
    assert {change.id.name for change in plan.changes} == expected


# Order and counts ---------------------------------------------------------------------------


def change(name: str, op: Op, kind: str = "manifest") -> Change:
    return Change(ObjectId(kind, name), op, State.NEW)


def test_changes_stand_in_byte_order_and_deletes_last_in_reverse():
    given = [change(n, Op.DELETE) for n in ("a", "c", "b")]
    given += [change(n, Op.UPDATE) for n in ("b2", "B", "a2")] + [change("aa", Op.CREATE)]
    assert [each.id.name for each in in_order(given)] == ["B", "a2", "aa", "b2", "c", "b", "a"]


def test_a_type_that_nobody_knows_comes_after_the_known_and_is_deleted_before_them():
    given = [change("x", op, kind) for op in (Op.DELETE, Op.CREATE) for kind in ("zoo", "manifest")]
    assert [(each.id.type, each.op) for each in in_order(given)] == [
        ("manifest", Op.CREATE),
        ("zoo", Op.CREATE),
        ("zoo", Op.DELETE),
        ("manifest", Op.DELETE),
    ]
    assert [stage(each) for each in in_order(given)] == sorted(stage(each) for each in given)


def test_what_a_plan_holds_is_counted():
    server = ServerDouble()
    for name in ("same", "changed", "foreign"):
        server.put(name, SMALL)
    plan = plan_for(
        server,
        {"same": SMALL, "changed": LARGE, "new": SMALL, "gone": SMALL},
        hints={manifest("gone")},
    )
    told = counts(plan)
    assert (told.create, told.update, told.delete) == (1, 1, 0)
    assert (told.unchanged, told.missing, told.foreign, told.objects) == (1, 1, 1, 5)


def test_the_id_is_that_of_what_the_plan_says_and_not_of_when():
    server = ServerDouble()
    one = plan_for(server, {"box": SMALL})
    assert one.id == plan_for(server, {"box": SMALL}).id
    assert one.id != plan_for(server, {"box": LARGE}).id
    assert len(one.id) == 64
    assert replace(one, commit="4f2c1aa") != one
