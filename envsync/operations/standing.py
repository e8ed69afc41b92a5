"""How the objects stand that differ: read from commits, from the server's versions, and from what
this clone remembers of its own applies. What is in sync costs nothing here."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field

from msgspec import Struct

from envsync.api.side_by_side import side_by_side
from envsync.contract.states import State
from envsync.errors import EnvsyncError, Position
from envsync.operations.strangers import known_strangers, remember_strangers
from envsync.operations.workspace import Session, Workspace
from envsync.planning import drift
from envsync.planning.drafting import Drafts
from envsync.planning.drift import Record, Same, Standing, Word
from envsync.planning.ignore import IgnoreRule, ignored_fields
from envsync.planning.plan import Change, Held, Op
from envsync.planning.settling import Findings
from envsync.project.git import GitState
from envsync.project.hints import Hint, Hints
from envsync.project.history import History, LostHistoryError, open_history
from envsync.resources.observed import observed
from envsync.resources.resource import Base, Desired, ObjectId, Observed
from envsync.resources.said import Past

_WIDTH = 16
_REMEMBERS_A_FORMER_ONE = 2
"""The first version of a name that the server never had is 1."""


class Known(Struct, frozen=True):
    """What was read before: what the server holds of each object that differs, what the files say
    of it, the files that declare it, and what this clone applied."""

    latest: Mapping[ObjectId, Observed]
    desired: Mapping[ObjectId, Desired]
    paths: Mapping[ObjectId, Sequence[str]]
    hints: Hints
    ignore: Sequence[IgnoreRule] = ()

    def hint(self, object_id: ObjectId) -> Hint | None:
        return self.hints.get((object_id.type, object_id.name))


@dataclass(slots=True)
class _Case:
    """One object whose state is sought. ``uncommitted`` is what this working tree says of it, and
    what it said when it was applied: newer than any commit."""

    id: ObjectId
    latest: Observed
    same: Same
    paths: tuple[str, ...] = ()
    declared: bool = True
    uncommitted: tuple[Word, ...] = ()
    words: list[Word] = field(default_factory=list)
    match: int | None = None
    ever: bool = False
    whole: bool = False
    here: bool = False

    @property
    def record(self) -> Record:
        return Record(tuple(self.words), self.match, self.whole, self.ever, self.here)

    def begin(self) -> None:
        self.words, self.match = list(self.uncommitted), None

    def hears(self, word: Word) -> bool:
        """Takes ``word`` in; true when the server's latest is just that, for the first time."""
        self.words.append(word)
        if self.match is None and self.same(word.desired, self.latest):
            self.match = len(self.words) - 1
            return True
        return False


async def find_standings(
    session: Session,
    workspace: Workspace,
    clone: GitState | None,
    drafts: Drafts,
    known: Known,
) -> Findings | None:
    """The standing of each object that differs; ``None`` where there is no Git, or no commit.

    ``drafts`` are those that the server's dry run has answered.
    """
    changes = [change for change in drafts.changes if change.base is not None]
    foreign = [held for held in drafts.held if held.state is State.FOREIGN]
    again = [change.id for change in drafts.changes if _was_there(change)]
    if clone is None or not (changes or foreign or again):
        return None
    history = open_history(workspace.project, clone.commit)
    if history is None:
        return None
    with history:
        found: dict[ObjectId, Standing] = {}
        cases: list[_Case] = []
        differing: tuple[Change | Held, ...] = (*changes, *foreign)
        for each in differing:
            hint = known.hint(each.id)
            declared = isinstance(each, Change)
            if hint is not None and each.base == Base(hint.version, hint.hash):
                found[each.id] = drift.AHEAD if declared else drift.OURS_AND_GONE
            else:
                cases.append(_case(each.id, known, drafts, declared=declared))
        reading = _Reading(workspace, history, cases)
        deleted, unsure = await asyncio.to_thread(reading.begin, again, known.paths)
        found |= await _classified(session, reading, known, comparable=drafts.comparable)
        return Findings(found, deleted, unsure, reading.why_unknown)


def _was_there(change: Change) -> bool:
    """Whether the server would number a create on from a version that it had."""
    following = change.foreseen.next_version
    new = change.op is Op.CREATE and change.state is State.NEW
    return new and following is not None and following >= _REMEMBERS_A_FORMER_ONE


def _case(object_id: ObjectId, known: Known, drafts: Drafts, *, declared: bool) -> _Case:
    ignored = ignored_fields(known.ignore, object_id)
    words: list[Word] = []
    if object_id in known.desired:
        words.append(Word("", known.desired[object_id]))
    hint = known.hint(object_id)
    if hint is not None and hint.canonical and drafts.comparable and not ignored:
        words.append(Word("", Desired(object_id, {}, {}, hint.canonical, Position(""))))
    return _Case(
        object_id,
        known.latest[object_id],
        drift.sameness(comparable=drafts.comparable, ignored=ignored),
        tuple(known.paths.get(object_id, ())),
        declared,
        tuple(words),
    )


class _Reading:
    """Reads the history for some cases. Blocks: it runs in a thread."""

    def __init__(self, workspace: Workspace, history: History, cases: Sequence[_Case]) -> None:
        self.workspace = workspace
        self.history = history
        self.cases = {case.id: case for case in cases}
        self.lost: LostHistoryError | None = None

    @property
    def why_unknown(self) -> str:
        if self.lost is not None:
            return f"{self.lost.message}; {self.lost.remedy}"
        if self.history.shallow:
            return "this clone has only the newest commits; fetch all: git fetch --unshallow"
        return ""

    def begin(
        self, again: Collection[ObjectId], paths: Mapping[ObjectId, Sequence[str]]
    ) -> tuple[frozenset[ObjectId], frozenset[ObjectId]]:
        """Reads until each case has its match. Also tells which of ``again`` were declared all
        along, and of which that can't be told."""
        strangers = self._strangers()
        for object_id in strangers:
            self.cases[object_id].whole = True
        self.read([case for case in self.cases.values() if case.id not in strangers])
        self._remember_strangers()
        self._find_declared_here()
        return self._declared_all_along(again, paths)

    def read(self, cases: Sequence[_Case], *, to_the_end: bool = False) -> None:
        """Newest commit first: until each has its match, or everything that was said."""
        by_id = {case.id: case for case in cases}
        wanted = set(by_id)
        for case in cases:
            case.begin()
        past = self._past({case.id: case.paths for case in cases})
        try:
            with closing(past.sayings(wanted)) as sayings:
                for saying in sayings:
                    if saying.desired is None:
                        continue
                    case = by_id[saying.id]
                    case.ever = True
                    if case.hears(Word(saying.commit.id, saying.desired)) and not to_the_end:
                        wanted.discard(case.id)
        except LostHistoryError as error:
            self.lost = error
            return
        for object_id in by_id if to_the_end else wanted:
            by_id[object_id].whole = not self.history.shallow

    def _past(self, paths: Mapping[ObjectId, Sequence[str]]) -> Past:
        workspace = self.workspace
        return Past(workspace.project, workspace.context.name, self.history, paths)

    def _strangers(self) -> frozenset[ObjectId]:
        """Those of the undeclared that no commit declared when we looked last, nor any since."""
        asked = {case.id for case in self.cases.values() if not case.declared}
        if not asked:
            return frozenset()
        known, tips = known_strangers(self.workspace.project)
        candidates = asked & known
        if not candidates or tips == self.history.tips():
            return frozenset(candidates)
        still = set(candidates)
        past = self._past(dict.fromkeys(candidates, ()))
        # Commits that are no longer here end the reading: then everything is read anew.
        with suppress(LostHistoryError), closing(past.sayings(candidates, beyond=tips)) as sayings:
            for saying in sayings:
                if saying.desired is not None:
                    still.discard(saying.id)
            return frozenset(still)
        return frozenset()

    def _remember_strangers(self) -> None:
        found = {
            case.id
            for case in self.cases.values()
            if not case.declared and case.whole and not case.ever
        }
        if found:
            remember_strangers(self.workspace.project, self.history.tips(), found)

    def _find_declared_here(self) -> None:
        """Which of the undeclared some commit declared that the checked out one comes from."""
        gone = {case.id for case in self.cases.values() if not case.declared and case.ever}
        past = self._past(dict.fromkeys(gone, ()))
        with suppress(LostHistoryError), closing(past.sayings(gone, here=True)) as sayings:
            for saying in sayings:
                if saying.desired is not None:
                    self.cases[saying.id].here = True
                    gone.discard(saying.id)

    def _declared_all_along(
        self, again: Collection[ObjectId], paths: Mapping[ObjectId, Sequence[str]]
    ) -> tuple[frozenset[ObjectId], frozenset[ObjectId]]:
        """Those that an earlier commit declares, and every one since; those of which too little
        history is here."""
        oldest: dict[ObjectId, str] = {}
        wanted = set(again)
        past = self._past({each: paths.get(each, ()) for each in again})
        try:
            with closing(past.sayings(wanted, here=True)) as sayings:
                for saying in sayings:
                    if saying.removed:
                        wanted.discard(saying.id)
                    elif saying.desired is not None:
                        oldest[saying.id] = saying.commit.id
        except LostHistoryError:
            return frozenset(), frozenset(again)
        earlier = {each for each, commit in oldest.items() if commit != self.history.head}
        unsure = wanted - earlier if self.history.shallow else set()
        return frozenset(earlier), frozenset(unsure)


async def _classified(
    session: Session, reading: _Reading, known: Known, *, comparable: bool
) -> dict[ObjectId, Standing]:
    cases = list(reading.cases.values())
    asked = [
        case
        for case in cases
        if (case.declared or case.ever) and drift.needs_versions(case.record, case.latest)
    ]
    answers = await side_by_side(_WIDTH, asked, lambda case: _versions(session, case))
    versions = dict(zip((case.id for case in asked), answers, strict=True))
    if comparable:
        versions = {each: _with_hint(found, known.hint(each)) for each, found in versions.items()}
    unclear = [
        case for case in asked if drift.needs_all_words(case.record, versions[case.id], case.same)
    ]
    if unclear:
        await asyncio.to_thread(lambda: reading.read(unclear, to_the_end=True))
    return {case.id: _standing(case, versions.get(case.id, ())) for case in cases}


def _standing(case: _Case, versions: Sequence[Observed]) -> Standing:
    classify = drift.classify if case.declared else drift.classify_undeclared
    return classify(case.record, versions, case.same)


async def _versions(session: Session, case: _Case) -> tuple[Observed, ...]:
    """The versions that the server keeps, newest first; the latest where it tells no others."""
    try:
        views = await session.reader.versions(case.id.name)
    except EnvsyncError:
        return (case.latest,)
    return tuple(observed(view) for view in views or ()) or (case.latest,)


def _with_hint(versions: tuple[Observed, ...], hint: Hint | None) -> tuple[Observed, ...]:
    """``versions``, and the one that this clone applied where the server keeps none so old."""
    if hint is None or not hint.canonical:
        return versions
    if versions and versions[-1].base.version <= hint.version:
        return versions
    applied = Base(hint.version, hint.canonical)
    return (*versions, Observed(versions[0].id, applied)) if versions else ()
