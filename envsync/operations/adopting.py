"""pull and rollback: the files say what a server holds. The only verbs that write files which
people wrote."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from envsync.contract.states import State
from envsync.documents.writing import write_together
from envsync.errors import FileError, Position, Problem, RefusedError, Severity, UsageError
from envsync.operations import clock
from envsync.operations.looking import Reference, fetch
from envsync.operations.placing import Placing
from envsync.operations.planning import (
    list_objects,
    look,
)
from envsync.operations.pulled import Fate, PulledFile, PulledObject, PullReport
from envsync.operations.restating import Restater
from envsync.operations.wanting import (
    Files,
    Goal,
    chosen_of,
    drafted,
    goals_of,
    gone_of,
    read_files,
    require_owned,
)
from envsync.operations.workspace import Workspace
from envsync.planning.plan import Plan, ServerIdentity
from envsync.project import hints
from envsync.project.git import GitState
from envsync.project.hints import Hint
from envsync.resources.observed import observed
from envsync.resources.resource import Declared, ObjectId, Observed


class AdoptOptions(Struct, frozen=True):
    """``dry_run`` writes nothing. ``prune_files`` removes the files of manifests that this clone
    knows to have been on the server and that are gone there. ``allow_dirty`` overwrites edits that
    are not committed."""

    dry_run: bool = False
    prune_files: bool = False
    allow_dirty: bool = False


ADOPT = AdoptOptions()


async def pull(
    workspace: Workspace, names: Sequence[str] = (), options: AdoptOptions = ADOPT
) -> PullReport:
    """Writes the server's latest into the files: of the manifests called ``names`` (or matching
    them, with ``*``), or of all that the repository owns.

    Every file is computed and judged before the first is written. Raises ``FileError`` when a file
    has an error as it is, ``EnvsyncError`` when the server has no such manifest, and
    ``RefusedError`` when uncommitted edits would be lost.
    """
    started = time.perf_counter()
    looking = look(workspace)
    files = read_files(workspace)
    async with workspace.session() as session:
        listed = await list_objects(session)
        chosen = chosen_of(workspace, files, listed, names, pruning=options.prune_files)
        unchanged, goals = await goals_of(session, workspace, files, listed, chosen)
        once = hints.read_hints(workspace.project, session.identity.host_id)
        clone = await looking
        server = session.identity
    restater = _restater(workspace, files, chosen)
    objects = [_settled(each, Fate.UNCHANGED) for each in unchanged]
    objects += [_restate(restater, goal) for goal in goals]
    problems = list(files.problems)
    if options.prune_files:
        gone = gone_of(workspace, files, listed, names)
        known = {ObjectId(*key) for key in once}
        objects += [_removed(restater, each) for each in gone if each.id in known]
        problems += _never_there([each for each in gone if each.id not in known])
    objects.sort(key=lambda each: each.id)
    report = _finish(workspace, server, objects, problems, clone, options, started)
    if not options.dry_run:
        _remember(workspace, files, report, listed, clone)
    return report


async def adopt(
    workspace: Workspace, plan: Plan, options: AdoptOptions = ADOPT
) -> PullReport | None:
    """Pulls the objects of ``plan`` that are held back because of drift; ``None`` when none is.

    Raises as ``pull`` does. What was planned for the other objects stands.
    """
    names = [change.id.name for change in plan.changes if change.held_back == State.DRIFT]
    return await pull(workspace, names, options) if names else None


async def rollback(
    workspace: Workspace, reference: str, options: AdoptOptions = ADOPT
) -> PullReport:
    """Writes an older version (``NAME@V``) into the files; the next plan rolls forward to it.

    Raises as ``pull`` does, and ``UsageError`` when ``reference`` names no version.
    """
    started = time.perf_counter()
    wanted = Reference.parse(reference)
    if not wanted.old or wanted.new:
        raise UsageError(
            "E906",
            f"`{reference}` names no version to go back to",
            remedy=f"write NAME@VERSION; see what there is with: envsync history {wanted.name}",
        )
    looking = look(workspace)
    files = read_files(workspace)
    require_owned(workspace, [wanted.id])
    async with workspace.session() as session:
        there = observed(await fetch(session, workspace, wanted))
        goals = drafted(workspace, files, [there], comparable=session.health.ours)
        clone = await looking
        server = session.identity
    restater = _restater(workspace, files, [wanted.id])
    # What an older version means is not asked of the server: what it says is written out.
    objects = [_restate(restater, replace(goal, bodies=goal.bodies[-1:])) for goal in goals]
    report = _finish(workspace, server, objects, files.problems, clone, options, started)
    return replace(report, back=True)


# -- what becomes of the files -------------------------------------------------------------------


def _restater(workspace: Workspace, files: Files, chosen: Iterable[ObjectId]) -> Restater:
    names = {each.name for each in (*files.declared, *chosen)}
    placing = Placing(workspace.project, files.found, names)
    return Restater(workspace.project, workspace.context.name, files.found, placing)


def _restate(restater: Restater, goal: Goal) -> PulledObject:
    there, body = goal.observed, goal.bodies[0]
    try:
        if goal.source is None:
            return _settled(there, Fate.CREATED, restater.create(there.id, body))
        files = restater.change(there.id, *goal.source, body)
    except FileError as error:
        return _settled(there, Fate.REFUSED, problems=error.problems)
    return _settled(there, Fate.CHANGED if files else Fate.UNCHANGED, files)


def _settled(
    there: Observed,
    fate: Fate,
    files: tuple[PulledFile, ...] = (),
    problems: tuple[Problem, ...] = (),
) -> PulledObject:
    return PulledObject(
        there.id, fate, there.base.version, there.saved_by, there.saved_at, files, problems
    )


def _removed(restater: Restater, gone: Declared) -> PulledObject:
    file = next(each for each in restater.found.files if each.path == gone.paths[0])
    return PulledObject(gone.id, Fate.REMOVED, files=restater.remove(file))


def _never_there(left: Sequence[Declared]) -> list[Problem]:
    return [
        Problem(
            "W459",
            f"{each.id} is not on the server, and this clone does not know that it ever was: its "
            "file stays",
            Severity.WARNING,
            position=Position(each.paths[0]),
            remedy="apply it, or remove the file by hand",
        )
        for each in left
    ]


# -- writing -------------------------------------------------------------------------------------


def _finish(
    workspace: Workspace,
    server: ServerIdentity,
    objects: Sequence[PulledObject],
    problems: Sequence[Problem],
    clone: GitState | None,
    options: AdoptOptions,
    started: float,
) -> PullReport:
    told = list(problems)
    files = [file for each in objects for file in each.files]
    dirty = _uncommitted(files, clone)
    if dirty and not options.allow_dirty:
        if not options.dry_run:
            raise _would_be_lost(dirty)
        told.append(_would_refuse(dirty))
    if not options.dry_run:
        _write(workspace.project.root, files)
    return PullReport(
        workspace.project.config.project,
        workspace.context.name,
        server,
        tuple(objects),
        tuple(told),
        options.dry_run,
        time.perf_counter() - started,
    )


def _uncommitted(files: Iterable[PulledFile], clone: GitState | None) -> list[str]:
    """Files that nobody could get back from Git."""
    edited = frozenset(clone.uncommitted if clone else ())
    return sorted(file.path for file in files if file.before is not None and file.path in edited)


def _would_be_lost(paths: Sequence[str]) -> RefusedError:
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return RefusedError(
        "E450",
        f"{paths[0]}{more} would change, and what it says now is not committed",
        remedy="commit it first, so that the change can be reviewed and taken back, or say "
        "--allow-dirty; --dry-run shows the change",
        position=Position(paths[0]),
    )


def _would_refuse(paths: Sequence[str]) -> Problem:
    refused = _would_be_lost(paths).problems[0]
    return Problem(
        "W458",
        refused.message,
        Severity.WARNING,
        position=refused.position,
        remedy="commit it before you do this for real, or say --allow-dirty then",
    )


def _write(root: Path, files: Sequence[PulledFile]) -> None:
    """All of them, or none when one has changed since it was read."""
    for file in files:
        if _now(root / file.path) != file.before:
            raise RefusedError(
                "E455",
                f"{file.path} has changed in the meantime; nothing was written",
                remedy="run it again",
                position=Position(file.path),
            )
    write_together({root / file.path: file.after for file in files if file.after is not None})
    for file in files:
        if file.after is None:
            (root / file.path).unlink(missing_ok=True)


def _now(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _remember(
    workspace: Workspace,
    files: Files,
    report: PullReport,
    listed: Mapping[ObjectId, Observed],
    clone: GitState | None,
) -> None:
    """What committed files say already and the server has counts as applied: one that goes missing
    there is missing then, and not new. What was pulled just now does not: whoever discards it has
    drift again."""
    now = clock.now()
    edited = frozenset(clone.uncommitted if clone else ())
    there = {
        (each.id.type, each.id.name): Hint(
            listed[each.id].base.version,
            listed[each.id].base.hash,
            files.declared[each.id].hash,
            clone.commit if clone else "",
            now,
        )
        for each in report.objects
        if each.fate is Fate.UNCHANGED and edited.isdisjoint(files.declared[each.id].paths)
    }
    gone = tuple(
        (each.id.type, each.id.name) for each in report.objects if each.fate is Fate.REMOVED
    )
    if there or gone:
        hints.record_hints(workspace.project, report.server.host_id, there, gone)
