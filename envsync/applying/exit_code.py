"""The exit code of a command, told from nothing but its result.

The same in every output format: whoever prints has no say in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from envsync.applying.outcome import Outcome, Result
from envsync.errors import ExitCode, Problem
from envsync.planning.plan import Plan

_SIGNALS: Final = {2: ExitCode.INTERRUPTED, 15: ExitCode.TERMINATED}


def exit_code(outcomes: Iterable[Outcome], stopped_by_signal: int | None = None) -> ExitCode:
    """The exit code of a run that wrote.

    A signal counts only when it kept something from being attempted: a run that was finished
    anyway has its ordinary result. A change that may have been written counts as written.
    """
    told = tuple(outcomes)
    results = {outcome.result for outcome in told}
    if stopped_by_signal is not None and Result.NOT_ATTEMPTED in results:
        return _SIGNALS.get(stopped_by_signal, ExitCode.INTERRUPTED)
    if results <= {Result.APPLIED, Result.UNCHANGED}:
        return ExitCode.DONE
    if Result.APPLIED in results or any(outcome.uncertain for outcome in told):
        return ExitCode.PARTIAL
    if Result.CONFLICT in results and Result.FAILED not in results:
        return ExitCode.REFUSED
    return ExitCode.ERROR


def plan_exit_code(plan: Plan, *, detailed: bool = False) -> ExitCode:
    """The exit code of ``plan``: 1 when the server would refuse a change, 2 for changes when the
    caller asked to be told."""
    if plan.has_errors:
        return ExitCode.ERROR
    return ExitCode.CHANGES if detailed and not plan.is_empty else ExitCode.DONE


def problems_exit_code(problems: Iterable[Problem]) -> ExitCode:
    """The exit code of ``validate``: warnings alone are fine."""
    return ExitCode.ERROR if any(problem.is_error for problem in problems) else ExitCode.DONE
