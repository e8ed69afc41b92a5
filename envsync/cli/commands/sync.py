"""sync: commit, push, and apply what was shown."""

from __future__ import annotations

import asyncio

from envsync.applying.outcome import Outcome
from envsync.cli import failures, places
from envsync.cli.approval import require_approval
from envsync.cli.arguments import Arguments
from envsync.cli.console import Console, OutputError
from envsync.cli.stopping import stopping
from envsync.cli.working import warn, working
from envsync.errors import ExitCode
from envsync.operations import syncing
from envsync.operations.planning import PlanOptions
from envsync.operations.syncing import Landed, Prepared, SyncOptions, SyncReport
from envsync.rendering.sync_report import landed_lines, sync_json
from envsync.rendering.text import EMPTY, counted, line, quiet


def run(arguments: Arguments, console: Console) -> ExitCode:
    """Shows the plan, asks where that must be, commits, pushes, applies; stops at the first step
    that can't be done whole."""
    workspace = places.workspace(arguments, console)
    options = _options(arguments)
    with working(console, f"planning for {workspace.context.name}"):
        prepared = asyncio.run(syncing.prepare(workspace, options))
    warn(console, prepared.problems, workspace.project.root)
    _show(prepared, console)
    syncing.require_ready(prepared)
    plan = prepared.plan.plan
    require_approval(
        workspace,
        plan,
        arguments.text("yes"),
        console,
        command="sync",
        shown=not console.is_json,
    )
    with working(console, "committing and pushing" if options.push else "committing"):
        landed = syncing.land(prepared)
    if not console.is_json:
        console.out(landed_lines(landed))
    report = _finish(landed, console)
    warn(console, report.applied.problems, workspace.project.root)
    try:
        _print(report, console)
    except OutputError as error:
        # What became of each object can't be read: "done" would claim too much.
        console.output = "text"
        failures.report(console, error, verbose=False)
        return report.applied.exit_code or ExitCode.PARTIAL
    return report.applied.exit_code


def _options(arguments: Arguments) -> SyncOptions:
    audit = arguments.text("audit")
    return SyncOptions(
        message=arguments.text("message") or "",
        push=arguments.flag("push"),
        plan=_plan_options(arguments),
        allow_deletes=arguments.number("allow_deletes"),
        audit=places.start(arguments) / audit if audit is not None else None,
    )


def _plan_options(arguments: Arguments) -> PlanOptions:
    """A sync is never of some objects only: the commit speaks of all of them."""
    choice = arguments.text("on_drift")
    return PlanOptions(
        recreate=arguments.flag("recreate"),
        prune=arguments.flag("prune"),
        on_drift=None if choice is None else "overwrite" if choice == "overwrite" else "refuse",
        cache=not arguments.flag("no_cache"),
    )


def _show(prepared: Prepared, console: Console) -> None:
    if console.is_json:
        return
    from envsync.rendering.plan_text import plan_lines

    console.out([*plan_lines(prepared.plan, console.width, goes_on=True), EMPTY])


def _finish(landed: Landed, console: Console) -> SyncReport:
    total = len(landed.prepared.plan.plan.changes)
    done = 0

    def tell(outcome: Outcome) -> None:
        nonlocal done
        done += outcome.op is not None
        console.progress(line(quiet(f"applied {done:,} of {counted(total, 'change')}")))

    with stopping(console) as stop:
        return asyncio.run(syncing.finish(landed, on_outcome=tell, stop=stop))


def _print(report: SyncReport, console: Console) -> None:
    if console.is_json:
        console.data(sync_json(report))
        return
    from envsync.rendering.outcomes import apply_lines

    if report.applied.plan.changes:
        console.out(apply_lines(report.applied, console.width))
