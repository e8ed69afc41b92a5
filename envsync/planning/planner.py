"""From what is declared and what a server holds to a plan, in pure steps.

1. :func:`compare` tells from digests which objects can differ.
2. :func:`draft` tells from the bodies of those what would be sent.
3. :func:`answered` joins that with what the server's dry run says of it.
4. :func:`settle` tells from commits and versions what of it is sent, held back, moved or deleted.
5. :func:`build_plan` makes one value of it.

Between the steps the caller reads: files and bodies after the first, dry runs after the second,
history after the third (without one the fourth is left out).
An object that did not change costs no request.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from envsync.contract.states import State
from envsync.planning.answers import AnswerKey
from envsync.planning.comparison import Candidate, Comparison, Labels, Owns, compare
from envsync.planning.drafting import Drafts, draft, precondition
from envsync.planning.file import identified
from envsync.planning.foreseen import ServerAnswer, foreseen, says_unchanged, server_fields
from envsync.planning.order import in_order
from envsync.planning.plan import Change, Held, Plan, ServerIdentity
from envsync.planning.settling import Findings, Moved, Wishes, settle
from envsync.resources.resource import ObjectId

__all__ = [
    "Candidate",
    "Comparison",
    "Drafts",
    "Findings",
    "Labels",
    "Moved",
    "Owns",
    "Wishes",
    "answered",
    "build_plan",
    "compare",
    "draft",
    "learned",
    "moved",
    "precondition",
    "settle",
]


def answered(drafts: Drafts, answers: Mapping[ObjectId, ServerAnswer]) -> Drafts:
    """``drafts`` with what the server said of them. ``answers`` holds the dry run of each of
    ``drafts.asks`` that has one; what the server calls unchanged is held as in sync, whatever our
    diff says."""
    changes: list[Change] = []
    held = list(drafts.held)
    for change in drafts.changes:
        answer = answers.get(change.id)
        if answer is None:
            changes.append(change)
        elif says_unchanged(answer) and change.base is not None:
            held.append(_held(change))
        else:
            changes.append(_with_answer(change, answer, comparable=drafts.comparable))
    if len(held) > len(drafts.held):
        held.sort(key=lambda each: each.id)
    return replace(drafts, changes=tuple(changes), held=tuple(held))


def build_plan(
    drafts: Drafts,
    *,
    project: str,
    context: str,
    server: ServerIdentity,
    tree: str,
    commit: str = "",
    created_at: str = "",
) -> Plan:
    """The plan of ``drafts`` that are answered and, where there is a history, settled. ``tree`` is
    the digest of the files that the plan was made from."""
    return identified(
        Plan(
            id="",
            project=project,
            context=context,
            server=server,
            tree=tree,
            changes=in_order(drafts.changes),
            held=drafts.held,
            left_out=drafts.left_out,
            commit=commit,
            created_at=created_at,
        )
    )


def moved(answers: Mapping[ObjectId, ServerAnswer]) -> tuple[ObjectId, ...]:
    """The objects that somebody saved between our list and the dry run: read them again and draft
    again. What is still in conflict when a plan is built is an error of that plan."""
    return tuple(sorted(each for each, answer in answers.items() if answer.conflict is not None))


def learned(drafts: Drafts, answers: Mapping[ObjectId, ServerAnswer]) -> frozenset[AnswerKey]:
    """What may be remembered, so that it need not be asked again."""
    keys = drafts.keys or {}
    return drafts.learned | {
        keys[object_id]
        for object_id, answer in answers.items()
        if object_id in keys and says_unchanged(answer)
    }


def _held(change: Change) -> Held:
    return Held(
        change.id,
        State.IN_SYNC,
        change.base,
        change.hash,
        change.path,
        change.foreseen.environments,
        change.saved_by,
        change.saved_at,
    )


def _with_answer(change: Change, answer: ServerAnswer, *, comparable: bool) -> Change:
    told = foreseen(answer)
    if told.environments < 0:
        told = replace(told, environments=change.foreseen.environments)
    fields = change.fields
    if not comparable and change.base is not None:
        # What a foreign server fills in is known to it alone, so its own list is the better one.
        fields = server_fields(answer) or fields
    return replace(change, foreseen=told, fields=fields)
