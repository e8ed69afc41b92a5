"""Carrying a plan out: what each object's outcome is, whatever happens in between."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envsync.applying.apply import carry_out
from envsync.applying.exit_code import exit_code
from envsync.applying.outcome import Outcome, Result
from envsync.applying.pausing import jittered
from envsync.applying.stop import StopSignal
from envsync.errors import ApiError, EnvsyncError, ExitCode, NetworkError
from envsync.planning.ignore import IgnoreRule
from envsync.planning.plan import Op, Plan
from tests.planning.double import ServerDouble, plan_for
from tests.planning.samples import BODIES, NAMES, hash_of, manifest

SMALL = {"resources": {"cpus": 1}}
LARGE = {"resources": {"cpus": 8}}
OTHER = {"resources": {"cpus": 4}}


async def no_pause(attempt: int) -> None:
    return None


def carried_out(plan: Plan, server: ServerDouble, **options) -> tuple[Outcome, ...]:
    options = {"saved_plan": False, "pause": no_pause, **options}
    return asyncio.run(carry_out(plan, server, server, comparable=not server.foreign, **options))


def results(outcomes) -> dict[str, str]:
    return {outcome.id.name: outcome.result.value for outcome in outcomes}


def lost(*, sent: bool = True) -> NetworkError:
    error = NetworkError("E600", "the connection was cut")
    error.sent = sent
    return error


def refused(status: int) -> ApiError:
    return ApiError("E640", f"refused with {status}", status=status)


def at(
    kind: str, name: str, error: Exception | Callable[[], object], *, times: int = 1
) -> Callable[[str, str], None]:
    """A hook that does ``error`` the first ``times`` that ``kind name`` is asked."""
    left = [times]

    def hook(step: str, asked: str) -> None:
        if (step, asked) == (kind, name) and left[0]:
            left[0] -= 1
            if isinstance(error, BaseException):
                raise error
            error()

    return hook


@pytest.fixture
def server() -> ServerDouble:
    made = ServerDouble()
    for name in ("changed", "same"):
        made.put(name, SMALL)
    return made


FILES = {"changed": LARGE, "new": SMALL, "same": SMALL}


# What goes well -----------------------------------------------------------------------------


def test_each_change_is_applied_and_what_was_in_sync_is_unchanged(server):
    outcomes = carried_out(plan_for(server, FILES), server)
    assert [(each.id.name, each.op, each.result) for each in outcomes] == [
        ("changed", Op.UPDATE, Result.APPLIED),
        ("new", Op.CREATE, Result.APPLIED),
        ("same", None, Result.UNCHANGED),
    ]
    assert [each.base.version for each in outcomes] == [2, 1, 1]
    assert server.steps == ["save changed", "save new"]
    assert exit_code(outcomes) is ExitCode.DONE


def test_planning_after_it_is_empty(server):
    carried_out(plan_for(server, FILES), server)
    assert plan_for(server, FILES).is_empty


def test_what_is_missing_or_foreign_has_no_outcome(server):
    plan = plan_for(server, {"gone": SMALL}, hints={manifest("gone")})
    assert carried_out(plan, server) == ()


def test_an_empty_plan_asks_nothing(server):
    plan = plan_for(server, {"same": SMALL})
    assert results(carried_out(plan, server)) == {"same": "unchanged"}
    assert server.steps == []


def test_a_plan_carried_out_again_continues_it(server):
    plan = plan_for(server, FILES)
    carried_out(plan, server, saved_plan=True)
    again = carried_out(plan, server, saved_plan=True)
    assert set(results(again).values()) == {"unchanged"}
    assert [view.version for view in server.latest.values()] == [2, 1, 1]


def test_what_is_known_to_be_done_is_read_and_not_sent(server):
    plan = plan_for(server, FILES)
    server.put("changed", LARGE)
    outcomes = carried_out(plan, server, saved_plan=True, done={manifest("changed")})
    assert results(outcomes)["changed"] == "unchanged"
    assert outcomes[0].base.version == 2
    assert "save changed" not in server.steps


def test_what_is_no_longer_done_is_a_conflict(server):
    plan = plan_for(server, FILES)
    server.put("changed", OTHER)
    outcomes = carried_out(plan, server, saved_plan=True, done={manifest("changed")})
    assert results(outcomes)["changed"] == "conflict"


# Races --------------------------------------------------------------------------------------


def test_a_conflict_names_who_and_what_and_writes_nothing(server):
    plan = plan_for(server, FILES)
    server.put("changed", {**OTHER, "network": {"allowedHosts": ["a.example", "b.example"]}})
    outcomes = carried_out(plan, server)
    assert results(outcomes) == {"changed": "conflict", "new": "applied", "same": "unchanged"}
    problem = outcomes[0].problem
    assert problem.code == "E520"
    assert problem.message == (
        "v1 is no longer the latest (v2 by subject:carol, 2026-11-28T17:04:00.000Z); "
        "theirs differs in network, resources.cpus; nothing was written"
    )
    assert problem.subject == "manifest changed"
    assert outcomes[0].theirs["resources"]["cpus"] == 4
    assert server.latest["changed"].version == 2
    assert exit_code(outcomes) is ExitCode.PARTIAL


def test_the_same_change_upon_a_new_version_is_tried_again(server):
    plan = plan_for(server, FILES)
    server.put("changed", OTHER)
    server.put("changed", SMALL)
    outcomes = carried_out(plan, server)
    assert results(outcomes)["changed"] == "applied"
    assert outcomes[0].base.version == 4
    assert outcomes[0].attempts == 2


def test_but_not_with_a_saved_plan_which_was_reviewed_for_another_version(server):
    plan = plan_for(server, FILES)
    server.put("changed", OTHER)
    server.put("changed", SMALL)
    outcomes = carried_out(plan, server, saved_plan=True)
    assert results(outcomes)["changed"] == "conflict"
    assert "theirs has the same content as the base" in outcomes[0].problem.message
    assert server.latest["changed"].version == 3


def test_a_base_that_never_stands_still_is_given_up_after_three_retries(server):
    plan = plan_for(server, {"changed": LARGE})

    def meddle(step: str, name: str) -> None:
        if step == "save":
            server.put("changed", OTHER)
            server.put("changed", SMALL)

    server.before = meddle
    (outcome,) = carried_out(plan, server)
    assert outcome.result is Result.CONFLICT
    assert server.steps.count("save changed") == 4
    assert server.holds("changed", SMALL)


def test_who_saved_what_we_wanted_has_done_our_work(server):
    for saved_plan in (False, True):
        plan = plan_for(server, FILES)
        server.put("changed", LARGE, by="subject:carol")
        outcomes = carried_out(plan, server, saved_plan=saved_plan)
        assert results(outcomes)["changed"] == "unchanged"
        assert outcomes[0].notes == ("the server already held this, saved by subject:carol",)
        assert server.latest["changed"].version in {2, 4}
        server.put("changed", SMALL)
        server.drop("new")


def test_somebody_who_makes_what_we_make_is_a_conflict_unless_it_is_the_same(server):
    plan = plan_for(server, FILES)
    server.put("new", OTHER)
    outcomes = carried_out(plan, server)
    assert results(outcomes)["new"] == "conflict"
    assert outcomes[1].problem.message.startswith("somebody made it meanwhile (v1 by subject:carol")


def test_somebody_who_deletes_what_we_change_is_a_conflict(server):
    plan = plan_for(server, FILES)
    server.drop("changed")
    outcomes = carried_out(plan, server)
    assert results(outcomes)["changed"] == "conflict"
    assert "v1 is gone: somebody deleted it" in outcomes[0].problem.message


IDLE = [IgnoreRule("manifest", "*", "/lifecycle/idle")]


def test_a_field_left_to_others_may_move_between_plan_and_apply():
    server = ServerDouble()
    server.put("box", {"lifecycle": {"idle": "1h"}, "harness": "a"})
    plan = plan_for(server, {"box": {"harness": "b"}}, ignore=IDLE)
    server.put("box", {"lifecycle": {"idle": "2h"}, "harness": "a"})
    (outcome,) = carried_out(plan, server, ignore=IDLE)
    assert outcome.result is Result.APPLIED
    assert server.latest["box"].manifest["lifecycle"] == {"idle": "2h"}
    assert server.latest["box"].manifest["harness"] == "b"


def test_any_other_field_may_not():
    server = ServerDouble()
    server.put("box", {"lifecycle": {"idle": "1h"}, "harness": "a"})
    plan = plan_for(server, {"box": {"harness": "b"}}, ignore=IDLE)
    server.put("box", {"lifecycle": {"idle": "2h"}, "harness": "a", "resources": {"cpus": 8}})
    (outcome,) = carried_out(plan, server, ignore=IDLE)
    assert outcome.result is Result.CONFLICT


def test_a_foreign_server_is_asked_whether_it_has_what_we_wanted():
    server = ServerDouble(foreign=True)
    server.put("box", {"image": "a"})
    plan = plan_for(server, {"box": {"image": "b"}})
    server.put("box", {"image": "b"})
    (outcome,) = carried_out(plan, server, saved_plan=True)
    assert outcome.result is Result.UNCHANGED
    assert server.steps == ["save box", "get box", "plan box"]


# Lost answers -------------------------------------------------------------------------------


def test_an_answer_lost_after_the_effect_is_found_again(server):
    plan = plan_for(server, FILES)
    server.after = at("save", "changed", lost())
    outcomes = carried_out(plan, server, saved_plan=True)
    assert results(outcomes)["changed"] == "applied"
    assert outcomes[0].notes == ("the answer was lost; the server holds what was sent",)
    assert server.latest["changed"].version == 2
    assert server.steps.count("save changed") == 1


def test_a_request_lost_before_the_effect_is_sent_again(server):
    plan = plan_for(server, FILES)
    server.before = at("save", "changed", lost())
    outcomes = carried_out(plan, server, saved_plan=True)
    assert results(outcomes)["changed"] == "applied"
    assert server.latest["changed"].version == 2
    assert server.steps.count("save changed") == 2


def test_a_lost_answer_and_a_second_writer_are_a_conflict(server):
    plan = plan_for(server, FILES)

    def both() -> None:
        server.put("changed", OTHER)
        raise lost()

    server.before = at("save", "changed", both)
    outcomes = carried_out(plan, server)
    assert results(outcomes)["changed"] == "conflict"
    assert server.holds("changed", OTHER)


def test_a_request_that_is_always_lost_is_given_up(server):
    plan = plan_for(server, {"changed": LARGE, "new": SMALL})
    server.before = at("save", "changed", lost(), times=99)
    outcomes = carried_out(plan, server, concurrency=1)
    assert results(outcomes) == {"changed": "failed", "new": "not-attempted"}
    assert server.steps.count("save changed") == 4
    assert not outcomes[0].uncertain


@pytest.mark.parametrize("status", [500, 502, 504])
def test_an_error_of_a_gateway_may_hide_a_save(server, status):
    plan = plan_for(server, FILES)
    server.after = at("save", "changed", refused(status))
    server.before = at("save", "new", refused(status))
    outcomes = carried_out(plan, server)
    assert results(outcomes) == {"changed": "applied", "new": "failed", "same": "unchanged"}
    assert exit_code(outcomes) is ExitCode.PARTIAL


def test_what_can_not_be_read_after_a_lost_answer_is_told_as_uncertain(server):
    plan = plan_for(server, FILES)
    server.after = at("save", "changed", lost())
    server.before = at("get", "changed", lost(sent=False))
    outcomes = carried_out(plan, server, concurrency=1)
    assert results(outcomes) == {"changed": "failed", "new": "not-attempted", "same": "unchanged"}
    assert outcomes[0].uncertain
    assert "not known" in outcomes[0].notes[0]
    assert exit_code(outcomes) is ExitCode.PARTIAL


def test_a_conflict_that_can_not_be_read_is_a_conflict_all_the_same(server):
    plan = plan_for(server, FILES)
    server.put("changed", OTHER)
    server.before = at("get", "changed", refused(500))
    outcomes = carried_out(plan, server)
    assert results(outcomes)["changed"] == "conflict"
    assert outcomes[0].problem.code == "E641"


def test_a_server_that_took_it_and_shows_something_else_is_told_so(server):
    plan = plan_for(server, {"changed": LARGE})
    server.after = at("save", "changed", refused(200))
    (outcome,) = carried_out(plan, server)
    assert outcome.result is Result.FAILED
    assert outcome.notes == ("the server saved something, and does not show it as it was sent",)
    assert exit_code([outcome]) is ExitCode.PARTIAL


# What stops a run ---------------------------------------------------------------------------

MANY = dict.fromkeys(("a", "b", "c", "d"), SMALL)


@pytest.mark.parametrize("status", [400, 409, 413, 422, 429, 503])
def test_one_that_is_refused_stops_no_other(status):
    server = ServerDouble()
    server.before = at("save", "b", refused(status))
    outcomes = carried_out(plan_for(server, MANY), server)
    assert results(outcomes) == {"a": "applied", "b": "failed", "c": "applied", "d": "applied"}
    assert outcomes[1].problem.message == f"refused with {status}"
    assert exit_code(outcomes) is ExitCode.PARTIAL


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_credential_stops_the_rest(status):
    server = ServerDouble()
    server.before = at("save", "b", refused(status))
    outcomes = carried_out(plan_for(server, MANY), server, concurrency=1)
    assert list(results(outcomes).values()) == ["applied", "failed"] + ["not-attempted"] * 2
    assert [each.problem.code for each in outcomes[2:]] == ["E524", "E524"]


def test_a_connection_that_is_gone_stops_the_rest():
    server = ServerDouble()
    server.before = at("save", "a", lost(sent=False))
    outcomes = carried_out(plan_for(server, MANY), server, concurrency=1)
    assert list(results(outcomes).values()) == ["failed"] + ["not-attempted"] * 3
    assert [each.problem.code for each in outcomes[1:]] == ["E523"] * 3
    assert exit_code(outcomes) is ExitCode.ERROR


def test_what_the_server_foresaw_is_not_sent(server):
    class Strict(ServerDouble):
        def foresee(self, name, body, if_match):
            from msgspec.structs import replace

            from envsync.api.views import Notice

            told = super().foresee(name, body, if_match)
            return replace(told, errors=(Notice("limit", "too many", "/setup"),))

    strict = Strict()
    outcomes = carried_out(plan_for(strict, {"a": SMALL}), strict)
    assert results(outcomes) == {"a": "failed"}
    assert outcomes[0].problem.code == "E521"
    assert outcomes[0].problem.message.endswith("too many (/setup)")
    assert strict.steps == []
    assert exit_code(outcomes) is ExitCode.ERROR


@pytest.mark.parametrize(("number", "code"), [(2, 130), (15, 143)])
def test_a_signal_lets_what_is_in_flight_finish_and_begins_nothing_new(number, code):
    server, stop = ServerDouble(), StopSignal()
    server.before = at("save", "b", lambda: stop.stop(number))
    outcomes = carried_out(plan_for(server, MANY), server, concurrency=2, stop=stop)
    assert results(outcomes) == {
        "a": "applied",
        "b": "applied",
        "c": "not-attempted",
        "d": "not-attempted",
    }
    assert outcomes[3].problem.code == "E525"
    assert exit_code(outcomes, stop.number) == code
    assert {change.id.name for change in plan_for(server, MANY).changes} == {"c", "d"}


def test_the_first_signal_counts():
    stop = StopSignal()
    assert (stop.is_set, stop.number) == (False, None)
    stop.stop(15)
    stop.stop(2)
    assert (stop.is_set, stop.number) == (True, 15)


def test_a_retry_is_not_begun_after_a_signal(server):
    stop = StopSignal()
    plan = plan_for(server, {"changed": LARGE})

    def stop_and_lose() -> None:
        stop.stop(2)
        raise lost()

    server.before = at("save", "changed", stop_and_lose)
    (outcome,) = carried_out(plan, server, stop=stop)
    assert outcome.result is Result.NOT_ATTEMPTED
    assert server.holds("changed", SMALL)


# Deletes ------------------------------------------------------------------------------------


def pruning(server: ServerDouble, files=None) -> Plan:
    names = {manifest(name) for name in server.latest}
    return plan_for(server, files or {}, prunable=names)


def test_deletes_come_last_and_in_reverse():
    server = ServerDouble()
    for name in ("a", "b", "c"):
        server.put(name, SMALL)
    outcomes = carried_out(pruning(server, {"z": SMALL}), server, concurrency=1)
    assert [step for step in server.steps if not step.startswith("get")] == [
        "save z",
        "delete c",
        "delete b",
        "delete a",
    ]
    assert [each.op for each in outcomes] == [Op.CREATE] + [Op.DELETE] * 3
    assert set(results(outcomes).values()) == {"applied"}
    assert list(server.latest) == ["z"]


def test_what_moved_is_not_deleted():
    server = ServerDouble()
    server.put("a", SMALL)
    plan = pruning(server)
    server.put("a", OTHER)
    outcomes = carried_out(plan, server)
    assert results(outcomes) == {"a": "conflict"}
    assert "delete a" not in server.steps
    assert exit_code(outcomes) is ExitCode.REFUSED


def test_what_moves_at_the_last_moment_is_refused_by_our_server():
    server = ServerDouble()
    server.put("a", SMALL)
    plan = pruning(server)
    server.before = at("delete", "a", lambda: server.put("a", OTHER))
    assert results(carried_out(plan, server)) == {"a": "conflict"}
    assert server.holds("a", OTHER)


def test_what_is_gone_is_not_deleted_again():
    server = ServerDouble()
    server.put("a", SMALL)
    plan = pruning(server)
    server.drop("a")
    assert results(carried_out(plan, server)) == {"a": "unchanged"}


def test_a_server_without_a_precondition_is_told_so():
    server = ServerDouble(foreign=True)
    server.put("a", SMALL)
    (outcome,) = carried_out(pruning(server), server)
    assert outcome.result is Result.APPLIED
    assert "checks no version" in outcome.notes[0]


def test_a_delete_whose_answer_is_lost_is_looked_up():
    for hook in ("before", "after"):
        server = ServerDouble()
        server.put("a", SMALL)
        plan = pruning(server)
        setattr(server, hook, at("delete", "a", lost()))
        assert results(carried_out(plan, server)) == {"a": "applied"}
        assert server.latest == {}


def test_a_delete_that_is_refused_fails_and_stays():
    server = ServerDouble()
    server.put("a", SMALL)
    plan = pruning(server)
    server.before = at("delete", "a", refused(409), times=9)
    assert results(carried_out(plan, server)) == {"a": "failed"}
    assert server.steps.count("delete a") == 1


def test_a_delete_that_is_always_lost_is_told_as_uncertain():
    server = ServerDouble()
    server.put("a", SMALL)
    plan = pruning(server)
    server.before = at("delete", "a", lost(), times=99)
    (outcome,) = carried_out(plan, server)
    assert (outcome.result, outcome.uncertain) == (Result.FAILED, True)


def test_a_delete_is_not_begun_when_the_read_before_it_fails():
    server = ServerDouble()
    server.put("a", SMALL)
    plan = pruning(server)
    server.before = at("get", "a", refused(500))
    assert results(carried_out(plan, server)) == {"a": "failed"}
    assert server.holds("a", SMALL)


def test_a_delete_is_not_tried_again_after_a_signal():
    server, stop = ServerDouble(), StopSignal()
    server.put("a", SMALL)
    plan = pruning(server)

    def stop_and_lose() -> None:
        stop.stop(15)
        raise lost()

    server.before = at("delete", "a", stop_and_lose)
    assert results(carried_out(plan, server, stop=stop)) == {"a": "not-attempted"}


@pytest.mark.parametrize("trouble", [refused(400), refused(500), lost(sent=False)])
def test_nothing_is_deleted_after_a_failure(trouble):
    server = ServerDouble()
    server.put("old", SMALL)
    plan = pruning(server, {"new": SMALL})
    server.before = at("save", "new", trouble)
    assert results(carried_out(plan, server)) == {"new": "failed", "old": "not-attempted"}
    assert server.holds("old", SMALL)


# Order and side by side ---------------------------------------------------------------------


@pytest.mark.parametrize("width", [1, 3, 8, 50])
def test_independent_objects_run_side_by_side_and_the_result_does_not_tell(width):
    server = ServerDouble()
    files = {f"box-{index:02}": SMALL for index in range(20)}
    heard: list[str] = []
    outcomes = carried_out(
        plan_for(server, files),
        server,
        concurrency=width,
        on_outcome=lambda outcome: heard.append(outcome.id.name),
    )
    assert server.most_flying == min(width, 20)
    assert [each.id.name for each in outcomes] == sorted(files)
    assert sorted(heard) == sorted(files)


def test_no_width_is_an_error_of_the_caller():
    with pytest.raises(ValueError, match="at least one"):
        carried_out(plan_for(ServerDouble(), {}), ServerDouble(), concurrency=0)


def test_an_error_of_ours_is_not_hidden_and_leaves_no_task_behind():
    server = ServerDouble()
    server.before = at("save", "b", ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        carried_out(plan_for(server, MANY), server)
    assert server.flying == 0


def test_the_pause_before_a_retry_grows(monkeypatch):
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    monkeypatch.setattr("random.uniform", lambda low, high: high)
    for attempt in (1, 2, 3):
        asyncio.run(jittered(attempt))
    assert slept == [0.1, 0.2, 0.4]


# Killed at any step -------------------------------------------------------------------------


class Killed(BaseException):
    """The process is gone: from this step on nothing more is sent."""


def killed_at(server: ServerDouble, step: int, *, after: bool) -> None:
    count = [0]

    def hook(kind: str, name: str) -> None:
        count[0] += 1
        if count[0] >= step:
            raise Killed

    setattr(server, "after" if after else "before", hook)


@settings(max_examples=120, deadline=None)
@given(
    st.dictionaries(NAMES, BODIES, max_size=4),
    st.dictionaries(NAMES, BODIES, min_size=1, max_size=4),
    st.integers(1, 8),
    st.booleans(),
    st.booleans(),
    st.integers(1, 3),
)
def test_the_plan_after_a_kill_shows_just_what_is_left(
    before, files, step, after, foreign, concurrency
):
    server = ServerDouble(foreign=foreign)
    for name, body in before.items():
        server.put(name, body)
    plan = plan_for(server, files)
    killed_at(server, step, after=after)
    try:
        carried_out(plan, server, concurrency=concurrency)
    except Killed:
        assert server.flying == 0
    server.before = server.after = lambda kind, name: None
    left = {name for name, body in files.items() if not server.holds(name, body)}
    rest = plan_for(server, files)
    assert {change.id.name for change in rest.changes} == left
    outcomes = carried_out(rest, server)
    assert exit_code(outcomes) is ExitCode.DONE
    assert plan_for(server, files).is_empty


def test_a_run_that_is_cancelled_is_cancelled():
    server = ServerDouble()

    async def run() -> None:
        task = asyncio.create_task(
            carry_out(plan_for(server, MANY), server, server, saved_plan=False)
        )
        server.before = at("save", "b", task.cancel)
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(run())
    assert server.flying == 0


# A second writer between any two steps ------------------------------------------------------

MEDDLING = st.lists(
    st.tuples(
        st.integers(1, 12),
        st.sampled_from(["before", "after"]),
        NAMES,
        st.sampled_from(["other", "ours", "base", "drop", "lost", "cut", "500", "429", "409"]),
    ),
    max_size=6,
)
SAID = (lost(), lost(sent=False), refused(500), refused(429), refused(409))
TROUBLE = dict(zip(("lost", "cut", "500", "429", "409"), SAID, strict=True))
MAY_HAVE_BEEN_DONE = {"lost", "500"}
"""The only troubles that may be met after the effect; the others say that there was none."""


class Meddler:
    """Does to the server what it was told to do, at the steps it was told."""

    def __init__(self, server, files, before, script) -> None:
        self.server, self.files, self.base, self.script = server, files, before, script
        self.touched: set[str] = set()
        self.count = 0
        server.before = self.before
        server.after = self.after

    def before(self, kind: str, name: str) -> None:
        self.count += 1
        self.act("before")

    def after(self, kind: str, name: str) -> None:
        self.act("after")

    def act(self, when: str) -> None:
        for step, moment, name, deed in self.script:
            honest = when == "before" or deed not in TROUBLE or deed in MAY_HAVE_BEEN_DONE
            if (step, moment) == (self.count, when) and honest:
                self.do(name, deed)

    def do(self, name: str, deed: str) -> None:
        if deed in TROUBLE:
            raise TROUBLE[deed]
        self.touched.add(name)
        if deed == "drop":
            self.server.drop(name)
        elif deed == "other":
            self.server.put(name, {"harness": "meddler"})
        else:
            source = self.files if deed == "ours" else self.base
            if name in source:
                self.server.put(name, source[name])


@settings(max_examples=300, deadline=None)
@given(
    st.dictionaries(NAMES, BODIES, max_size=4),
    st.dictionaries(NAMES, BODIES, min_size=1, max_size=4),
    MEDDLING,
    st.booleans(),
    st.booleans(),
    st.integers(1, 3),
)
def test_whatever_others_do_each_object_has_one_truthful_outcome(
    before, files, script, saved_plan, foreign, concurrency
):
    server = ServerDouble(foreign=foreign)
    for name, body in before.items():
        server.put(name, body)
    plan = plan_for(server, files)
    meddler = Meddler(server, files, before, script)
    outcomes = carried_out(plan, server, saved_plan=saved_plan, concurrency=concurrency)

    assert sorted(each.id.name for each in outcomes) == sorted(files)
    order = [change.id.name for change in plan.changes]
    assert [each.id.name for each in outcomes][: len(order)] == order
    for outcome in outcomes[: len(order)]:
        name = outcome.id.name
        assert (outcome.problem is None) == (outcome.result in {Result.APPLIED, Result.UNCHANGED})
        if name in meddler.touched:
            continue
        ours = server.holds(name, files[name])
        if outcome.result in {Result.APPLIED, Result.UNCHANGED}:
            assert ours
        elif not outcome.uncertain:
            assert not ours

    # Nobody's other save was written over: each of them stands until its author moved on.
    server.before = server.after = lambda kind, name: None
    rest = plan_for(server, files)
    left = {name for name, body in files.items() if not server.holds(name, body)}
    assert {change.id.name for change in rest.changes} == left
    assert exit_code(carried_out(rest, server)) is ExitCode.DONE


@settings(max_examples=200, deadline=None)
@given(BODIES, BODIES, st.integers(1, 4), st.booleans(), st.booleans())
def test_no_run_writes_over_a_content_that_nobody_has_reviewed(
    base, ours, step, saved_plan, foreign
):
    server = ServerDouble(foreign=foreign)
    server.put("box", base)
    plan = plan_for(server, {"box": ours})
    theirs = {"harness": "theirs", "resources": {"cpus": 3, "memory": "777MiB"}}
    count = [0]

    def meddle(kind: str, name: str) -> None:
        count[0] += 1
        if count[0] == step and kind == "save":
            server.put("box", theirs)

    server.before = meddle
    carried_out(plan, server, saved_plan=saved_plan)
    if count[0] >= step and plan.changes:
        assert server.holds("box", theirs)


def test_errors_are_told_with_their_object(server):
    server.before = at("save", "new", EnvsyncError("E600", "something"))
    outcomes = carried_out(plan_for(server, FILES), server)
    assert outcomes[1].problem.subject == "manifest new"
    assert outcomes[0].base.hash == hash_of(LARGE)
