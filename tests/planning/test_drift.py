"""Whether the server's latest was said, told from words and versions alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import pytest

from envsync.contract.states import State
from envsync.planning.drift import (
    Record,
    Word,
    classify,
    classify_undeclared,
    drift_told,
    needs_all_words,
    needs_versions,
    sameness,
)
from envsync.planning.ignore import pointer_tokens
from envsync.planning.plan import Change, Op, ThreeWay
from envsync.resources.resource import Base
from tests.planning.samples import desired, manifest, observed

OURS = sameness(comparable=True)
Value = TypeVar("Value")


def replace(value: Value, **changes: object) -> Value:
    """A frozen value with some of its members changed."""
    kept = {name: getattr(value, name) for name in type(value).__match_args__}
    return type(value)(**{**kept, **changes})


def words(contents: str) -> tuple[Word, ...]:
    """A word a letter, newest first; the commit is called by its place from the oldest."""
    return tuple(
        Word(f"{content}{len(contents) - place}", desired("box", {"harness": content}))
        for place, content in enumerate(contents)
    )


def versions(contents: str):
    """Newest first."""
    return [
        observed("box", {"harness": content}, version=len(contents) - place)
        for place, content in enumerate(contents)
    ]


def record(said: str, latest: str) -> Record:
    match = said.find(latest)
    return Record(words(said), match if match >= 0 else None, whole=True, declared=True)


@pytest.mark.parametrize(
    ("said", "kept", "state"),
    [
        # newest first, on both sides
        ("cba", "ba", State.AHEAD),
        ("cba", "a", State.AHEAD),
        ("cba", "aba", State.DRIFT),
        ("cba", "bcba", State.DRIFT),
        ("cba", "xa", State.DRIFT),
        ("cba", "axa", State.AHEAD),
        ("cba", "axba", State.DRIFT),
        # a revert explains it, and so does a revert of that
        ("caba", "aba", State.AHEAD),
        ("cbaba", "aba", State.AHEAD),
        ("cbaba", "baba", State.AHEAD),
        ("cba", "cbaxa", State.AHEAD),
    ],
)
def test_versions_that_can_come_from_the_commits_in_their_order_are_ahead(
    said: str, kept: str, state: State
) -> None:
    found = classify(record("d" + said, kept[0]), versions(kept), OURS)
    assert found.state is state
    assert (found.keeps, found.three_way is not None) == (
        ("drift", True) if state is State.DRIFT else ("", False)
    )


def test_the_base_is_what_both_agreed_on_last() -> None:
    found = classify(record("cba", "x"), versions("xyba"), OURS)
    assert found.three_way == ThreeWay(2, "b2", desired("box", {"harness": "b"}).canonical)
    back = classify(record("cba", "a"), versions("aba"), OURS)
    assert back.three_way is not None
    assert (back.three_way.version, back.three_way.commit, back.three_way.put_back) == (
        2,
        "b2",
        "a1",
    )


def test_what_was_never_agreed_has_no_base() -> None:
    assert classify(record("cba", "x"), versions("x"), OURS).three_way == ThreeWay()
    assert classify(record("cba", "x"), [], OURS).three_way == ThreeWay()


def test_half_a_history_tells_a_match_and_nothing_else() -> None:
    half = replace(record("cba", "x"), whole=False)
    assert classify(half, versions("x"), OURS).state is State.UNKNOWN
    assert not needs_versions(half, versions("x")[0])
    assert classify(replace(record("cba", "a"), whole=False), [], OURS).state is State.AHEAD


def test_versions_and_the_rest_of_history_are_asked_for_only_where_they_matter() -> None:
    latest = versions("ba")[0]
    assert not needs_versions(record("ba", "b"), latest)
    assert needs_versions(record("cba", "b"), latest)
    assert not needs_versions(record("cba", "a"), versions("a")[0])
    short = replace(record("cba", "b"), whole=False)
    assert not needs_all_words(short, versions("ba"), OURS)
    assert needs_all_words(short, versions("bcba"), OURS)


@pytest.mark.parametrize(
    ("declared", "whole", "latest", "state", "keeps"),
    [
        (True, True, "a", State.GONE, ""),
        (True, True, "x", State.GONE, "drift"),
        (True, False, "x", State.GONE, "unknown"),
        (False, True, "x", State.FOREIGN, ""),
        (False, False, "x", State.UNKNOWN, "unknown"),
    ],
)
def test_what_no_file_declares(
    declared: bool, whole: bool, latest: str, state: State, keeps: str
) -> None:
    told = replace(record("ba" if declared else "", latest), declared=declared, whole=whole)
    found = classify_undeclared(told, versions(latest), OURS)
    assert (found.state, found.keeps) == (state, keeps)


def test_a_server_with_hashes_of_its_own_is_compared_by_what_the_files_say() -> None:
    same = sameness(comparable=False)
    theirs = observed(
        "box", {"harness": "a", "resources": {"cpus": 8}}, version=3, server_hash="etag-3"
    )
    assert same(desired("box", {"harness": "a"}), theirs)
    assert not same(desired("box", {"harness": "b"}), theirs)
    assert not same(desired("box", {"harness": "a"}), replace(theirs, canonical=None))


@pytest.mark.parametrize("comparable", [True, False])
def test_fields_left_to_others_are_as_the_server_has_them(comparable: bool) -> None:
    same = sameness(comparable=comparable, ignored=[pointer_tokens("/lifecycle/idle")])
    theirs = observed("box", {"harness": "a", "lifecycle": {"idle": "3h"}})
    assert same(desired("box", {"harness": "a", "lifecycle": {"idle": "30m"}}), theirs)
    assert not same(desired("box", {"harness": "b"}), theirs)


def test_it_is_told_who_saved_what() -> None:
    change = Change(
        manifest("box"),
        Op.UPDATE,
        State.DRIFT,
        base=Base(12, "h"),
        saved_by="application:ops",
        saved_at="2026-11-28T17:04:31.512Z",
    )
    told = "v12 was saved by application:ops on 2026-11-28 17:04 UTC, "
    assert drift_told(change) == told + "and this repository never said it"
    back = replace(change, three_way=ThreeWay(11, "b" * 40, None, "1b77f10c" * 5))
    assert drift_told(back) == told + "and puts back what commit 1b77f10 said"
    odd: Sequence[str] = ("yesterday", "")
    assert [drift_told(replace(change, saved_at=at, saved_by="")) for at in odd] == [
        "v12 was saved on yesterday, and this repository never said it",
        "v12 was saved, and this repository never said it",
    ]
