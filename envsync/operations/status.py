"""status: one row an object, as files and server stand now."""

from __future__ import annotations

import time
from collections import Counter

from envsync.operations.planning import PlanOptions, declare, look, plan_in
from envsync.operations.reports import StatusReport, StatusRow
from envsync.operations.workspace import Workspace
from envsync.planning.plan import Change, Held, Plan

DEFAULTS = PlanOptions()


async def status(workspace: Workspace, options: PlanOptions = DEFAULTS) -> StatusReport:
    """The state of every object that the repository declares or the server has.

    Raises what ``plan`` raises: a state told from half of the files would be none.
    """
    started = time.perf_counter()
    declarations = declare(workspace, options)
    looking = look(workspace)  # a thread: from here on no work is spread over processes
    async with workspace.session() as session:
        clone = await looking
        plan = await plan_in(session, workspace, declarations, clone, options)
    edited = frozenset(clone.uncommitted if clone else ())
    short = clone.short_commit if clone else ""
    rows = sorted(rows_of(plan, edited, short), key=lambda row: row.id)
    return StatusReport(
        workspace.project.config.project,
        workspace.context.name,
        plan.server,
        plan.commit,
        tuple(rows),
        Counter(row.state for row in rows),
        declarations.problems,
        time.perf_counter() - started,
    )


def rows_of(plan: Plan, edited: frozenset[str], commit: str) -> list[StatusRow]:
    everything: tuple[Change | Held, ...] = (*plan.changes, *plan.held)
    return [row(each, edited, commit) for each in everything]


def row(each: Change | Held, edited: frozenset[str], commit: str) -> StatusRow:
    here = "" if not each.path else "edited" if each.path in edited else commit
    environments, on_older = -1, -1
    if isinstance(each, Held):
        environments = each.environments
    else:
        environments, on_older = each.foreseen.environments, each.foreseen.on_older
    return StatusRow(
        each.id,
        each.state,
        here,
        each.base.version if each.base else 0,
        each.saved_by,
        each.saved_at,
        environments,
        on_older,
        each.path,
    )
