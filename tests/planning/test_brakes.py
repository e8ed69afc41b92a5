"""What a run may delete without being asked twice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envsync.contract.states import State
from envsync.errors import BrakeError, ExitCode
from envsync.planning.brakes import deletes_off, require_released, tripped
from envsync.planning.plan import Change, Held, Op, Plan
from envsync.resources.resource import Base, ObjectId
from tests.planning.samples import SERVER, TREE

BASE = Base(1, "h")


def plan(
    *,
    deletes: int,
    kept: int,
    foreign: int = 0,
    updates: int = 0,
    creates: int = 0,
    kind="manifest",
) -> Plan:
    def named(prefix: str, count: int) -> list[ObjectId]:
        return [ObjectId(kind, f"{prefix}{index}") for index in range(count)]

    return Plan(
        "",
        "acme",
        "production",
        SERVER,
        TREE,
        changes=(
            *(Change(each, Op.UPDATE, State.DIFFERS, BASE) for each in named("u", updates)),
            *(Change(each, Op.CREATE, State.NEW) for each in named("c", creates)),
            *(Change(each, Op.DELETE, State.FOREIGN, BASE) for each in named("d", deletes)),
        ),
        held=(
            *(Held(each, State.IN_SYNC, BASE) for each in named("k", kept)),
            *(Held(each, State.FOREIGN, BASE) for each in named("f", foreign)),
            *(Held(each, State.MISSING) for each in named("m", 3)),
        ),
    )


@pytest.mark.parametrize(
    ("deletes", "kept", "stopped"),
    [
        (0, 0, False),
        (0, 5, False),
        (1, 0, True),  # all of them
        (1, 1, True),  # half: a small set is not exempt
        (1, 2, True),  # 33 percent
        (3, 7, False),  # exactly 30 percent
        (4, 9, True),  # 30.7 percent
        (10, 90, False),  # exactly 10
        (11, 989, True),  # 11 of 1,000
        (10, 23, True),  # 30.3 percent
        (40, 0, True),
    ],
)
def test_the_numbers_of_the_brakes(deletes, kept, stopped):
    assert bool(tripped(plan(deletes=deletes, kept=kept))) is stopped


def test_the_right_number_releases_every_brake():
    assert tripped(plan(deletes=40, kept=0), allow_deletes=40) == ()


@pytest.mark.parametrize("said", [0, 1, 39, 41])
def test_a_wrong_number_releases_nothing(said):
    (problem,) = tripped(plan(deletes=40, kept=0), allow_deletes=said)
    assert problem.code == "E531"
    assert "--allow-deletes 40" in problem.remedy


def test_a_wrong_number_stops_even_a_plan_that_would_pass():
    assert tripped(plan(deletes=1, kept=9)) == ()
    assert tripped(plan(deletes=1, kept=9), allow_deletes=2)
    assert tripped(plan(deletes=0, kept=9), allow_deletes=1)
    assert tripped(plan(deletes=0, kept=9), allow_deletes=0) == ()


def test_what_is_not_ours_or_not_there_does_not_make_the_set_larger():
    assert tripped(plan(deletes=1, kept=0, foreign=100, creates=100))
    assert not tripped(plan(deletes=1, kept=0, updates=9))


def test_each_type_is_counted_for_itself():
    mixed = plan(deletes=1, kept=99)
    other = plan(deletes=2, kept=0, kind="environment")
    both = Plan(
        "",
        "acme",
        "production",
        SERVER,
        TREE,
        changes=(*mixed.changes, *other.changes),
        held=(*mixed.held, *other.held),
    )
    (problem,) = tripped(both)
    assert "every environment" in problem.message
    assert "--allow-deletes 3" in problem.remedy


def test_the_percentage_is_the_policys():
    assert tripped(plan(deletes=2, kept=8), max_percent=10)
    assert not tripped(plan(deletes=2, kept=8), max_percent=20)
    assert tripped(plan(deletes=1, kept=0), max_percent=100)


def test_a_brake_that_stops_a_run_names_its_way_out_and_its_exit_code():
    with pytest.raises(BrakeError) as caught:
        require_released(plan(deletes=2, kept=2))
    assert caught.value.exit_code is ExitCode.BRAKE
    assert caught.value.message == (
        "stopped by a safety brake: it would delete 2 of 4 manifests, more than 30 percent"
    )
    assert caught.value.remedy == "if that is meant, say how many: --allow-deletes 2"
    require_released(plan(deletes=2, kept=2), allow_deletes=2)


def test_what_could_not_be_read_turns_deletes_off():
    assert deletes_off() == ""
    assert deletes_off(unread_files=1) == "1 file could not be read"
    told = deletes_off(unread_files=2, failed_reads=1)
    assert told == "2 files could not be read and 1 read from the server failed"


@given(st.integers(0, 60), st.integers(0, 200))
def test_no_plan_that_passes_deletes_much(deletes, kept):
    if not tripped(plan(deletes=deletes, kept=kept)):
        assert deletes <= 10
        assert deletes * 100 <= 30 * (deletes + kept)
        assert deletes == 0 or kept > 0
