"""Work is spread over processors only where that changes nothing but the time."""

from __future__ import annotations

import os
import threading

import pytest

from envsync.resources import spreading
from envsync.resources.spreading import WORTH_A_COPY, spread

# The runner of the tests has threads of its own, which newer Pythons warn of at a fork.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")

MANY = list(range(4 * WORTH_A_COPY))


def doubled(number: int) -> tuple[int, int]:
    return 2 * number, os.getpid()


@pytest.fixture
def processors(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine with three of them. The runner's own threads don't count."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2}, raising=False)
    monkeypatch.setattr(threading, "active_count", lambda: 1)


@pytest.mark.usefixtures("processors")
def test_the_answers_come_in_the_order_of_the_work_from_several_processes() -> None:
    found = spread(MANY, doubled)
    assert [number for number, _ in found] == [2 * number for number in MANY]
    assert len({process for _, process in found}) == 3
    assert found[0][1] == os.getpid()


@pytest.mark.usefixtures("processors")
def test_little_work_stays_here() -> None:
    found = spread(MANY[: WORTH_A_COPY - 1], doubled)
    assert {process for _, process in found} == {os.getpid()}


@pytest.mark.usefixtures("processors")
def test_beside_another_thread_nothing_is_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading, "active_count", lambda: 2)
    assert {process for _, process in spread(MANY, doubled)} == {os.getpid()}


@pytest.mark.usefixtures("processors")
def test_what_a_copy_fails_at_is_done_here() -> None:
    here = os.getpid()

    def dies_elsewhere(number: int) -> int:
        if os.getpid() != here:
            os._exit(3)
        return number

    assert spread(MANY, dies_elsewhere) == MANY


@pytest.mark.usefixtures("processors")
def test_an_answer_that_cannot_be_handed_over_is_found_again_here() -> None:
    found = spread(MANY, lambda number: lambda: number)
    assert [each() for each in found] == MANY


@pytest.mark.usefixtures("processors")
def test_where_no_process_can_be_made_this_one_does_it_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse() -> int:
        raise BlockingIOError

    monkeypatch.setattr(os, "fork", refuse)
    assert {process for _, process in spread(MANY, doubled)} == {os.getpid()}


def test_where_the_system_cannot_fork_this_process_does_it_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(spreading.os, "fork")
    assert {process for _, process in spread(MANY, doubled)} == {os.getpid()}
