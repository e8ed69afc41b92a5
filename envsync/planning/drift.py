"""Whether the server's latest is something that this repository once said.

There is no state file. What commits said, what versions the server keeps and what this clone
remembers of its own applies tell together who changed what.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from envsync.contract.states import State
from envsync.planning.drafting import with_ignored
from envsync.planning.ignore import Tokens
from envsync.planning.plan import Change, ThreeWay
from envsync.planning.saying import Verdict, verdict
from envsync.resources.resource import Desired, Observed


class Word(Struct, frozen=True):
    """What a commit (its full id) said of an object; an empty id for what was never committed."""

    commit: str
    desired: Desired


class Record(Struct, frozen=True):
    """What commits said of one object, newest first, as far as they were read.

    ``match`` is the place in ``words`` of the newest one that the server's latest equals; reading
    may have ended there. ``whole``: everything that the repository ever said was read.
    ``declared`` and ``declared_here``: some commit, and some commit that the checked out one
    comes from, had a file for it.
    """

    words: tuple[Word, ...] = ()
    match: int | None = None
    whole: bool = False
    declared: bool = False
    declared_here: bool = False


class Standing(Struct, frozen=True):
    """How an object stands. ``keeps`` is why its latest is neither overwritten nor deleted
    unasked: ``drift`` or ``unknown``, or empty. ``here``, of one that no file declares: a commit
    that the checked out one comes from declared it."""

    state: State
    three_way: ThreeWay | None = None
    keeps: str = ""
    here: bool = False


Same = Callable[[Desired, Observed], bool]


def sameness(*, comparable: bool, ignored: Sequence[Tokens] = ()) -> Same:
    """Whether the server holds what was said, as a plan compares: by hash where the server's hash
    is ours, by what the files say elsewhere. Fields left to others are as the server has them."""

    def same(desired: Desired, observed: Observed) -> bool:
        if comparable and not ignored:
            return desired.hash == observed.base.hash
        if observed.canonical is None:
            return False
        ours = with_ignored(desired, observed, ignored)
        if comparable:
            return ours.hash == observed.base.hash
        return verdict(ours, observed) is not Verdict.DIFFERENT

    return same


def needs_versions(record: Record, latest: Observed) -> bool:
    """Whether only the server's versions tell the state, or who said what before a drift."""
    if record.match is None:
        return record.whole
    return record.match > 0 and latest.base.version > 1


def needs_all_words(record: Record, versions: Sequence[Observed], same: Same) -> bool:
    """Whether the commits before the match must be read too: a version before the latest holds
    what a later commit said, which a revert explains, or somebody who went back."""
    if record.match is None or record.whole:
        return False
    later = record.words[: record.match]
    return any(same(word.desired, version) for version in versions[1:] for word in later)


def classify(record: Record, versions: Sequence[Observed], same: Same) -> Standing:
    """The state of an object that the server holds and that differs from the files.

    ``versions`` are the server's, newest first, or empty where they were not asked for; see
    :func:`needs_versions`. ``record`` must be whole where :func:`needs_all_words` says so.
    """
    if record.match is None:
        if not record.whole:
            return UNKNOWN
        return _drift(_agreed(record.words, versions, same))
    back = _put_back(record, versions[1:], same)
    return AHEAD if back is None else _drift(back)


def classify_undeclared(record: Record, versions: Sequence[Observed], same: Same) -> Standing:
    """The state of an object that the server holds and no file declares."""
    if not record.declared:
        return FOREIGN if record.whole else UNKNOWN
    content = classify(record, versions, same)
    return Standing(State.GONE, content.three_way, content.keeps, record.declared_here)


AHEAD = Standing(State.AHEAD)
FOREIGN = Standing(State.FOREIGN)
UNKNOWN = Standing(State.UNKNOWN, keeps=State.UNKNOWN.value)
OURS_AND_GONE = Standing(State.GONE, here=True)
"""What this clone applied, nobody saved since, and no file declares any more."""


def _drift(three_way: ThreeWay) -> Standing:
    return Standing(State.DRIFT, three_way, State.DRIFT.value)


def _agreed(words: Sequence[Word], versions: Iterable[Observed], same: Same) -> ThreeWay:
    """What was said when repository and server agreed last."""
    for version in versions:
        found = [word for word in words if same(word.desired, version)]
        if found:
            return _said(version, next((word for word in found if word.commit), found[0]))
    return ThreeWay()


def _said(version: Observed, word: Word, put_back: str = "") -> ThreeWay:
    canonical = word.desired.canonical or None
    return ThreeWay(version.base.version, word.commit, canonical, put_back)


def _put_back(record: Record, before: Iterable[Observed], same: Same) -> ThreeWay | None:
    """The version from which somebody went back to what an earlier commit said; ``None`` when the
    versions can have come from the commits in their order.

    From the latest version backwards, each one that was said must have been said at the same
    commit or an earlier one. Said at later commits only, it was put away on purpose.
    """
    assert record.match is not None
    at = record.match
    for version in before:
        places = [place for place, word in enumerate(record.words) if same(word.desired, version)]
        earlier = [place for place in places if place >= at]
        if earlier:
            at = earlier[0]
        elif places:
            later = record.words[places[-1]]
            return _said(version, later, record.words[record.match].commit)
    return None


def drift_told(change: Change) -> str:
    """Who saved what the server holds, when, and what is odd about it."""
    version = f"v{change.base.version}" if change.base else "it"
    by = f" by {change.saved_by}" if change.saved_by else ""
    at = f" on {_to_the_minute(change.saved_at)}" if change.saved_at else ""
    back = change.three_way.put_back if change.three_way else ""
    told = "and this repository never said it"
    if back:
        told = f"and puts back what commit {back[:7]} said"
    return f"{version} was saved{by}{at}, {told}"


def _to_the_minute(at: str) -> str:
    """``2026-11-28 17:04 UTC`` of an ISO 8601 time in UTC; any other text as it is."""
    found = re.fullmatch(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d(\.\d+)?)?Z", at)
    return f"{found[1]} {found[2]} UTC" if found else at
