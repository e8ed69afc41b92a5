"""The first step of a plan: which objects can differ at all, told from digests and one list.

Nothing here needs the body of an object that did not change.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from envsync.contract.states import State
from envsync.planning.answers import AnswerKey, answer_key
from envsync.planning.ignore import IgnoreRule, ignored_fields
from envsync.planning.patterns import matches_any
from envsync.planning.plan import Held
from envsync.planning.selection import EVERYTHING, Selection
from envsync.resources.resource import Declared, ObjectId, Observed

Owns = Mapping[str, Sequence[str]]
"""Name patterns by type (``manifest``). A type that is not named is owned whole."""

Labels = Mapping[ObjectId, Mapping[str, str]]


class Candidate(Struct, frozen=True):
    """An object whose body must be looked at. ``observed`` is ``None`` when the server has none.

    ``state`` is ``NEW``; ``MISSING`` when it shall be made again; ``DIFFERS``; or ``None`` when
    only the bodies, or the server's dry run, can tell.
    """

    declared: Declared
    observed: Observed | None
    state: State | None


class Comparison(Struct, frozen=True):
    """``held`` needs nothing more; ``candidates`` need bodies.

    ``left_out`` says in sentences what this comparison does not speak of. ``not_owned`` are
    objects that files declare though ``owns`` gives them to somebody else.
    """

    candidates: tuple[Candidate, ...]
    held: tuple[Held, ...]
    left_out: tuple[str, ...] = ()
    not_owned: tuple[ObjectId, ...] = ()
    comparable: bool = True

    @property
    def needs_desired(self) -> tuple[ObjectId, ...]:
        """The objects whose files must be read in full."""
        return tuple(candidate.declared.id for candidate in self.candidates)

    @property
    def needs_observed(self) -> tuple[ObjectId, ...]:
        """The objects whose body must still be asked of the server."""
        return tuple(
            candidate.declared.id
            for candidate in self.candidates
            if candidate.observed is not None and candidate.observed.canonical is None
        )


def compare(
    declared: Sequence[Declared],
    listed: Mapping[ObjectId, Observed],
    *,
    comparable: bool,
    owns: Owns | None = None,
    selection: Selection = EVERYTHING,
    labels: Labels | None = None,
    hints: Collection[ObjectId] = (),
    recreate: bool = False,
    remembered: Collection[AnswerKey] = (),
    ignore: Sequence[IgnoreRule] = (),
) -> Comparison:
    """What is in sync, what may differ, and what the server has besides.

    ``comparable`` says that the server's hash is the canonical digest, so that equal digests are
    enough. ``hints`` are objects that this clone once applied to this server: one that is gone
    was deleted there, and is not made again unless ``recreate``. ``remembered`` are objects that
    the server called unchanged before. Every sequence of the result is in byte order of type and
    name.
    """
    candidates: list[Candidate] = []
    held: list[Held] = []
    not_owned: list[ObjectId] = []
    passed = met = 0
    owned_whole = _owns_everything(owns)
    narrow = selection.is_narrow
    for each in declared:
        if not owned_whole and not owned(owns, each.id):
            not_owned.append(each.id)
            continue
        if narrow and not selection.selects(each.id, each.paths, (labels or {}).get(each.id, {})):
            passed += 1
            continue
        observed = listed.get(each.id)
        if observed is None:
            if each.id in hints and not recreate:
                held.append(Held(each.id, State.MISSING, path=_path(each)))
            else:
                state = State.MISSING if each.id in hints else State.NEW
                candidates.append(Candidate(each, None, state))
            continue
        met += 1
        if (comparable and observed.base.hash == each.hash) or (
            remembered and answer_key(each, observed.base, _fields(ignore, each)) in remembered
        ):
            held.append(in_sync(each, observed))
        else:
            state_or_open = State.DIFFERS if comparable and not ignore else None
            candidates.append(Candidate(each, observed, state_or_open))
    others = [] if met == len(listed) else _others(declared, listed, owns, selection)
    held += [foreign(observed) for observed in others]
    return Comparison(
        candidates=tuple(sorted(candidates, key=lambda each: each.declared.id)),
        held=tuple(sorted(held, key=lambda each: each.id)),
        left_out=_left_out(passed, selection, not_owned),
        not_owned=tuple(sorted(not_owned)),
        comparable=comparable,
    )


def owned(owns: Owns | None, object_id: ObjectId) -> bool:
    """Whether this repository speaks for ``object_id``."""
    if owns is None or object_id.type not in owns:
        return True
    return matches_any(owns[object_id.type], object_id.name)


def in_sync(declared: Declared, observed: Observed) -> Held:
    return Held(
        declared.id,
        State.IN_SYNC,
        observed.base,
        declared.hash,
        declared.paths[0] if declared.paths else "",
        observed.environments,
        observed.saved_by,
        observed.saved_at,
    )


def foreign(observed: Observed) -> Held:
    return Held(
        observed.id,
        State.FOREIGN,
        observed.base,
        environments=observed.environments,
        saved_by=observed.saved_by,
        saved_at=observed.saved_at,
    )


def _owns_everything(owns: Owns | None) -> bool:
    return owns is None or all("*" in patterns for patterns in owns.values())


def _fields(ignore: Sequence[IgnoreRule], declared: Declared) -> tuple[tuple[str, ...], ...]:
    return ignored_fields(ignore, declared.id) if ignore else ()


def _path(declared: Declared) -> str:
    return declared.paths[0] if declared.paths else ""


def _others(
    declared: Sequence[Declared],
    listed: Mapping[ObjectId, Observed],
    owns: Owns | None,
    selection: Selection,
) -> list[Observed]:
    """What the server has, no file declares, and is ours to mention."""
    if selection.paths:
        return []
    names = {each.id for each in declared}
    return [
        observed
        for object_id, observed in listed.items()
        if object_id not in names and owned(owns, object_id) and selection.selects(object_id)
    ]


def _left_out(
    passed: int,
    selection: Selection,
    not_owned: Sequence[ObjectId],
) -> tuple[str, ...]:
    told: list[str] = []
    if selection.is_narrow:
        count = "1 object" if passed == 1 else f"{passed} objects"
        told.append(
            f"narrowed to {selection}: {count} of this repository left out; "
            "a narrowed plan never deletes"
        )
    told += [
        f"{object_id} is declared here, but `owns` in envsync.yaml does not cover it; left alone"
        for object_id in sorted(not_owned)
    ]
    return tuple(told)
