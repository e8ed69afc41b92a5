"""A protected context: a person types its name, or a workflow names the plan it was given."""

from __future__ import annotations

import sys

from envsync.cli.console import Console
from envsync.errors import RefusedError, UsageError
from envsync.operations.reports import PlanReport
from envsync.operations.workspace import Workspace
from envsync.planning.plan import Plan
from envsync.rendering.plan_text import plan_lines
from envsync.rendering.text import EMPTY

_SHORTEST = 12
"""Hexadecimal digits of a plan's id that are enough to name it: no two plans share them."""


def require_approval(
    workspace: Workspace,
    plan: Plan,
    approved: str | None,
    console: Console,
    *,
    command: str = "apply",
    shown: bool = False,
) -> None:
    """Returns when ``plan`` may be applied to the workspace's context.

    ``command`` is what the person typed; ``shown`` says that the plan is on the screen already.
    Raises ``RefusedError`` when a person or ``--yes`` said something else, and ``UsageError``
    when nobody is there to say it.
    """
    if approved:
        _require_same(plan, approved, command)
    elif workspace.context.protected and not plan.is_empty:
        name = workspace.context.name
        _require_somebody(name, plan, command, here=approved is None and console.can_ask)
        if not shown:
            report = PlanReport(plan, (), len(plan.changes) + len(plan.held), 0.0)
            console.err([*plan_lines(report, console.width), EMPTY])
        _ask(name, console)


def _require_same(plan: Plan, approved: str, command: str) -> None:
    wanted = approved.lower()
    if len(wanted) >= _SHORTEST and plan.id.startswith(wanted):
        return
    raise RefusedError(
        "E911",
        f"--yes names the plan {approved}, but this is the plan {plan.id[:_SHORTEST]}",
        remedy="look at it with: envsync plan\n"
        f"then: envsync {command} --yes={plan.id[:_SHORTEST]}",
    )


def _require_somebody(name: str, plan: Plan, command: str, *, here: bool) -> None:
    if not here:
        raise UsageError(
            "E909",
            f"context `{name}` is protected: somebody must say which plan may be applied",
            remedy=f"if this plan is right: envsync {command} --context {name} "
            f"--yes={plan.id[:_SHORTEST]}",
        )


def _ask(name: str, console: Console) -> None:
    console.err_text(f"`{name}` is protected. Type its name to apply this plan: ")
    if sys.stdin.readline().strip() != name:
        raise RefusedError(
            "E911", "not applied: what was typed is not the context's name", remedy=""
        )
