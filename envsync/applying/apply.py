"""Carries a plan out: order, what runs side by side, and one outcome for each object."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import groupby
from typing import Final

from envsync.applying.deleting import delete
from envsync.applying.holding import held_back, is_held_back
from envsync.applying.outcome import Outcome, Result
from envsync.applying.pausing import Pause, jittered
from envsync.applying.ports import Reader, Writer
from envsync.applying.run import Run, failed, not_attempted
from envsync.applying.saving import save
from envsync.applying.stop import StopSignal
from envsync.contract.states import State
from envsync.errors import Problem, RefusedError
from envsync.planning.ignore import IgnoreRule
from envsync.planning.order import stage
from envsync.planning.plan import Change, Op, Plan
from envsync.resources.resource import ObjectId

__all__ = ["CONCURRENCY", "OnOutcome", "StopSignal", "carry_out"]

CONCURRENCY: Final = 8
"""How many changes run side by side unless told otherwise."""

_BAD: Final = frozenset({Result.CONFLICT, Result.FAILED, Result.NOT_ATTEMPTED})

OnOutcome = Callable[[Outcome], None]


def _ignored(_: Outcome) -> None:
    return None


async def carry_out(
    plan: Plan,
    reader: Reader,
    writer: Writer,
    *,
    saved_plan: bool,
    comparable: bool = True,
    concurrency: int = CONCURRENCY,
    on_outcome: OnOutcome = _ignored,
    stop: StopSignal | None = None,
    ignore: Sequence[IgnoreRule] = (),
    done: Collection[ObjectId] = (),
    pause: Pause = jittered,
) -> tuple[Outcome, ...]:
    """What became of each change, in the plan's order, then of each object held in sync.

    With ``saved_plan`` exactly what was reviewed is sent, and a moved base is a conflict; without,
    the same change upon a moved base is tried again. ``comparable`` says that the server's hash is
    the canonical digest. ``done`` are changes that the server had already a moment ago: they are
    read and not sent.
    ``on_outcome`` hears of each change when it ends, in no certain order. Stages of the plan follow
    each other; within a stage ``concurrency`` changes run side by side. One that fails stops no
    other, but a connection that is gone, a refused credential and ``stop`` do: what is in flight
    is finished, the rest is not attempted. Deletes are not attempted after any failure.

    What was written stays written: there is no transaction across objects. Running again continues.
    """
    if concurrency < 1:
        raise ValueError("at least one change must run at a time")
    run = Run(
        reader=reader,
        writer=writer,
        saved_plan=saved_plan,
        comparable=comparable,
        ignore=ignore,
        stop=stop or StopSignal(),
        pause=pause,
        done=frozenset(done),
    )
    results: dict[ObjectId, Outcome] = {}

    def tell(outcome: Outcome) -> None:
        results[outcome.id] = outcome
        on_outcome(outcome)

    for _, changes in groupby(plan.changes, key=stage):
        await _side_by_side(run, tuple(changes), concurrency, results, tell)
    held = [
        Outcome(each.id, None, Result.UNCHANGED, each.base)
        for each in plan.held
        if each.state is State.IN_SYNC
    ]
    return (*(results[change.id] for change in plan.changes), *held)


async def _side_by_side(
    run: Run,
    changes: Sequence[Change],
    concurrency: int,
    results: dict[ObjectId, Outcome],
    tell: OnOutcome,
) -> None:
    """Every change of ``changes`` has an outcome afterwards."""
    waiting = iter(changes)
    workers = [
        asyncio.create_task(_work(run, waiting, results, tell))
        for _ in range(min(concurrency, len(changes)))
    ]
    if not workers:
        return
    try:
        await asyncio.gather(*workers)
    except BaseException:
        # A programming error, or the whole run is cancelled: leave no task behind.
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
        raise


async def _work(
    run: Run, waiting: Iterator[Change], results: dict[ObjectId, Outcome], tell: OnOutcome
) -> None:
    for change in waiting:
        tell(await _carry_out_one(run, change, results))


async def _carry_out_one(run: Run, change: Change, results: dict[ObjectId, Outcome]) -> Outcome:
    if change.held_back:
        return held_back(change)
    why = run.why_not()
    if why is not None:
        return not_attempted(change, why)
    if change.blocked:
        return failed(change, _refused_beforehand(change), attempts=0)
    if change.op is not Op.DELETE:
        return await save(run, change)
    if any(_stops_deletes(outcome) for outcome in results.values()):
        return not_attempted(change, _no_delete_after_failure())
    return await delete(run, change)


def _stops_deletes(outcome: Outcome) -> bool:
    """What was held back by the plan itself is no failure: it was decided when that was made."""
    return outcome.result in _BAD and outcome.op is not Op.DELETE and not is_held_back(outcome)


def _refused_beforehand(change: Change) -> RefusedError:
    first = change.foreseen.errors[0]
    where = f" ({first.path})" if first.path else ""
    return RefusedError(
        "E521",
        f"not sent, the server said that it would refuse it: {first.message}{where}",
        remedy="mend the file and plan again",
    )


def _no_delete_after_failure() -> Problem:
    return Problem(
        "E526",
        "not attempted: nothing is deleted after something else went wrong",
        remedy="run it again when the rest succeeds",
    )
