"""Whether a saved plan still fits what it was made from."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from envsync.contract.states import State
from envsync.errors import RefusedError
from envsync.planning.plan import Change, Op
from envsync.planning.staleness import check, require_fresh
from envsync.resources.resource import Base
from tests.planning.double import ServerDouble, plan_for
from tests.planning.samples import BODIES, NAMES, SERVER, TREE, manifest

SMALL = {"resources": {"cpus": 1}}
LARGE = {"resources": {"cpus": 8}}
OTHER = {"resources": {"cpus": 4}}


def checked(plan, double, /, **options):
    given_options = {"project": "acme", "context": "production", "server": SERVER}
    return check(
        plan, double.listed(), comparable=not double.foreign, **{**given_options, **options}
    )


@pytest.fixture
def server() -> ServerDouble:
    made = ServerDouble()
    made.put("same", SMALL)
    made.put("changed", SMALL)
    made.put("foreign", SMALL)
    return made


FILES = {"same": SMALL, "changed": LARGE, "new": SMALL, "gone": SMALL}


def plan_of(server):
    return plan_for(server, FILES, hints={manifest("gone")})


def messages(staleness):
    return [problem.message for problem in staleness.problems]


def test_a_plan_is_fresh_while_nothing_moved(server):
    found = checked(plan_of(server), server)
    assert not found.is_stale
    require_fresh(found)


def test_a_moved_base_is_named_with_who_and_when(server):
    plan = plan_of(server)
    server.put("changed", OTHER, by="subject:carol")
    found = checked(plan, server)
    (told,) = messages(found)
    assert told == (
        "this plan is stale: manifest changed was v1 and is now v2, saved by subject:carol "
        "at 2026-11-28T17:04:00.000Z"
    )
    assert [problem.code for problem in found.problems] == ["E510"]


def test_so_is_an_object_that_the_plan_only_holds_in_sync(server):
    plan = plan_of(server)
    server.put("same", OTHER)
    assert [moved.id for moved in checked(plan, server).moved] == [manifest("same")]


def test_what_was_absent_must_be_absent_still(server):
    plan = plan_of(server)
    server.put("new", OTHER)
    server.put("gone", OTHER)
    assert [str(moved).split(", ")[0] for moved in checked(plan, server).moved] == [
        "manifest gone was absent and is now v1",
        "manifest new was absent and is now v1",
    ]


def test_what_was_there_must_be_there_still(server):
    plan = plan_of(server)
    server.drop("changed")
    server.drop("same")
    assert [str(moved) for moved in checked(plan, server).moved] == [
        "manifest changed was v1 and is gone",
        "manifest same was v1 and is gone",
    ]


def test_a_name_made_again_never_passes_for_the_old_one(server):
    plan = plan_of(server)
    server.drop("changed")
    server.numbers["changed"] = 0
    server.put("changed", OTHER)
    (moved,) = checked(plan, server).moved
    assert "still v1 but with other content: it was deleted and made again" in str(moved)


def test_what_moved_to_what_the_plan_wants_is_done(server):
    plan = plan_of(server)
    server.put("changed", LARGE)
    server.put("new", SMALL)
    found = checked(plan, server)
    assert not found.is_stale
    assert found.done == {manifest("changed"), manifest("new")}


def test_a_held_object_that_came_back_to_the_same_content_is_as_it_was(server):
    plan = plan_of(server)
    server.put("same", OTHER)
    server.put("same", SMALL)
    assert not checked(plan, server).is_stale


def test_a_foreign_object_may_move_as_it_likes(server):
    plan = plan_of(server)
    server.put("foreign", OTHER)
    assert not checked(plan, server).is_stale


def test_a_delete_is_done_when_the_object_is_gone_and_stale_when_it_moved(server):
    plan = plan_for(server, {}, prunable={manifest("foreign")})
    assert [change.op for change in plan.changes] == [Op.DELETE]
    server.put("foreign", OTHER)
    assert [moved.id for moved in checked(plan, server).moved] == [manifest("foreign")]
    server.drop("foreign")
    assert checked(plan, server).done == {manifest("foreign")}


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"project": "other"}, "E511"),
        ({"context": "staging"}, "E511"),
        ({"server": replace(SERVER, host_id="host-2")}, "E512"),
        ({"server": replace(SERVER, host_id="")}, "E512"),
        ({"tree": "0" * 64, "require_tree": True}, "E513"),
    ],
)
def test_a_plan_for_somewhere_else_is_refused(server, options, code):
    found = checked(plan_of(server), server, **options)
    with pytest.raises(RefusedError) as caught:
        require_fresh(found)
    assert caught.value.code == code


def test_one_server_may_have_several_addresses(server):
    elsewhere = replace(SERVER, address="https://runtime.internal.example")
    assert not checked(plan_of(server), server, server=elsewhere).is_stale
    nameless = replace(plan_of(server), server=replace(SERVER, host_id=""))
    other = replace(elsewhere, host_id="")
    assert checked(nameless, server, server=other).is_stale
    assert not checked(nameless, server, server=replace(SERVER, host_id="")).is_stale


def test_other_files_in_the_working_tree_are_information_unless_asked(server):
    plan = plan_of(server)
    assert checked(plan, server, tree="0" * 64).tree_differs
    assert not checked(plan, server, tree="0" * 64).is_stale
    assert not checked(plan, server, tree=TREE, require_tree=True).is_stale
    assert not checked(plan, server, tree="", require_tree=True).is_stale


def test_every_moved_object_is_told_at_once(server):
    plan = plan_of(server)
    server.put("same", OTHER)
    server.put("changed", OTHER)
    with pytest.raises(RefusedError) as caught:
        require_fresh(checked(plan, server))
    assert [problem.code for problem in caught.value.problems] == ["E510", "E510"]


def test_what_another_server_holds_says_nothing_about_a_plan(server):
    plan = plan_of(server)
    server.put("same", OTHER)
    with pytest.raises(RefusedError) as caught:
        require_fresh(checked(plan, server, context="staging", project="other"))
    assert [problem.code for problem in caught.value.problems] == ["E511", "E511"]


def test_of_a_foreign_server_only_its_dry_run_can_tell_whether_a_moved_object_is_done():
    server = ServerDouble(foreign=True)
    server.put("box", {"image": "a"})
    plan = plan_for(server, {"box": {"image": "b"}})
    server.put("box", {"image": "b"})
    found = checked(plan, server)
    assert found.unsure == (manifest("box"),)
    with pytest.raises(RefusedError, match="not known"):
        require_fresh(found)
    asked = checked(plan, server, unchanged=[manifest("box")])
    assert asked.done == {manifest("box")}
    require_fresh(asked)


def test_a_foreign_object_that_moved_elsewhere_is_stale():
    server = ServerDouble(foreign=True)
    server.put("box", {"image": "a"})
    plan = plan_for(server, {"box": {"image": "b"}})
    server.put("box", {"image": "c"})
    assert [moved.id for moved in checked(plan, server).moved] == [manifest("box")]


@settings(max_examples=80, deadline=None)
@given(
    st.dictionaries(NAMES, BODIES, max_size=3),
    st.dictionaries(NAMES, BODIES, max_size=3),
    st.dictionaries(NAMES, BODIES, max_size=2),
)
def test_a_plan_is_stale_exactly_when_somebody_left_another_content(before, files, meddling):
    server = ServerDouble()
    for name, body in before.items():
        server.put(name, body)
    plan = plan_for(server, files)
    bases = {each.id.name: each.base for each in (*plan.changes, *plan.held)}
    wanted = {each.id.name: each.hash for each in (*plan.changes, *plan.held)}
    for name, body in meddling.items():
        server.put(name, body)
    moved = {
        name
        for name in files
        if (view := server.latest.get(name)) is not None
        and Base(view.version, view.hash) != bases[name]
        and view.hash != wanted[name]
    }
    assert {each.id.name for each in checked(plan, server).moved} == moved


def test_a_change_without_a_body_is_only_a_delete():
    plan = plan_for(ServerDouble(), {})
    gone = Change(manifest("x"), Op.DELETE, State.FOREIGN, base=Base(1, "h"))
    found = checked(replace(plan, changes=(gone,)), ServerDouble())
    assert found.done == {manifest("x")}
