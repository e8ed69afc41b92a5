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
    workspace: Workspace, plan: Plan, approved: str | None, console: Console
) -> None:
    """Returns when ``plan`` may be applied to the workspace's context.

    Raises ``RefusedError`` when a person or ``--yes`` said something else, and ``UsageError``
    when nobody is there to say it.
    """
    if approved:
        _require_same(plan, approved)
    elif workspace.context.protected and not plan.is_empty:
        _ask(workspace.context.name, plan, console, may_ask=approved is None)


def _require_same(plan: Plan, approved: str) -> None:
    wanted = approved.lower()
    if len(wanted) >= _SHORTEST and plan.id.startswith(wanted):
        return
    raise RefusedError(
        "E911",
        f"--yes names the plan {approved}, but this is the plan {plan.id[:_SHORTEST]}",
        remedy=f"look at it with: envsync plan\nthen: envsync apply --yes={plan.id[:_SHORTEST]}",
    )


def _ask(name: str, plan: Plan, console: Console, *, may_ask: bool) -> None:
    if not may_ask or not console.can_ask:
        raise UsageError(
            "E909",
            f"context `{name}` is protected: somebody must say which plan may be applied",
            remedy=f"if this plan is right: envsync apply --context {name} "
            f"--yes={plan.id[:_SHORTEST]}",
        )
    report = PlanReport(plan, (), len(plan.changes) + len(plan.held), 0.0)
    console.err([*plan_lines(report, console.width), EMPTY])
    console.err_text(f"`{name}` is protected. Type its name to apply this plan: ")
    if sys.stdin.readline().strip() != name:
        raise RefusedError(
            "E911", "not applied: what was typed is not the context's name", remedy=""
        )
