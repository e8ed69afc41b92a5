"""An offline plan: what the files change against a Git revision. Needs no server and no key, so
that it can be made for a pull request from a fork."""

from __future__ import annotations

import time
from collections.abc import Mapping

from envsync.errors import Problem, Severity
from envsync.operations import clock
from envsync.operations.planning import DEFAULTS, PlanOptions, declare, ignore_rules
from envsync.operations.reports import PlanReport
from envsync.operations.workspace import Workspace
from envsync.planning import planner
from envsync.planning.plan import ServerIdentity
from envsync.project import config as configuration
from envsync.project import git
from envsync.project.config import CONFIG_NAME
from envsync.project.revision import Revision, at_revision
from envsync.resources import reading
from envsync.resources.resource import Base, ObjectId, Observed


def plan_offline(
    workspace: Workspace, revision: str, options: PlanOptions = DEFAULTS
) -> PlanReport:
    """The plan from what ``revision`` says to what the files say now, in the same context.

    It cannot be applied: it was made against no server. Raises ``FileError`` for errors in the
    files as they are now; an object whose file was wrong at ``revision`` counts as absent there.
    """
    started = time.perf_counter()
    declarations = declare(workspace, options)
    rules = ignore_rules(workspace.project.config)
    with at_revision(workspace.project, revision) as base:
        listed, problems = said_at(workspace, base)
    comparison = planner.compare(
        declarations.declared,
        listed,
        comparable=True,
        owns=workspace.project.config.owns,
        selection=options.selection,
        ignore=rules,
    )
    desired = reading.load(workspace.project, workspace.context.name, comparison.needs_desired)
    drafts = planner.draft(comparison, desired, {}, ignore=rules)
    clone = git.state(workspace.project)
    plan = planner.build_plan(
        drafts,
        project=workspace.project.config.project,
        context=workspace.context.name,
        server=ServerIdentity(f"git:{revision}", base.commit),
        tree=declarations.tree,
        commit=clone.commit if clone else "",
        created_at=clock.now(),
    )
    return PlanReport(
        plan,
        declarations.problems + problems,
        len(plan.changes) + len(plan.held),
        time.perf_counter() - started,
        revision,
    )


def said_at(
    workspace: Workspace, base: Revision
) -> tuple[Mapping[ObjectId, Observed], tuple[Problem, ...]]:
    """What the files of ``base`` declare in the workspace's context."""
    name = workspace.context.name
    if not (base.folder / CONFIG_NAME).is_file():
        return {}, ()
    project = configuration.load(base.folder)
    if name not in project.config.contexts:
        return {}, ()
    declarations = reading.declare(project, name, cache=False)
    ids = [each.id for each in declarations.declared]
    desired = reading.load(project, name, ids)
    listed = {
        object_id: Observed(object_id, Base(0, each.hash), each.canonical, body=each.body)
        for object_id, each in desired.items()
    }
    wrong = {
        problem.position.path
        for problem in declarations.problems
        if problem.is_error and problem.position
    }
    told = tuple(
        Problem(
            "W443",
            f"{path} has an error at {base.name}, and counts as absent there",
            Severity.WARNING,
        )
        for path in sorted(wrong)
    )
    return listed, told
