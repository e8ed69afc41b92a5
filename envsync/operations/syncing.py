"""sync: commit the envsync files, push, and apply the plan that was shown.

Three steps, so that somebody can look between them: ``prepare`` reads, ``land`` commits and pushes,
``finish`` applies. Each finds out for itself what is left to do, so that a run which was cut off
anywhere is finished by running it again.
"""

from __future__ import annotations

from msgspec.structs import replace

from envsync.applying.stop import StopSignal
from envsync.errors import EnvsyncError, FileError, RefusedError, UsageError
from envsync.operations import applying, planning
from envsync.operations.applying import ApplyOptions
from envsync.operations.synced import Landed, Prepared, SyncOptions, SyncReport
from envsync.operations.validating import validate
from envsync.operations.workspace import Workspace
from envsync.planning import brakes
from envsync.planning.plan import Plan
from envsync.project import clone as clones
from envsync.project import committing
from envsync.project import config as configuration
from envsync.project.config import Project
from envsync.resources import reading

__all__ = ["Landed", "Prepared", "SyncOptions", "SyncReport", "finish", "land", "prepare"]

PLAN_TRAILER = "Envsync-Plan"
CONTEXT_TRAILER = "Envsync-Context"


async def prepare(workspace: Workspace, options: SyncOptions) -> Prepared:
    """Looks at Git, the files and the server. Writes nothing.

    Raises ``RefusedError`` where Git is in no state for a commit, ``UsageError`` when there is
    something to commit and no message, ``FileError`` when files have errors, in whichever context.
    A plan that must stop the run is returned, to be shown: ``require_ready`` raises for it.
    """
    project = workspace.project
    clone = clones.look(project)
    clones.require_committable(clone, pushes=options.push)
    found = committing.pending(project, clone)
    if found.files:
        require_message(options, len(found.files))
        clones.require_identity(project, workspace.environ)
    judged = validate(project, cache=options.plan.cache)
    if judged.errors:
        raise FileError.of(judged.problems)
    report = await planning.plan(workspace, options.plan)
    return Prepared(workspace, options, report, tuple(found.files), judged.problems)


def require_message(options: SyncOptions, files: int) -> None:
    if not options.message.strip():
        what = "a file is" if files == 1 else f"{files:,} files are"
        raise UsageError(
            "E920",
            f"{what} to be committed, and there is no message for the commit",
            remedy='envsync sync -m "say why"',
        )


def require_ready(prepared: Prepared) -> None:
    """Returns when the plan can be carried out whole, as far as anybody can foresee.

    Raises ``RefusedError`` for what is held back (drift), ``EnvsyncError`` for what the server
    would refuse, and ``BrakeError``: all of them before anything is committed.
    """
    plan = prepared.plan.plan
    held_back = [change for change in plan.changes if change.held_back]
    if held_back:
        names = _named(held_back[0].id.name, len(held_back))
        drifted = any(change.held_back == "drift" for change in held_back)
        why = "somebody else changed it on the server" if drifted else "its state cannot be told"
        raise RefusedError(
            "E551",
            f"nothing was committed or applied: the plan holds back {names}, since {why}",
            remedy=_ways_out(held_back[0].id.name) if drifted else "see why: envsync status",
        )
    blocked = [change for change in plan.changes if change.blocked]
    if blocked:
        names = _named(blocked[0].id.name, len(blocked))
        raise EnvsyncError(
            "E550",
            f"nothing was committed or applied: the server would refuse {names}",
            remedy="mend what the plan says of it, then run this again",
        )
    brakes.require_released(
        plan,
        allow_deletes=prepared.options.allow_deletes,
        max_percent=prepared.workspace.project.config.policy.max_delete_percent,
    )


def _named(first: str, number: int) -> str:
    return f"manifest {first}" + (f" and {number - 1:,} more" if number > 1 else "")


def _ways_out(name: str) -> str:
    return f"keep theirs: envsync pull {name}\nkeep ours: envsync sync --on-drift overwrite"


def land(prepared: Prepared) -> Landed:
    """Commits what is to be committed, and pushes where that was asked for.

    Raises what ``require_ready`` raises; ``RefusedError`` when the files are no longer those of the
    plan, or are others than what was committed; ``EnvsyncError`` when Git, a hook or the remote
    refuses. Nothing is ever applied here.
    """
    require_ready(prepared)
    workspace, options = prepared.workspace, prepared.options
    project, plan = workspace.project, prepared.plan.plan
    clone = clones.look(project)
    clones.require_committable(clone, pushes=options.push)
    found = committing.pending(project, clone)
    require_same_tree(workspace, plan, "nothing was committed or applied")
    commit_id = clone.commit
    committing.settle(project, found, workspace.environ)
    if found.files:
        require_message(options, len(found.files))
        trailers = {PLAN_TRAILER: plan.id, CONTEXT_TRAILER: workspace.context.name}
        commit_id = committing.commit(project, found, options.message, trailers, workspace.environ)
        made = f"{commit_id[:7]} was committed, and nothing was applied"
        if not committing.holds(project, commit_id, found):
            raise _changed("a hook committed something else than what was planned", made)
        require_same_tree(workspace, plan, made)
    if not options.push or clone.upstream is None:
        return Landed(prepared, commit_id, tuple(found.files))
    moved = committing.push(project, commit_id, clone.upstream, workspace.environ)
    return Landed(prepared, commit_id, tuple(found.files), str(clone.upstream), moved)


def require_same_tree(workspace: Workspace, plan: Plan, so_far: str) -> None:
    """Returns when the files say what they said to the plan. Raises ``RefusedError``."""
    try:
        project = configuration.load(workspace.project.root)
        tree = _tree(project, workspace.context.name)
    except FileError as error:
        raise _changed(error.message, so_far) from error
    if tree != plan.tree:
        raise _changed("the files changed since the plan was shown", so_far)


def _tree(project: Project, context: str) -> str:
    if context not in project.config.contexts:
        raise FileError("E470", f"{configuration.CONFIG_NAME} has no context {context} any more")
    return reading.declare(project, context).tree


def _changed(why: str, so_far: str) -> RefusedError:
    return RefusedError(
        "E470",
        f"{why}: {so_far}",
        remedy="run the same command again: it makes a plan of the files as they are now",
    )


async def finish(
    landed: Landed,
    *,
    on_outcome: applying.Progress = lambda outcome: None,
    stop: StopSignal | None = None,
) -> SyncReport:
    """Applies the plan that was shown.

    Raises ``RefusedError`` when the server has moved since, before anything is written there.
    """
    prepared = landed.prepared
    options = ApplyOptions(
        saved=True,
        allow_deletes=prepared.options.allow_deletes,
        audit=prepared.options.audit,
        concurrency=prepared.options.concurrency,
    )
    plan = replace(prepared.plan.plan, commit=landed.commit)
    try:
        report = await applying.apply(
            prepared.workspace, plan, options, on_outcome=on_outcome, stop=stop
        )
    except RefusedError as error:
        first, *also = error.problems
        raise RefusedError(
            first.code,
            f"{first.message}; nothing was applied",
            remedy=f"{landed.commit[:7]} has the files; run the same command again for a new plan",
            subject=first.subject,
            also=tuple(also),
        ) from error
    return SyncReport(landed, report)
