"""The first step: what can differ at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envsync.contract.states import State
from envsync.planning.answers import AnswerKey
from envsync.planning.comparison import compare
from envsync.planning.ignore import IgnoreRule
from envsync.planning.selection import Selection
from tests.planning.samples import BODIES, declared, hash_of, manifest, observed

SMALL = {"resources": {"cpus": 1}}
LARGE = {"resources": {"cpus": 8}}


def server(**bodies):
    return {each.id: each for each in (observed(n, b, summary=True) for n, b in bodies.items())}


def states(comparison):
    found = {held.id.name: held.state for held in comparison.held}
    return found | {each.declared.id.name: each.state for each in comparison.candidates}


def test_each_object_has_its_state():
    comparison = compare(
        [declared("changed", LARGE), *(declared(name, SMALL) for name in ("gone", "new", "same"))],
        server(same=SMALL, changed=SMALL, foreign=SMALL),
        comparable=True,
        hints={manifest("gone"), manifest("same")},
    )
    assert states(comparison) == {
        "same": State.IN_SYNC,
        "changed": State.DIFFERS,
        "new": State.NEW,
        "gone": State.MISSING,
        "foreign": State.FOREIGN,
    }


def test_only_what_may_differ_needs_its_body():
    comparison = compare(
        [declared("changed", LARGE), declared("new", SMALL), declared("same", SMALL)],
        server(same=SMALL, changed=SMALL),
        comparable=True,
    )
    assert comparison.needs_desired == (manifest("changed"), manifest("new"))
    assert comparison.needs_observed == (manifest("changed"),)


def test_what_was_deleted_on_the_server_is_made_again_only_when_asked():
    hints = {manifest("gone")}
    left = compare([declared("gone", SMALL)], {}, comparable=True, hints=hints)
    assert states(left) == {"gone": State.MISSING}
    assert left.candidates == ()
    again = compare([declared("gone", SMALL)], {}, comparable=True, hints=hints, recreate=True)
    assert [each.state for each in again.candidates] == [State.MISSING]


def test_what_others_own_is_neither_mentioned_nor_touched():
    comparison = compare(
        [declared("ours-a", LARGE), declared("theirs-b", LARGE)],
        server(**{"ours-a": LARGE, "ours-c": SMALL, "theirs-b": SMALL, "theirs-d": SMALL}),
        comparable=True,
        owns={"manifest": ["ours-*"]},
    )
    assert states(comparison) == {"ours-a": State.IN_SYNC, "ours-c": State.FOREIGN}
    assert comparison.not_owned == (manifest("theirs-b"),)
    (told,) = comparison.left_out
    assert told == (
        "manifest theirs-b is declared here, but `owns` in envsync.yaml does not cover it; "
        "left alone"
    )


def test_a_narrowed_comparison_says_what_it_left_out_and_never_deletes():
    comparison = compare(
        [declared("api", LARGE), declared("web", LARGE)],
        server(api=SMALL, web=SMALL, **{"api-old": SMALL, "zoo": SMALL}),
        comparable=True,
        selection=Selection(names=("api*",)),
    )
    assert states(comparison) == {"api": State.DIFFERS, "api-old": State.FOREIGN}
    (told,) = comparison.left_out
    assert told == (
        "narrowed to --name 'api*': 1 object of this repository left out; "
        "a narrowed plan never deletes"
    )


def test_a_remembered_answer_spares_a_foreign_object_its_body():
    theirs = observed("box", {**SMALL, "harness": "x"}, version=4, server_hash="etag-9")
    key = AnswerKey(hash_of(SMALL), "box", 4, "etag-9")
    known = compare(
        [declared("box", SMALL)], {theirs.id: theirs}, comparable=False, remembered={key}
    )
    assert states(known) == {"box": State.IN_SYNC}
    for other in (
        AnswerKey(hash_of(LARGE), "box", 4, "etag-9"),
        AnswerKey(hash_of(SMALL), "box", 5, "etag-9"),
        AnswerKey(hash_of(SMALL), "box", 4, "etag-8"),
        AnswerKey(hash_of(SMALL), "bix", 4, "etag-9"),
    ):
        unknown = compare(
            [declared("box", SMALL)], {theirs.id: theirs}, comparable=False, remembered={other}
        )
        assert states(unknown) == {"box": None}


def test_an_answer_holds_only_for_the_fields_that_were_ignored():
    theirs = observed("box", LARGE, server_hash="e")
    rules = [IgnoreRule("manifest", "*", "/resources")]
    plain = AnswerKey(hash_of(SMALL), "box", 1, "e")
    found = compare(
        [declared("box", SMALL)],
        {theirs.id: theirs},
        comparable=False,
        remembered={plain},
        ignore=rules,
    )
    assert states(found) == {"box": None}


def test_a_foreign_hash_is_never_compared_with_ours():
    theirs = observed("box", LARGE, server_hash=hash_of(SMALL))
    found = compare([declared("box", SMALL)], {theirs.id: theirs}, comparable=False)
    assert states(found) == {"box": None}


NAMES = st.sets(st.sampled_from("abcdefgh"), max_size=8)


@given(NAMES, NAMES, NAMES, st.data())
def test_every_declared_object_is_told_exactly_once_and_in_order(here, there, hints, data):
    bodies = {name: data.draw(BODIES) for name in sorted(here | there)}
    comparison = compare(
        [declared(name, bodies[name]) for name in sorted(here)],
        server(**{name: bodies[name] for name in there}),
        comparable=True,
        hints={manifest(name) for name in hints},
    )
    told = [each.declared.id for each in comparison.candidates]
    told += [held.id for held in comparison.held]
    assert sorted(told) == [manifest(name) for name in sorted(here | there)]
    assert list(comparison.needs_desired) == sorted(comparison.needs_desired)
    assert [held.id for held in comparison.held] == sorted(held.id for held in comparison.held)


@pytest.mark.parametrize("count", [1, 10_000])
def test_ten_thousand_unchanged_objects_need_no_body_at_all(count):
    names = [f"box-{index:05}" for index in range(count)]
    comparison = compare(
        [declared(name, SMALL) for name in names],
        server(**dict.fromkeys(names, SMALL)),
        comparable=True,
        owns={"manifest": ["*"]},
    )
    assert len(comparison.held) == count
    assert comparison.needs_desired == comparison.needs_observed == ()
