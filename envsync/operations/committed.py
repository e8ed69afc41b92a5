"""Whether what is about to be applied is found in Git, where the next reader will look for it."""

from __future__ import annotations

from envsync.errors import RefusedError
from envsync.operations.workspace import Workspace
from envsync.planning.plan import Plan
from envsync.project import git
from envsync.resources import reading

_MOST_NAMED = 5


def require_committed(workspace: Workspace, plan: Plan, *, saved: bool) -> None:
    """Returns when the files of ``plan`` are committed, or need not be: in an embedded context,
    without Git, and for a plan that changes nothing.

    A saved plan was made from its own files: edits made since are none of its business. Raises
    ``RefusedError``.
    """
    project = workspace.project
    if workspace.context.embedded or plan.is_empty or project.laid_out_for is not None:
        return
    clone = git.state(project)
    if clone is None or not clone.uncommitted:
        return
    if saved and reading.declare(project, workspace.context.name).tree != plan.tree:
        return
    named = ", ".join(clone.uncommitted[:_MOST_NAMED])
    more = len(clone.uncommitted) - _MOST_NAMED
    raise RefusedError(
        "E529",
        f"not applied, since not everything is committed: {named}"
        + (f" and {more:,} more" if more > 0 else ""),
        remedy="commit them first, or apply them as they are: envsync apply --allow-dirty",
    )
