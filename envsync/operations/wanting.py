"""What the files should say: of each object that is pulled, in the words of its files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from envsync.api.runtime import RuntimeReader
from envsync.api.views import PlanItem
from envsync.contract.json_types import JsonObject
from envsync.contract.normalise import normalise
from envsync.errors import Problem, RefusedError
from envsync.operations.looking import Reference, missing
from envsync.operations.planning import DEFAULTS, declare, ignore_rules, read_bodies
from envsync.operations.workspace import Session, Workspace
from envsync.planning.comparison import owned
from envsync.planning.ignore import Tokens, ignored_fields, take_over
from envsync.planning.patterns import matches
from envsync.planning.respelling import as_far_as_said, part_said, respell
from envsync.planning.saying import Verdict, verdict_of
from envsync.project.files import Scan, SourceFile, scan
from envsync.resources import reading
from envsync.resources.reading import Declarations
from envsync.resources.resource import Declared, ObjectId, Observed
from envsync.resources.sources import Source


class Files(Struct, frozen=True):
    """The repository as it was when it was read."""

    declared: Mapping[ObjectId, Declared]
    found: Scan
    problems: tuple[Problem, ...]


class Goal(Struct, frozen=True):
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


def read_files(workspace: Workspace) -> Files:
    """Raises ``FileError`` with every error that the files have."""
    declarations: Declarations = declare(workspace, DEFAULTS)
    nothing_yet = [problem for problem in declarations.problems if problem.code != "W429"]
    return Files(
        {each.id: each for each in declarations.declared},
        scan(workspace.project),
        tuple(nothing_yet),
    )


def chosen_of(
    workspace: Workspace,
    files: Files,
    listed: Mapping[ObjectId, Observed],
    names: Sequence[str],
    *,
    pruning: bool,
) -> list[ObjectId]:
    """What ``names`` mean on the server, in byte order.

    Raises ``EnvsyncError`` for a name that the server has not (unless files declare it, and files
    are pruned), or that is not ours.
    """
    owns = workspace.project.config.owns
    if not names:
        return [object_id for object_id in sorted(listed) if owned(owns, object_id)]
    chosen: dict[ObjectId, None] = {}
    for name in names:
        exact = ObjectId("manifest", name)
        if _is_pattern(name):
            found = [each for each in listed if matches(name, each.name)]
            chosen.update(dict.fromkeys(each for each in found if owned(owns, each)))
        else:
            found = [exact] if exact in listed else []
            chosen.update(dict.fromkeys(found))
        if not found and not (pruning and _declares(files, name)):
            raise missing(Reference(name), workspace)
    require_owned(workspace, chosen)
    return sorted(chosen)


def _is_pattern(name: str) -> bool:
    return "*" in name or "?" in name


def _declares(files: Files, name: str) -> bool:
    return any(matches(name, each.name) for each in files.declared)


def require_owned(workspace: Workspace, ids: Iterable[ObjectId]) -> None:
    """Raises ``RefusedError`` for the first one that another repository speaks for."""
    for object_id in ids:
        if not owned(workspace.project.config.owns, object_id):
            raise RefusedError(
                "E454",
                f"{object_id} is not one that this repository owns",
                remedy="add it to `owns` in envsync.yaml, or pull it in the repository that does",
                position=workspace.project.config_document.position(("owns",)),
            )


async def goals_of(
    session: Session,
    workspace: Workspace,
    files: Files,
    listed: Mapping[ObjectId, Observed],
    chosen: Sequence[ObjectId],
) -> tuple[list[Observed], list[Goal]]:
    """The objects whose files say it already; and what the others' files are to say."""
    unchanged: list[Observed] = []
    open_: list[ObjectId] = []
    comparable = session.health.ours
    for object_id in chosen:
        declared = files.declared.get(object_id)
        there = listed[object_id]
        if comparable and declared is not None and declared.hash == there.base.hash:
            unchanged.append(there)
        else:
            open_.append(object_id)
    lacking = [each for each in open_ if listed[each].canonical is None]
    bodies = await read_bodies(session.reader, lacking)
    latest = [bodies.get(each, listed[each]) for each in open_]
    goals = drafted(
        workspace, files, [each for each in latest if each is not None], comparable=comparable
    )
    if not comparable:
        goals = await _without_defaults(session.reader, goals)
    return unchanged, goals


def drafted(
    workspace: Workspace, files: Files, there: Sequence[Observed], *, comparable: bool
) -> list[Goal]:
    """What the files are to say so that they mean each of ``there``. ``comparable`` says that the
    server is our own, which fills in the defaults that we know."""
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
        goals.append(Goal(each, source, tuple(bodies), fields))
    return goals


async def _without_defaults(reader: RuntimeReader, goals: Sequence[Goal]) -> list[Goal]:
    """For a server whose defaults are its own: what the files may leave out, only it can tell. It
    is asked of the briefest bodies first, and the one that says everything needs no question."""
    settled: dict[ObjectId, Goal] = {}
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


def _leaves_out(goal: Goal) -> bool:
    body = goal.sent
    found = verdict_of(body, normalise(goal.observed.id.type, body), goal.observed)
    return found is not Verdict.SAME


def gone_of(
    workspace: Workspace,
    files: Files,
    listed: Mapping[ObjectId, Observed],
    names: Sequence[str],
) -> list[Declared]:
    """What the files declare and the server has not, among ``names`` or of all."""
    owns = workspace.project.config.owns
    return [
        each
        for each in files.declared.values()
        if each.id not in listed
        and owned(owns, each.id)
        and (not names or any(matches(name, each.id.name) for name in names))
    ]
