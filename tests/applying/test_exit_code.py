"""The exit code: a pure function of the outcomes."""

from __future__ import annotations

from itertools import chain, combinations

import pytest

from envsync.applying.exit_code import exit_code, plan_exit_code, problems_exit_code
from envsync.applying.outcome import Outcome, Result
from envsync.errors import ExitCode, Problem, Severity
from envsync.planning.plan import Op
from tests.planning.double import ServerDouble, plan_for
from tests.planning.samples import manifest

A, U, C, F, N = (
    Result.APPLIED,
    Result.UNCHANGED,
    Result.CONFLICT,
    Result.FAILED,
    Result.NOT_ATTEMPTED,
)

TABLE = {
    (): ExitCode.DONE,
    (A,): ExitCode.DONE,
    (U,): ExitCode.DONE,
    (A, U): ExitCode.DONE,
    (C,): ExitCode.REFUSED,
    (F,): ExitCode.ERROR,
    (N,): ExitCode.ERROR,
    (C, F): ExitCode.ERROR,
    (C, N): ExitCode.REFUSED,
    (F, N): ExitCode.ERROR,
    (C, F, N): ExitCode.ERROR,
    (U, C): ExitCode.REFUSED,
    (U, F): ExitCode.ERROR,
    (U, N): ExitCode.ERROR,
    (U, C, F): ExitCode.ERROR,
    (U, C, N): ExitCode.REFUSED,
    (U, F, N): ExitCode.ERROR,
    (U, C, F, N): ExitCode.ERROR,
    (A, C): ExitCode.PARTIAL,
    (A, F): ExitCode.PARTIAL,
    (A, N): ExitCode.PARTIAL,
    (A, C, F): ExitCode.PARTIAL,
    (A, C, N): ExitCode.PARTIAL,
    (A, F, N): ExitCode.PARTIAL,
    (A, C, F, N): ExitCode.PARTIAL,
    (A, U, C): ExitCode.PARTIAL,
    (A, U, F): ExitCode.PARTIAL,
    (A, U, N): ExitCode.PARTIAL,
    (A, U, C, F): ExitCode.PARTIAL,
    (A, U, C, N): ExitCode.PARTIAL,
    (A, U, F, N): ExitCode.PARTIAL,
    (A, U, C, F, N): ExitCode.PARTIAL,
}


def outcomes(*results: Result) -> list[Outcome]:
    return [Outcome(manifest(f"box-{n}"), Op.UPDATE, each) for n, each in enumerate(results)]


def test_the_table_names_every_set_of_results():
    every = chain.from_iterable(combinations((A, U, C, F, N), count) for count in range(6))
    assert set(TABLE) == set(every)


@pytest.mark.parametrize(("results", "code"), TABLE.items())
def test_the_code_of_a_set_of_results(results, code):
    assert exit_code(outcomes(*results)) is code
    assert exit_code(outcomes(*reversed(results), *results)) is code


@pytest.mark.parametrize(("results", "code"), TABLE.items())
@pytest.mark.parametrize(
    ("signal", "stopped"),
    [(2, ExitCode.INTERRUPTED), (15, ExitCode.TERMINATED), (1, ExitCode.INTERRUPTED)],
)
def test_a_signal_counts_when_it_left_something_undone(results, code, signal, stopped):
    assert exit_code(outcomes(*results), signal) is (stopped if N in results else code)


def test_what_may_have_been_written_counts_as_written():
    uncertain = Outcome(manifest("box"), Op.UPDATE, F, uncertain=True)
    assert exit_code([uncertain]) is ExitCode.PARTIAL
    assert exit_code([uncertain, *outcomes(C, U)]) is ExitCode.PARTIAL


def test_the_code_of_a_plan():
    server = ServerDouble()
    empty, full = plan_for(server, {}), plan_for(server, {"box": {}})
    assert plan_exit_code(empty) is plan_exit_code(full) is ExitCode.DONE
    assert plan_exit_code(empty, detailed=True) is ExitCode.DONE
    assert plan_exit_code(full, detailed=True) is ExitCode.CHANGES


def test_a_plan_with_errors_is_an_error_however_it_is_asked():
    from msgspec.structs import replace

    from envsync.planning.plan import Foreseen, Notice

    plan = plan_for(ServerDouble(), {"box": {}})
    told = Foreseen("server", errors=(Notice("limit", "too large"),))
    bad = replace(plan, changes=(replace(plan.changes[0], foreseen=told),))
    assert plan_exit_code(bad) is plan_exit_code(bad, detailed=True) is ExitCode.ERROR


def test_the_code_of_problems():
    warning = Problem("W310", "a pipe", Severity.WARNING)
    assert problems_exit_code([]) is problems_exit_code([warning]) is ExitCode.DONE
    assert problems_exit_code([warning, Problem("E103", "no")]) is ExitCode.ERROR
