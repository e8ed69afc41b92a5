"""plan: what an apply would change, as files and server stand now. Writes nothing anywhere."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Mapping
from typing import Literal

from msgspec import Struct

from envsync.api.runtime import RuntimeReader
from envsync.api.views import DryRun, PlanItem
from envsync.contract.json_types import pointer_text
from envsync.errors import FileError
from envsync.linting import lint
from envsync.operations import clock
from envsync.operations.remembering import recall, remember
from envsync.operations.reports import PlanReport
from envsync.operations.standing import Known, find_standings
from envsync.operations.workspace import Session, Workspace
from envsync.planning import planner
from envsync.planning.answers import AnswerKey
from envsync.planning.ignore import IgnoreRule
from envsync.planning.plan import Change, Plan
from envsync.planning.selection import EVERYTHING, Selection
from envsync.planning.settling import Wishes
from envsync.project import git, hints
from envsync.project.config import Config
from envsync.project.git import GitState
from envsync.resources import reading
from envsync.resources.memory import Memory
from envsync.resources.observed import observed
from envsync.resources.reading import Declarations
from envsync.resources.resource import ObjectId, Observed

FEW = 32
"""Up to so many bodies are asked for one by one; beyond that the whole list is the cheaper way."""

REDRAFTS = 3
"""How often a plan is drafted again because somebody saved in the middle of it."""


class PlanOptions(Struct, frozen=True):
    """``recreate`` makes again what was deleted on the server. ``prune`` deletes what this
    repository declared once and no longer does; envsync.yaml may ask for it too. ``on_drift``
    stands in for what envsync.yaml says of drift. ``cache`` may be turned off to read every file
    anew."""

    selection: Selection = EVERYTHING
    recreate: bool = False
    cache: bool = True
    prune: bool = False
    on_drift: Literal["refuse", "overwrite"] | None = None


DEFAULTS = PlanOptions()


class AtHand(Struct, frozen=True):
    """What a caller that plans again and again need not have read anew: ``listed`` is what the
    server holds now, ``memory`` what the last look at the files has left."""

    listed: Mapping[ObjectId, Observed] | None = None
    memory: Memory | None = None


NOTHING = AtHand()


async def plan(workspace: Workspace, options: PlanOptions = DEFAULTS) -> PlanReport:
    """The plan that brings the context's server to what the files say.

    Raises ``FileError`` when any file has an error (then there is no plan at all), and
    ``NetworkError`` or ``ApiError`` when the server cannot be read.
    """
    started = time.perf_counter()
    memory = Memory()  # what one look at the files finds, the other need not look for
    declarations = declare(workspace, options, memory)
    looking = look(workspace)  # a thread: from here on no work is spread over processes
    async with workspace.session() as session:
        clone = await looking
        at_hand = AtHand(memory=memory)
        made = await plan_in(session, workspace, declarations, clone, options, at_hand)
    return PlanReport(
        made,
        declarations.problems,
        len(made.changes) + len(made.held),
        time.perf_counter() - started,
    )


def look(workspace: Workspace) -> asyncio.Future[GitState | None]:
    """Begins to ask Git, in a thread of its own, while files and server are read."""
    return asyncio.get_running_loop().run_in_executor(None, git.state, workspace.project)


def declare(
    workspace: Workspace, options: PlanOptions, memory: Memory | None = None
) -> Declarations:
    """What the files say. Raises ``FileError`` with every error that they have."""
    declarations = reading.declare(
        workspace.project,
        workspace.context.name,
        cache=options.cache,
        lint=lint,
        memory=memory,
    )
    if any(problem.is_error for problem in declarations.problems):
        raise FileError.of(declarations.problems)
    return declarations


async def plan_in(
    session: Session,
    workspace: Workspace,
    declarations: Declarations,
    clone: GitState | None,
    options: PlanOptions,
    at_hand: AtHand = NOTHING,
) -> Plan:
    """The plan, over a session that is open already."""
    config = workspace.project.config
    comparable = session.health.ours
    remembered = frozenset[AnswerKey]() if comparable else recall(session.identity)
    rules = ignore_rules(config)
    remembered_applies = hints.read_hints(workspace.project, session.identity.host_id)
    listed = await list_objects(session) if at_hand.listed is None else at_hand.listed
    comparison = planner.compare(
        declarations.declared,
        listed,
        comparable=comparable,
        owns=config.owns,
        selection=options.selection,
        hints=[ObjectId(*key) for key in remembered_applies],
        recreate=options.recreate,
        remembered=remembered,
        ignore=rules,
    )
    desired = reading.load(
        workspace.project,
        workspace.context.name,
        comparison.needs_desired,
        memory=at_hand.memory,
    )
    bodies = await read_bodies(session.reader, comparison.needs_observed)
    drafts = planner.draft(comparison, desired, bodies, ignore=rules)
    answers = await ask(session.reader, drafts.asks)
    for _ in range(REDRAFTS):
        moved = planner.moved(answers)
        if not moved:
            break
        bodies = {**bodies, **await read_bodies(session.reader, moved)}
        drafts = planner.draft(comparison, desired, bodies, ignore=rules)
        again = [change for change in drafts.asks if change.id in set(moved)]
        answers = {**answers, **await ask(session.reader, again)}
    if not comparable:
        remember(session.identity, remembered, planner.learned(drafts, answers))
    drafts = planner.answered(drafts, answers)
    known = Known(
        {**listed, **{each: found for each, found in bodies.items() if found is not None}},
        desired,
        {each.id: each.paths for each in declarations.declared},
        remembered_applies,
        rules,
    )
    findings = await find_standings(session, workspace, clone, drafts, known)
    if findings is not None or config.moved:
        told = planner.Findings({}) if findings is None else findings
        moves = [
            planner.Moved(ObjectId(each.type, each.old), ObjectId(each.type, each.new))
            for each in config.moved
        ]
        drafts = planner.settle(drafts, listed, told, wishes(config, options), moves)
    return planner.build_plan(
        drafts,
        project=config.project,
        context=workspace.context.name,
        server=session.identity,
        tree=declarations.tree,
        commit=clone.commit if clone else "",
        created_at=clock.now(),
    )


def wishes(config: Config, options: PlanOptions) -> Wishes:
    """What may be done about drift and about what is no longer declared."""
    return Wishes(
        overwrite=(options.on_drift or config.policy.on_drift) == "overwrite",
        prune=options.prune or config.policy.prune,
        recreate=options.recreate,
        narrow=options.selection.is_narrow,
    )


async def list_objects(session: Session) -> Mapping[ObjectId, Observed]:
    """What the server holds: names, versions and hashes where it can tell those alone, whole
    manifests elsewhere."""
    reader = session.reader
    views = await (reader.list_summaries() if session.health.ours else reader.list_manifests())
    return {each.id: each for each in map(observed, views)}


async def read_bodies(
    reader: RuntimeReader, ids: Collection[ObjectId]
) -> dict[ObjectId, Observed | None]:
    """The latest of each of ``ids`` as the server holds it now; ``None`` for one that is gone."""
    wanted = set(ids)
    if len(wanted) > FEW:
        views = await reader.list_manifests()
        found = {each.id: each for each in map(observed, views)}
        return {object_id: found.get(object_id) for object_id in sorted(wanted)}
    ordered = sorted(wanted)
    views_or_none = await asyncio.gather(*(reader.get_manifest(each.name) for each in ordered))
    return {
        object_id: None if view is None else observed(view)
        for object_id, view in zip(ordered, views_or_none, strict=True)
    }


async def ask(reader: RuntimeReader, changes: Collection[Change]) -> dict[ObjectId, DryRun]:
    """The server's dry run of each change, with the precondition that the save will carry."""
    items = [
        PlanItem(change.id.name, change.body or {}, planner.precondition(change.base))
        for change in changes
    ]
    answers = await reader.plan_batch(items) if items else []
    return {change.id: answer for change, answer in zip(changes, answers, strict=True)}


def applied_here(workspace: Workspace, session: Session) -> frozenset[ObjectId]:
    """What this clone once applied to this server."""
    found = hints.read_hints(workspace.project, session.identity.host_id)
    return frozenset(ObjectId(*key) for key in found)


def ignore_rules(config: Config) -> tuple[IgnoreRule, ...]:
    return tuple(
        IgnoreRule(each.type, each.name, pointer_text(each.path)) for each in config.ignore
    )
