"""When to look, when to try again, and when to leave something alone: told without any clock."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from envsync.contract.states import State
from envsync.planning.plan import Change, Op
from envsync.resources.resource import Base, Declared, ObjectId, Observed
from envsync.watching.attempts import Attempts
from envsync.watching.backoff import LONGEST, LONGEST_UNREACHABLE, backoff
from envsync.watching.coalescing import CAP, QUIET, Coalescer
from envsync.watching.contest import FLIPS, FORGOTTEN_AFTER, Contest
from envsync.watching.differences import (
    Saved,
    declared_changes,
    observed_key,
    server_changes,
)
from envsync.watching.pace import LONGEST as SLOWEST
from envsync.watching.pace import SHORTEST, Pace

WEB = ObjectId("manifest", "web")
DATA = ObjectId("manifest", "data")


def observed(id_: ObjectId, version: int, hash_: str, by: str = "") -> Observed:
    return Observed(id_, Base(version, hash_), saved_by=by)


# One look for many wake-ups.


def test_nothing_is_due_while_nothing_happens() -> None:
    assert Coalescer().due is None


def test_a_look_waits_until_it_is_quiet() -> None:
    events = Coalescer()
    events.note(10.0)
    events.note(10.03)
    assert events.due == pytest.approx(10.03 + QUIET)
    assert events.since == 10.0
    assert events.take(10.03 + QUIET)
    assert events.due is None


def test_a_steady_stream_does_not_put_a_look_off_for_ever() -> None:
    events = Coalescer()
    for step in range(100):
        events.note(10.0 + step * 0.01)
    assert events.due == pytest.approx(10.0 + CAP)


def test_a_look_in_the_middle_of_a_stream_is_not_settled() -> None:
    events = Coalescer()
    for step in range(51):
        events.note(10.0 + step * 0.01)
    assert not events.take(10.0 + CAP)


# Waiting longer and longer, up to a cap.


@pytest.mark.parametrize("chance", [0.0, 0.5, 0.999])
def test_waiting_doubles_up_to_the_cap(chance: float) -> None:
    waits = [backoff(failures, chance) for failures in range(1, 40)]
    assert waits == sorted(waits)
    assert 0.5 <= waits[0] <= 1.0
    assert waits[1] == pytest.approx(2 * waits[0])
    assert LONGEST / 2 <= waits[-1] <= LONGEST
    assert backoff(10**9, chance, longest=LONGEST_UNREACHABLE) <= LONGEST_UNREACHABLE


def test_the_server_is_asked_less_and_less_while_nothing_changes() -> None:
    pace = Pace()
    waits = []
    for _ in range(20):
        waits.append(pace.wait)
        pace.idle()
    assert waits[0] == SHORTEST
    assert waits == sorted(waits)
    assert waits[-1] == SLOWEST
    pace.stir()
    assert pace.wait == SHORTEST


# The same thing is not tried again and again.

CHANGE = Change(WEB, Op.UPDATE, State.DIFFERS, Base(3, "theirs"), "ours")


def test_what_failed_waits() -> None:
    attempts = Attempts()
    assert attempts.may(CHANGE, 100.0)
    first = attempts.fail(CHANGE, 100.0, 1.0)
    assert not attempts.may(CHANGE, 100.5)
    assert attempts.due([CHANGE]) == first.not_before
    assert attempts.may(CHANGE, first.not_before)
    second = attempts.fail(CHANGE, first.not_before, 1.0)
    assert second.failures == 2
    assert second.not_before - first.not_before > first.not_before - 100.0


@pytest.mark.parametrize(
    "other", [replace(CHANGE, hash="mended"), replace(CHANGE, base=Base(4, "theirs"))]
)
def test_another_wish_or_another_state_is_tried_at_once(other: Change) -> None:
    attempts = Attempts()
    attempts.fail(CHANGE, 100.0, 1.0)
    assert attempts.may(other, 100.0)
    assert attempts.due([other]) is None
    assert attempts.fail(other, 100.0, 1.0).failures == 1


def test_what_needs_no_attempt_any_more_is_forgotten() -> None:
    attempts = Attempts()
    attempts.fail(CHANGE, 100.0, 1.0)
    attempts.keep(())
    assert attempts.may(CHANGE, 100.0)


# Two that write against each other.

OURS = {WEB: "ours"}


def fight(contest: Contest, rounds: int, *, begin: float = 0.0) -> list[int]:
    """``rounds`` times ours and theirs in turn; the rounds in which it was parked."""
    parked = []
    for number in range(rounds):
        at = begin + number
        contest.wrote(WEB, "ours", Base(2 * number + 1, "ours"))
        assert not contest.see({WEB: observed(WEB, 2 * number + 1, "ours")}, OURS, at)
        theirs = {WEB: observed(WEB, 2 * number + 2, "theirs", "carol")}
        if found := contest.see(theirs, OURS, at):
            assert found[0].saved_by == "carol"
            parked.append(number + 1)
    return parked


def test_three_flips_park_an_object() -> None:
    contest = Contest()
    assert fight(contest, FLIPS) == [FLIPS]
    assert contest.is_parked(WEB)


def test_seeing_theirs_again_is_no_further_flip() -> None:
    contest = Contest()
    contest.wrote(WEB, "ours", Base(1, "ours"))
    for version in range(2, 10):
        assert not contest.see({WEB: observed(WEB, version, f"theirs {version}")}, OURS, 0.0)


def test_a_version_that_says_the_same_is_no_flip() -> None:
    contest = Contest()
    for version in range(1, 10):
        contest.wrote(WEB, "ours", Base(version, "ours"))
        assert not contest.see({WEB: observed(WEB, version + 1, "ours")}, OURS, 0.0)
    assert not contest.is_parked(WEB)


def test_another_wish_ends_the_contest() -> None:
    contest = Contest()
    fight(contest, FLIPS)
    contest.see({WEB: observed(WEB, 9, "theirs")}, {WEB: "something else"}, 0.0)
    assert not contest.is_parked(WEB)


def test_a_parked_object_that_is_as_we_want_it_is_in_sync_and_stays_on_probation() -> None:
    contest = Contest()
    fight(contest, FLIPS)
    contest.see({WEB: observed(WEB, 9, "ours")}, OURS, 10.0)
    assert not contest.is_parked(WEB)
    contest.see({WEB: observed(WEB, 10, "theirs")}, OURS, 11.0)
    assert contest.is_parked(WEB)


def test_flips_of_long_ago_do_not_count() -> None:
    contest = Contest()
    assert fight(contest, FLIPS - 1) == []
    assert fight(contest, FLIPS - 1, begin=FORGOTTEN_AFTER + 10) == []


def test_what_we_delete_and_others_make_again_is_a_contest_too() -> None:
    contest = Contest()
    parked = []
    for number in range(FLIPS):
        contest.wrote(WEB, "", None)
        assert not contest.see({}, {}, 0.0)
        parked += contest.see({WEB: observed(WEB, number + 1, "theirs")}, {}, 0.0)
    assert [each.id for each in parked] == [WEB]


# What changed, and whose doing it was.


def test_what_others_did_on_the_server() -> None:
    before = {WEB: observed(WEB, 1, "a"), DATA: observed(DATA, 4, "b")}
    third = ObjectId("manifest", "third")
    after = {WEB: observed(WEB, 2, "c", "carol"), third: observed(third, 1, "d")}
    assert server_changes(before, after, {}) == (
        Saved(DATA, "deleted"),
        Saved(third, "appeared", 1),
        Saved(WEB, "saved", 2, "carol"),
    )


def test_what_we_did_ourselves_is_not_told_as_somebody_elses() -> None:
    before = {WEB: observed(WEB, 1, "a"), DATA: observed(DATA, 4, "b")}
    after = {WEB: observed(WEB, 2, "c")}
    assert server_changes(before, after, {WEB: Base(2, "c"), DATA: None}) == ()
    further = {WEB: observed(WEB, 3, "c")}
    assert server_changes(after, further, {WEB: Base(2, "c")}) == (Saved(WEB, "saved", 3),)


def test_the_key_of_what_is_observed_is_told_by_versions_and_hashes_alone() -> None:
    first = {WEB: observed(WEB, 1, "a"), DATA: observed(DATA, 4, "b")}
    other_order = {DATA: observed(DATA, 4, "b", "carol"), WEB: observed(WEB, 1, "a")}
    assert observed_key(first) == observed_key(other_order)
    assert observed_key(first) != observed_key({**first, WEB: observed(WEB, 2, "a")})
    assert observed_key(first) != observed_key({WEB: first[WEB]})


def test_which_objects_the_files_say_otherwise() -> None:
    before = [Declared(WEB, "a", ("web.yaml",)), Declared(DATA, "b", ("data.yaml",))]
    after = [Declared(WEB, "c", ("web.yaml",))]
    assert declared_changes(before, after) == (DATA, WEB)
    assert declared_changes(after, after) == ()
