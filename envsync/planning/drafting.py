"""The second step of a plan: what exactly would be sent, told from the bodies of both sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from envsync.contract.canonical import digest
from envsync.contract.normalise import normalise
from envsync.contract.states import State
from envsync.planning.answers import AnswerKey, answer_key
from envsync.planning.comparison import Candidate, Comparison, in_sync
from envsync.planning.diff import field_changes
from envsync.planning.ignore import IgnoreRule, Tokens, ignored_fields, take_over
from envsync.planning.plan import Change, Foreseen, Held, Op
from envsync.planning.saying import Verdict, verdict
from envsync.resources.resource import Base, Desired, ObjectId, Observed


class Drafts(Struct, frozen=True):
    """Changes that still lack what the server says of them.

    Ask the server's dry run for each of ``asks``. ``keys`` names under what the answer
    ``unchanged`` may be remembered; ``learned`` can be remembered already.
    """

    changes: tuple[Change, ...]
    held: tuple[Held, ...]
    left_out: tuple[str, ...] = ()
    keys: Mapping[ObjectId, AnswerKey] | None = None
    learned: frozenset[AnswerKey] = frozenset()
    comparable: bool = True

    @property
    def asks(self) -> tuple[Change, ...]:
        """Send ``body`` of each with :func:`precondition` of its base."""
        return tuple(change for change in self.changes if change.op is not Op.DELETE)


def precondition(base: Base | None) -> int:
    """The value of ``If-Match``: the version that the plan was made from; 0 expects none."""
    return 0 if base is None else base.version


def draft(
    comparison: Comparison,
    desired: Mapping[ObjectId, Desired],
    observed: Mapping[ObjectId, Observed | None] | None = None,
    *,
    ignore: Sequence[IgnoreRule] = (),
) -> Drafts:
    """The changes of ``comparison``.

    ``desired`` holds all of ``comparison.needs_desired``. ``observed`` holds what was asked of the
    server since it was listed (at least ``comparison.needs_observed``), ``None`` for an object that
    is gone by now; it counts more than the list. Raises ``KeyError`` when one is not there.
    """
    changes: list[Change] = []
    held = list(comparison.held)
    keys: dict[ObjectId, AnswerKey] = {}
    learned: set[AnswerKey] = set()
    for candidate in comparison.candidates:
        object_id = candidate.declared.id
        theirs = _latest(candidate, observed or {})
        if theirs is None and candidate.observed is not None:
            held.append(Held(object_id, State.MISSING, path=desired[object_id].position.path))
            continue
        fields = ignored_fields(ignore, object_id)
        ours = with_ignored(desired[object_id], theirs, fields)
        if theirs is not None:
            keys[object_id] = answer_key(candidate.declared, theirs.base, fields)
            if _is_same(ours, theirs, comparable=comparison.comparable):
                learned.add(keys[object_id])
                held.append(replace(in_sync(candidate.declared, theirs), hash=ours.hash))
                continue
        changes.append(_change(candidate, ours, theirs))
    return Drafts(
        changes=tuple(changes),
        held=_sorted(held, comparison.held),
        left_out=comparison.left_out,
        keys=keys,
        learned=frozenset(learned),
        comparable=comparison.comparable,
    )


def _sorted(held: list[Held], before: tuple[Held, ...]) -> tuple[Held, ...]:
    """In byte order; ``before`` is the part of it that is so already, often all of it."""
    if len(held) == len(before):
        return before
    return tuple(sorted(held, key=lambda each: each.id))


def _latest(candidate: Candidate, observed: Mapping[ObjectId, Observed | None]) -> Observed | None:
    """What was read since the list counts more than the list."""
    if candidate.declared.id in observed:
        return observed[candidate.declared.id]
    if candidate.observed is not None and candidate.observed.canonical is None:
        raise KeyError(candidate.declared.id)
    return candidate.observed


def with_ignored(ours: Desired, theirs: Observed | None, fields: Sequence[Tokens]) -> Desired:
    if theirs is None or not fields:
        return ours
    raw = theirs.body if theirs.body is not None else theirs.canonical or {}
    body = take_over(ours.body, raw, fields)
    canonical = normalise(ours.id.type, body)
    return replace(ours, body=body, canonical=canonical, hash=digest(canonical))


def _is_same(ours: Desired, theirs: Observed, *, comparable: bool) -> bool:
    if comparable:
        return ours.hash == theirs.base.hash
    return verdict(ours, theirs) is Verdict.SAME


def _change(candidate: Candidate, ours: Desired, theirs: Observed | None) -> Change:
    path = ours.position.path
    if theirs is None:
        return Change(
            ours.id,
            Op.CREATE,
            candidate.state or State.NEW,
            hash=ours.hash,
            body=ours.body,
            canonical=ours.canonical,
            path=path,
        )
    before = theirs.canonical or {}
    return Change(
        ours.id,
        Op.UPDATE,
        State.DIFFERS,
        base=theirs.base,
        hash=ours.hash,
        body=ours.body,
        canonical=ours.canonical,
        base_canonical=before,
        fields=field_changes(before, ours.canonical),
        foreseen=Foreseen(environments=theirs.environments),
        path=path,
        saved_by=theirs.saved_by,
        saved_at=theirs.saved_at,
    )
