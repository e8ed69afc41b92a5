"""apply: bring the server to what the files, or a saved plan, say."""

from __future__ import annotations

import asyncio

from envsync.applying.apply import CONCURRENCY
from envsync.applying.outcome import Outcome
from envsync.cli import choosing, failures, places
from envsync.cli.approval import require_approval
from envsync.cli.arguments import Arguments
from envsync.cli.console import Console, OutputError
from envsync.cli.stopping import stopping
from envsync.cli.working import warn, working
from envsync.errors import ExitCode
from envsync.operations import applying, planning
from envsync.operations.applying import ApplyOptions
from envsync.operations.reports import ApplyReport
from envsync.operations.workspace import Workspace
from envsync.planning.plan import Plan
from envsync.rendering.text import counted, line, quiet


def run(arguments: Arguments, console: Console) -> ExitCode:
    """Plans unless a plan was given, asks where that must be, applies, prints the outcomes."""
    workspace = places.workspace(arguments, console)
    saved = _saved_plan(arguments, workspace)
    plan = saved or _plan(arguments, console, workspace)
    require_approval(workspace, plan, arguments.text("yes"), console)
    audit = arguments.text("audit")
    concurrency = arguments.number("concurrency")
    options = ApplyOptions(
        saved=saved is not None,
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

    return load(places.read(path), given[0])


def _plan(arguments: Arguments, console: Console, workspace: Workspace) -> Plan:
    options = choosing.plan_options(
        arguments, workspace.project.root, recreate=arguments.flag("recreate")
    )
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
