"""Whether a plan still fits what it was made from.

A saved plan is applied only where it was made for, and only while every object it speaks of is as
it was, or is already as the plan wants it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec import Struct

from envsync.contract.canonical import digest
from envsync.contract.states import State
from envsync.errors import Problem, RefusedError
from envsync.planning.plan import Change, Held, Op, Plan, ServerIdentity
from envsync.planning.saying import Verdict, verdict_of
from envsync.resources.resource import Base, ObjectId, Observed

_AGAIN = "make the plan again: envsync plan -o plan.json"


class Moved(Struct, frozen=True):
    """An object that is no longer as it was. ``None`` is an object that is not there."""

    id: ObjectId
    planned: Base | None
    found: Base | None
    saved_by: str = ""
    saved_at: str = ""

    def __str__(self) -> str:
        if self.found is None:
            return f"{self.id} was v{self.planned.version if self.planned else 0} and is gone"
        by = f" by {self.saved_by}" if self.saved_by else ""
        at = f" at {self.saved_at}" if self.saved_at else ""
        if self.planned is None:
            return f"{self.id} was absent and is now v{self.found.version}, saved{by}{at}"
        if self.planned.version == self.found.version:
            return (
                f"{self.id} is still v{self.found.version} but with other content: "
                f"it was deleted and made again{by}{at}"
            )
        return (
            f"{self.id} was v{self.planned.version} and is now v{self.found.version}, saved{by}{at}"
        )


class Staleness(Struct, frozen=True):
    """``refused``: the plan belongs somewhere else. ``moved``: somebody else was there.

    ``done`` are changes that the server already has. ``unsure`` are objects of a foreign server
    that moved and of which only its dry run can tell whether they are done: ask it with the
    change's body, and call :func:`check` again with what it called unchanged.
    ``tree_differs`` is information: the files changed since, and the plan sends what was reviewed.
    """

    refused: tuple[Problem, ...] = ()
    moved: tuple[Moved, ...] = ()
    done: frozenset[ObjectId] = frozenset()
    unsure: tuple[ObjectId, ...] = ()
    tree_differs: bool = False

    @property
    def is_stale(self) -> bool:
        return bool(self.refused or self.moved)

    @property
    def problems(self) -> tuple[Problem, ...]:
        return self.refused + tuple(
            Problem(
                "E510",
                f"this plan is stale: {moved}",
                remedy=_AGAIN,
                subject=str(moved.id),
            )
            for moved in self.moved
        )


def check(
    plan: Plan,
    listed: Mapping[ObjectId, Observed],
    *,
    project: str,
    context: str,
    server: ServerIdentity,
    comparable: bool,
    tree: str = "",
    require_tree: bool = False,
    unchanged: Collection[ObjectId] = (),
) -> Staleness:
    """How ``plan`` stands to what is there now.

    ``listed`` is what the server holds; for a foreign server (not ``comparable``) with bodies.
    ``tree`` is the digest of the working tree, empty when there is none to compare with;
    ``require_tree`` refuses a plan that was made from other files. ``unchanged`` are objects whose
    dry run said that the plan's body would change nothing.
    """
    refused = _refused(plan, project, context, server)
    if refused:  # what another server holds says nothing about this plan
        return Staleness(refused)
    moved: list[Moved] = []
    done: set[ObjectId] = set()
    unsure: list[ObjectId] = []
    for change in plan.changes:
        found = listed.get(change.id)
        if _base(found) == change.base:
            continue
        if change.id in unchanged:
            done.add(change.id)
            continue
        fulfilled = is_fulfilled(change, found, comparable=comparable)
        if fulfilled:
            done.add(change.id)
        elif fulfilled is None:
            unsure.append(change.id)
        else:
            moved.append(_moved(change.id, change.base, found))
    for held in plan.held:
        found = listed.get(held.id)
        if held.state is not State.FOREIGN and not _holds(held, found, comparable=comparable):
            moved.append(_moved(held.id, held.base, found))
    differs = bool(tree) and tree != plan.tree
    return Staleness(
        refused=(_other_tree(),) if differs and require_tree else (),
        moved=tuple(sorted(moved, key=lambda each: each.id)),
        done=frozenset(done),
        unsure=tuple(sorted(unsure)),
        tree_differs=differs,
    )


def require_fresh(staleness: Staleness) -> None:
    """Raises ``RefusedError`` with every reason when the plan is stale. Whoever passes an
    ``unsure`` object by has not asked: it counts as moved."""
    problems = staleness.problems + tuple(
        Problem(
            "E510",
            f"this plan is stale: {object_id} moved, and whether it is as planned is not known",
            remedy=_AGAIN,
            subject=str(object_id),
        )
        for object_id in staleness.unsure
    )
    if problems:
        error = RefusedError(problems[0].code, problems[0].message)
        error.problems = problems
        raise error


def is_fulfilled(change: Change, found: Observed | None, *, comparable: bool) -> bool | None:
    """Whether the server already holds what ``change`` wants; ``None`` when only a dry run of a
    foreign server can tell."""
    if change.op is Op.DELETE or found is None:
        return change.op is Op.DELETE and found is None
    if comparable:
        if found.canonical is not None:
            return digest(found.canonical) == change.hash
        return found.base.hash == change.hash
    if found.canonical is None:
        return None
    if digest(found.canonical) == change.hash:
        return True
    told = verdict_of(change.body or {}, change.canonical or {}, found)
    return {Verdict.SAME: True, Verdict.MORE: None, Verdict.DIFFERENT: False}[told]


def _holds(held: Held, found: Observed | None, *, comparable: bool) -> bool:
    """A held object that moved and came back to the same content is as it was."""
    if _base(found) == held.base:
        return True
    if found is None or held.base is None:
        return False
    return found.base.hash == (held.hash if comparable else held.base.hash)


def _base(found: Observed | None) -> Base | None:
    return None if found is None else found.base


def _moved(object_id: ObjectId, planned: Base | None, found: Observed | None) -> Moved:
    if found is None:
        return Moved(object_id, planned, None)
    return Moved(object_id, planned, found.base, found.saved_by, found.saved_at)


def _refused(plan: Plan, project: str, context: str, server: ServerIdentity) -> tuple[Problem, ...]:
    found: list[Problem] = []
    if plan.project != project:
        found.append(
            Problem(
                "E511",
                f"this plan was made for the project {plan.project}, and this is {project}",
                remedy="apply it in the repository that it was made in",
            )
        )
    if plan.context != context:
        found.append(
            Problem(
                "E511",
                f"this plan was made for the context {plan.context}, not for {context}",
                remedy=f"apply it there: envsync apply --context {plan.context} PLAN",
            )
        )
    if not _same_server(plan.server, server):
        found.append(
            Problem(
                "E512",
                f"this plan was made against {_told(plan.server)}, and {context} is now "
                f"{_told(server)}",
                remedy=_AGAIN,
            )
        )
    return tuple(found)


def _same_server(planned: ServerIdentity, found: ServerIdentity) -> bool:
    """By the server's own id where both are known (one server may have several addresses)."""
    if planned.host_id and found.host_id:
        return planned.host_id == found.host_id
    return planned.address == found.address and planned.host_id == found.host_id


def _told(server: ServerIdentity) -> str:
    return f"{server.address} ({server.host_id})" if server.host_id else server.address


def _other_tree() -> Problem:
    return Problem(
        "E513",
        "this plan was made from other files than those in the working tree",
        remedy=_AGAIN,
    )
