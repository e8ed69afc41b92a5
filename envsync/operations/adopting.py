"""pull and rollback: the files say what a server holds. The only verbs that write files which
people wrote."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from envsync.api.runtime import RuntimeReader
from envsync.api.views import PlanItem
from envsync.contract.json_types import JsonObject
from envsync.contract.names import MANIFEST_NAME_RULE, is_manifest_name
from envsync.contract.normalise import normalise
from envsync.documents.writing import write_together
from envsync.errors import FileError, Position, Problem, RefusedError, Severity, UsageError
from envsync.operations.looking import Reference, fetch, missing
from envsync.operations.placing import Placing
from envsync.operations.planning import (
    DEFAULTS,
    declare,
    ignore_rules,
    list_objects,
    look,
    read_bodies,
)
from envsync.operations.pulled import Fate, PulledFile, PulledObject, PullReport
from envsync.operations.restating import Restater
from envsync.operations.workspace import Session, Workspace
from envsync.planning.comparison import owned
from envsync.planning.ignore import Tokens, ignored_fields, take_over
from envsync.planning.patterns import matches
from envsync.planning.plan import ServerIdentity
from envsync.planning.respelling import as_far_as_said, part_said, respell
from envsync.planning.saying import Verdict, verdict_of
from envsync.project import hints
from envsync.project.files import Scan, SourceFile, scan
from envsync.project.git import GitState
from envsync.project.hints import Hint
from envsync.resources import reading
from envsync.resources.observed import observed
from envsync.resources.reading import Declarations
from envsync.resources.resource import Declared, ObjectId, Observed
from envsync.resources.sources import Source


@dataclass(frozen=True, slots=True)
class AdoptOptions:
    """``dry_run`` writes nothing. ``prune_files`` removes the files of manifests that this clone
    knows to have been on the server and that are gone there. ``allow_dirty`` overwrites edits that
    are not committed."""

    dry_run: bool = False
    prune_files: bool = False
    allow_dirty: bool = False


ADOPT = AdoptOptions()


@dataclass(frozen=True, slots=True)
class _Files:
    """The repository as it was when it was read."""

    declared: Mapping[ObjectId, Declared]
    found: Scan
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class _Goal:
    """``bodies`` say what ``observed`` is, the one to take first; a later one is for a server that
    would fill in something else. ``source`` is ``None`` for an object without a file. ``ignored``
    are fields that are left to others."""

    observed: Observed
    source: tuple[SourceFile, Source] | None
    bodies: tuple[JsonObject, ...]
    ignored: tuple[Tokens, ...] = ()

    @property
    def sent(self) -> JsonObject:
        """What a plan would send."""
        theirs = self.observed.body
        if not self.ignored or theirs is None:
            return self.bodies[0]
        return take_over(self.bodies[0], theirs, self.ignored)


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
    files = _read_files(workspace)
    async with workspace.session() as session:
        listed = await list_objects(session)
        chosen = _chosen(workspace, files, listed, names)
        settled, goals = await _goals(session, workspace, files, listed, chosen)
        once = hints.read_hints(workspace.project, session.identity.host_id)
        clone = await looking
        server = session.identity
    restater = _restater(workspace, files, chosen)
    objects = [*settled, *(_restate(restater, goal) for goal in goals)]
    problems = list(files.problems)
    if options.prune_files:
        gone = _gone(workspace, files, listed, names)
        known = {ObjectId(*key) for key in once}
        objects += [_removed(restater, each) for each in gone if each.id in known]
        problems += _never_there([each for each in gone if each.id not in known])
    objects.sort(key=lambda each: each.id)
    report = _finish(workspace, server, objects, problems, clone, options, started)
    if not options.dry_run:
        _remember(workspace, report, listed, clone)
    return report


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
    files = _read_files(workspace)
    _require_owned(workspace, [wanted.id])
    async with workspace.session() as session:
        there = observed(await fetch(session, workspace, wanted))
        goals = _draft(workspace, files, [there], comparable=session.health.ours)
        clone = await looking
        server = session.identity
    restater = _restater(workspace, files, [wanted.id])
    # What an older version means is not asked of the server: what it says is written out.
    objects = [_restate(restater, replace(goal, bodies=goal.bodies[-1:])) for goal in goals]
    report = _finish(workspace, server, objects, files.problems, clone, options, started)
    return replace(report, back=True)


# -- what is wanted ------------------------------------------------------------------------------


def _read_files(workspace: Workspace) -> _Files:
    declarations: Declarations = declare(workspace, DEFAULTS)
    nothing_yet = [problem for problem in declarations.problems if problem.code != "W429"]
    return _Files(
        {each.id: each for each in declarations.declared},
        scan(workspace.project),
        tuple(nothing_yet),
    )


def _chosen(
    workspace: Workspace,
    files: _Files,
    listed: Mapping[ObjectId, Observed],
    names: Sequence[str],
) -> list[ObjectId]:
    """Raises ``EnvsyncError`` for a name that the server has not, or that is not ours."""
    owns = workspace.project.config.owns
    if not names:
        return [object_id for object_id in sorted(listed) if owned(owns, object_id)]
    chosen: dict[ObjectId, None] = {}
    for name in names:
        found = [each for each in sorted(listed) if matches(name, each.name)]
        if not found:
            raise missing(Reference(name), workspace)
        if "*" in name or "?" in name:
            found = [each for each in found if owned(owns, each)]
        chosen.update(dict.fromkeys(found))
    _require_owned(workspace, chosen)
    return sorted(chosen)


def _require_owned(workspace: Workspace, ids: Iterable[ObjectId]) -> None:
    for object_id in ids:
        if not owned(workspace.project.config.owns, object_id):
            raise RefusedError(
                "E454",
                f"{object_id} is not one that this repository owns",
                remedy="add it to `owns` in envsync.yaml, or pull it in the repository that does",
                position=workspace.project.config_document.position(("owns",)),
            )


async def _goals(
    session: Session,
    workspace: Workspace,
    files: _Files,
    listed: Mapping[ObjectId, Observed],
    chosen: Sequence[ObjectId],
) -> tuple[list[PulledObject], list[_Goal]]:
    """The objects whose files say it already, or can't; and what the others are to say."""
    settled: list[PulledObject] = []
    open_: list[ObjectId] = []
    comparable = session.health.ours
    for object_id in chosen:
        declared = files.declared.get(object_id)
        there = listed[object_id]
        if not is_manifest_name(object_id.name):
            settled.append(_badly_named(there))
        elif comparable and declared is not None and declared.hash == there.base.hash:
            settled.append(_settled(there, Fate.UNCHANGED))
        else:
            open_.append(object_id)
    lacking = [each for each in open_ if listed[each].canonical is None]
    bodies = await read_bodies(session.reader, lacking)
    latest = [bodies.get(each, listed[each]) for each in open_]
    goals = _draft(
        workspace, files, [each for each in latest if each is not None], comparable=comparable
    )
    if not comparable:
        goals = await _without_defaults(session.reader, goals)
    return settled, goals


def _draft(
    workspace: Workspace, files: _Files, there: Sequence[Observed], *, comparable: bool
) -> list[_Goal]:
    rules = ignore_rules(workspace.project.config)
    ids = [each.id for each in there if each.id in files.declared]
    sources = reading.sources(workspace.project, workspace.context.name, ids, found=files.found)
    goals = []
    for each in there:
        source = sources.get(each.id)
        said: JsonObject = source[1].body if source else {}
        canonical = each.canonical or {}
        fields = ignored_fields(rules, each.id)
        if fields:
            ours = normalise(each.id.type, said) if source else {}
            canonical = take_over(canonical, ours, fields)
        bodies: list[JsonObject] = [respell(said, canonical)]
        if not comparable:
            raw = each.body if each.body is not None else canonical
            part = part_said(canonical, raw, said)
            assert isinstance(part, Mapping)
            briefest = [as_far_as_said(said, canonical)] if source else []
            bodies = [*briefest, *bodies, respell(said, part, defaults=False)]
        goals.append(_Goal(each, source, tuple(bodies), fields))
    return goals


async def _without_defaults(reader: RuntimeReader, goals: Sequence[_Goal]) -> list[_Goal]:
    """For a server whose defaults are its own: what the files may leave out, only it can tell. It
    is asked of the briefest bodies first, and the one that says everything needs no question."""
    settled: dict[ObjectId, _Goal] = {}
    left = list(goals)
    while left:
        asked = [goal for goal in left if len(goal.bodies) > 1 and _leaves_out(goal)]
        items = [
            PlanItem(goal.observed.id.name, goal.sent, goal.observed.base.version) for goal in asked
        ]
        answers = await reader.plan_batch(items) if items else []
        wrong = {
            goal.observed.id
            for goal, answer in zip(asked, answers, strict=True)
            if not answer.unchanged
        }
        settled |= {goal.observed.id: goal for goal in left if goal.observed.id not in wrong}
        left = [replace(goal, bodies=goal.bodies[1:]) for goal in left if goal.observed.id in wrong]
    return [settled[goal.observed.id] for goal in goals]


def _leaves_out(goal: _Goal) -> bool:
    body = goal.sent
    found = verdict_of(body, normalise(goal.observed.id.type, body), goal.observed)
    return found is not Verdict.SAME


def _gone(
    workspace: Workspace,
    files: _Files,
    listed: Mapping[ObjectId, Observed],
    names: Sequence[str],
) -> list[Declared]:
    owns = workspace.project.config.owns
    return [
        each
        for each in files.declared.values()
        if each.id not in listed
        and owned(owns, each.id)
        and (not names or any(matches(name, each.id.name) for name in names))
    ]


# -- what becomes of the files -------------------------------------------------------------------


def _restater(workspace: Workspace, files: _Files, chosen: Iterable[ObjectId]) -> Restater:
    names = {each.name for each in (*files.declared, *chosen)}
    placing = Placing(workspace.project, files.found, names)
    return Restater(workspace.project, workspace.context.name, files.found, placing)


def _restate(restater: Restater, goal: _Goal) -> PulledObject:
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


def _badly_named(there: Observed) -> PulledObject:
    problem = Problem(
        "E456",
        f"no file can be named after {there.id}",
        remedy=f"save it under another name on the server: {MANIFEST_NAME_RULE}",
        subject=str(there.id),
    )
    return _settled(there, Fate.REFUSED, problems=(problem,))


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
    report: PullReport,
    listed: Mapping[ObjectId, Observed],
    clone: GitState | None,
) -> None:
    """The clone knows now that these are on the server: one that goes missing there is missing,
    and not new."""
    now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    there = {
        (each.id.type, each.id.name): Hint(
            listed[each.id].base.version,
            listed[each.id].base.hash,
            "",
            clone.commit if clone else "",
            now,
        )
        for each in report.objects
        if each.fate in (Fate.CREATED, Fate.CHANGED, Fate.UNCHANGED) and each.id in listed
    }
    gone = tuple(
        (each.id.type, each.id.name) for each in report.objects if each.fate is Fate.REMOVED
    )
    if there or gone:
        hints.record_hints(workspace.project, report.server.host_id, there, gone)
