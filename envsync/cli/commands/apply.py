"""apply: bring the server to what the files, or a saved plan, say."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from envsync.applying.apply import CONCURRENCY
from envsync.applying.outcome import Outcome
from envsync.cli import choosing, failures, places
from envsync.cli.approval import require_approval
from envsync.cli.arguments import Arguments
from envsync.cli.console import Console, OutputError
from envsync.cli.stopping import stopping
from envsync.cli.working import warn, working
from envsync.contract.states import State
from envsync.errors import ExitCode, UsageError
from envsync.operations import applying, planning
from envsync.operations.applying import ApplyOptions
from envsync.operations.reports import ApplyReport
from envsync.operations.workspace import Workspace
from envsync.planning.plan import Plan
from envsync.rendering.text import EMPTY, counted, line, quiet

_DECIDED = ("recreate", "prune", "on_drift")


def run(arguments: Arguments, console: Console) -> ExitCode:
    """Plans unless a plan was given, asks where that must be, applies, prints the outcomes."""
    workspace = places.workspace(arguments, console)
    saved = _saved_plan(arguments, workspace)
    plan = saved or _plan(arguments, console, workspace)
    adopted = saved is None and _adopts(arguments, workspace) and _adopt(workspace, plan, console)
    if adopted:
        plan = _plan(arguments, console, workspace)
    require_approval(workspace, plan, arguments.text("yes"), console)
    audit = arguments.text("audit")
    concurrency = arguments.number("concurrency")
    options = ApplyOptions(
        saved=saved is not None,
        allow_deletes=arguments.number("allow_deletes"),
        # What was adopted just now is to be looked at before it is committed.
        allow_dirty=arguments.flag("allow_dirty") or adopted,
        concurrency=CONCURRENCY if concurrency is None else max(1, concurrency),
        audit=places.start(arguments) / audit if audit is not None else None,
    )
    report = _apply(workspace, plan, options, console)
    warn(console, report.problems, workspace.project.root)
    try:
        _print(report, console)
    except OutputError as error:
        # Nobody can read what became of each object: "done" would claim too much, and "nothing
        # was written" may be untrue.
        console.output = "text"
        failures.report(console, error, verbose=False)
        return report.exit_code or ExitCode.PARTIAL
    return report.exit_code


def _saved_plan(arguments: Arguments, workspace: Workspace) -> Plan | None:
    """The plan file that was named instead of files of the repository."""
    given = arguments.several("paths")
    if len(given) != 1:
        return None
    path = places.start(arguments) / given[0]
    if not choosing.is_plan_file(path, workspace.project):
        return None
    from envsync.planning.file import load

    decided = [flag for flag in _DECIDED if arguments.given(flag)]
    if decided:
        flag = "--" + decided[0].replace("_", "-")
        raise UsageError(
            "E915",
            f"{flag} has no say in a saved plan: it was decided when the plan was made",
            remedy=f"make the plan so, with `envsync plan {flag} ...`, or apply without a plan",
        )
    return load(places.read(path), given[0])


def _adopts(arguments: Arguments, workspace: Workspace) -> bool:
    chosen = arguments.text("on_drift") or workspace.project.config.policy.on_drift
    return chosen == "adopt"


def _adopt(workspace: Workspace, plan: Plan, console: Console) -> bool:
    """Takes drift into the files, and shows what it wrote there. Whether there was any."""
    if not any(change.held_back == State.DRIFT for change in plan.changes):
        return False
    from envsync.operations.adopting import adopt
    from envsync.operations.committed import require_committed
    from envsync.rendering.pulled import pull_lines

    require_committed(workspace, plan, saved=False)
    report = asyncio.run(adopt(workspace, plan))
    if report is not None:
        warn(console, report.problems, workspace.project.root)
        console.err([*pull_lines(report, datetime.now(UTC)), EMPTY])
    return report is not None


def _plan(arguments: Arguments, console: Console, workspace: Workspace) -> Plan:
    options = choosing.changing_options(arguments, workspace.project.root)
    with working(console, f"planning for {workspace.context.name}"):
        report = asyncio.run(planning.plan(workspace, options))
    warn(console, report.problems, workspace.project.root)
    return report.plan


def _apply(
    workspace: Workspace, plan: Plan, options: ApplyOptions, console: Console
) -> ApplyReport:
    total = len(plan.changes)
    done = 0

    def tell(outcome: Outcome) -> None:
        nonlocal done
        done += outcome.op is not None
        console.progress(line(quiet(f"applied {done:,} of {counted(total, 'change')}")))

    with stopping(console) as stop:
        return asyncio.run(applying.apply(workspace, plan, options, on_outcome=tell, stop=stop))


def _print(report: ApplyReport, console: Console) -> None:
    from envsync.rendering.outcomes import apply_json, apply_lines

    if console.is_json:
        console.data(apply_json(report))
    else:
        console.out(apply_lines(report, console.width))
