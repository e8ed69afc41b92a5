"""apply: carry a plan out, remember what was applied, and say what became of each object."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from envsync.api.runtime import RuntimeWriter
from envsync.applying.apply import CONCURRENCY, carry_out
from envsync.applying.audit import AuditContext, audit_line
from envsync.applying.exit_code import exit_code
from envsync.applying.outcome import Outcome, Result
from envsync.applying.stop import StopSignal
from envsync.errors import EnvsyncError, Problem, Severity
from envsync.operations import clock
from envsync.operations.committed import require_committed
from envsync.operations.planning import ask, ignore_rules, list_objects
from envsync.operations.reports import ApplyReport
from envsync.operations.workspace import Session, Workspace
from envsync.planning import brakes, staleness
from envsync.planning.plan import Change, Op, Plan
from envsync.planning.staleness import Staleness
from envsync.project import hints
from envsync.project.hints import Hint
from envsync.resources.resource import ObjectId, Observed

Progress = Callable[[Outcome], None]


class ApplyOptions(Struct, frozen=True):
    """``saved`` says that the plan was reviewed earlier: then any object that moved since stops
    all of it. ``allow_deletes`` is the number of deletes that the person expects. ``allow_dirty``
    applies files that are not committed outside embedded contexts too. ``audit`` is a
    file that gets one JSON line for each outcome. ``concurrency`` bounds how many objects are
    written side by side."""

    saved: bool = False
    allow_deletes: int | None = None
    allow_dirty: bool = False
    audit: Path | None = None
    concurrency: int = CONCURRENCY


DEFAULTS = ApplyOptions()


async def apply(
    workspace: Workspace,
    plan: Plan,
    options: ApplyOptions = DEFAULTS,
    *,
    on_outcome: Progress = lambda outcome: None,
    stop: StopSignal | None = None,
) -> ApplyReport:
    """Carries ``plan`` out against the context's server.

    Raises ``RefusedError`` when a saved plan is stale or files are not committed that should be,
    and ``BrakeError`` when it would delete more than was said, all of them before anything is
    written. Once writing has begun it never raises for what
    a server or the network does: each object has its outcome.
    """
    require_released(workspace, plan, options)
    async with workspace.session() as session:
        return await apply_in(session, workspace, plan, options, on_outcome=on_outcome, stop=stop)


def require_released(workspace: Workspace, plan: Plan, options: ApplyOptions) -> None:
    """Raises ``BrakeError`` when ``plan`` would delete more than was said."""
    brakes.require_released(
        plan,
        allow_deletes=options.allow_deletes,
        max_percent=workspace.project.config.policy.max_delete_percent,
    )


async def apply_in(
    session: Session,
    workspace: Workspace,
    plan: Plan,
    options: ApplyOptions = DEFAULTS,
    *,
    on_outcome: Progress = lambda outcome: None,
    stop: StopSignal | None = None,
) -> ApplyReport:
    """As ``apply``, over a session that is open already."""
    started = time.perf_counter()
    require_released(workspace, plan, options)
    if not options.allow_dirty:
        require_committed(workspace, plan, saved=options.saved)
    halt = stop or StopSignal()
    done = frozenset[ObjectId]()
    if options.saved:
        done = await refuse_stale(session, workspace, plan)
    outcomes = await carry_out(
        plan,
        session.reader,
        RuntimeWriter(session.reader),
        saved_plan=options.saved,
        comparable=session.health.ours,
        concurrency=options.concurrency,
        on_outcome=on_outcome,
        stop=halt,
        ignore=ignore_rules(workspace.project.config),
        done=done,
    )
    actor = await who(session) if options.audit else ""
    problems = keep(workspace, plan, outcomes, options.audit, actor)
    code = exit_code(outcomes, stopped_by_signal=halt.number)
    spent = time.perf_counter() - started
    return ApplyReport(plan, outcomes, problems, spent, code, halt.number or 0)


async def refuse_stale(session: Session, workspace: Workspace, plan: Plan) -> frozenset[ObjectId]:
    """The changes that the server has already. Raises ``RefusedError`` unless everything else is
    as the plan found it."""
    listed = await list_objects(session)
    found = _staleness(session, workspace, plan, listed, frozenset())
    if found.unsure and not found.is_stale:
        unsure = [change for change in plan.changes if change.id in set(found.unsure)]
        answers = await ask(session.reader, [_at_latest(each, listed) for each in unsure])
        unchanged = frozenset(each for each, answer in answers.items() if answer.unchanged)
        found = _staleness(session, workspace, plan, listed, unchanged)
    staleness.require_fresh(found)
    return found.done


def _staleness(
    session: Session,
    workspace: Workspace,
    plan: Plan,
    listed: Mapping[ObjectId, Observed],
    unchanged: frozenset[ObjectId],
) -> Staleness:
    return staleness.check(
        plan,
        listed,
        project=workspace.project.config.project,
        context=workspace.context.name,
        server=session.identity,
        comparable=session.health.ours,
        unchanged=unchanged,
    )


def _at_latest(change: Change, listed: Mapping[ObjectId, Observed]) -> Change:
    found = listed.get(change.id)
    return replace(change, base=None if found is None else found.base)


async def who(session: Session) -> str:
    """Who the server takes us for; empty when it does not say."""
    try:
        return (await session.reader.me()).via
    except EnvsyncError:
        return ""


def keep(
    workspace: Workspace,
    plan: Plan,
    outcomes: tuple[Outcome, ...],
    audit: Path | None,
    actor: str,
) -> tuple[Problem, ...]:
    """Leaves the hints and the audit lines. What is written is written: trouble here is a
    warning."""
    now = clock.now()
    remember(workspace, plan, outcomes, now)
    if audit is None:
        return ()
    said = AuditContext(
        at=now,
        project=plan.project,
        context=plan.context,
        server=plan.server.address,
        actor=actor,
        plan=plan.id,
        commit=plan.commit,
    )
    try:
        with audit.open("ab") as file:
            file.write(b"".join(audit_line(outcome, said) for outcome in outcomes))
    except OSError as error:
        told = f"the audit file {audit} could not be written: {error.strerror or error}"
        return (Problem("W540", told, Severity.WARNING, remedy="the outcomes above are true"),)
    return ()


def remember(workspace: Workspace, plan: Plan, outcomes: tuple[Outcome, ...], now: str) -> None:
    wanted = {change.id: change.hash for change in plan.changes}
    wanted |= {held.id: held.hash for held in plan.held if held.hash}
    there = {
        (outcome.id.type, outcome.id.name): Hint(
            outcome.base.version, outcome.base.hash, wanted.get(outcome.id, ""), plan.commit, now
        )
        for outcome in outcomes
        if outcome.result in (Result.APPLIED, Result.UNCHANGED) and outcome.base is not None
    }
    gone = tuple(
        (outcome.id.type, outcome.id.name)
        for outcome in outcomes
        if outcome.op is Op.DELETE and outcome.result in (Result.APPLIED, Result.UNCHANGED)
    )
    if there or gone:
        hints.record_hints(workspace.project, plan.server.host_id, there, gone)
