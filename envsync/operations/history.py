"""history: the commits and the versions of one object as one timeline."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from msgspec import Struct

from envsync.api.views import ManifestView
from envsync.operations.looking import Reference, canonical, desired_of, missing
from envsync.operations.planning import ignore_rules
from envsync.operations.reports import CommitEntry, HistoryEntry, HistoryReport, Origin
from envsync.operations.workspace import Workspace
from envsync.planning.drift import Same, Word, sameness
from envsync.planning.ignore import ignored_fields
from envsync.planning.timeline import Match, Moment, first_said, matches, timeline
from envsync.project.history import Commit, LostHistoryError, open_history
from envsync.resources.observed import observed
from envsync.resources.resource import Desired, ObjectId
from envsync.resources.said import Past


class _Said(Struct, frozen=True):
    """What commits said, newest first. ``whole``: nothing is missing."""

    words: tuple[Word, ...] = ()
    commits: tuple[Commit, ...] = ()
    whole: bool = False


async def history(workspace: Workspace, name: str) -> HistoryReport:
    """Every version that the server keeps of ``name`` and every commit that changed what the files
    say of it, newest first.

    Raises ``EnvsyncError`` when there is neither.
    """
    reference = Reference.parse(name)
    here = desired_of(workspace, reference.id)
    reading = asyncio.get_running_loop().run_in_executor(
        None, _said, workspace, reference.id, here.paths if here else ()
    )
    async with workspace.session() as session:
        versions = await session.reader.versions(reference.name)
        said = await reading
        if versions is None and not said.words:
            raise missing(reference, workspace)
        rules = ignore_rules(workspace.project.config)
        same = sameness(comparable=session.health.ours, ignored=ignored_fields(rules, reference.id))
        entries = _entries(versions or [], said, same, here)
        return HistoryReport(reference.id, session.identity, entries)


def _said(workspace: Workspace, object_id: ObjectId, paths: Sequence[str]) -> _Said:
    found = open_history(workspace.project)
    if found is None:
        return _Said()
    words: list[Word] = []
    commits: dict[str, Commit] = {}
    whole = not found.shallow
    with found:
        past = Past(workspace.project, workspace.context.name, found, {object_id: paths})
        try:
            for saying in past.sayings({object_id}):
                if saying.desired is not None:
                    words.append(Word(saying.commit.id, saying.desired))
                    commits[saying.commit.id] = saying.commit
        except LostHistoryError:
            whole = False
    kept = first_said(words)
    return _Said(kept, tuple(commits[word.commit] for word in kept), whole)


def _entries(
    views: Sequence[ManifestView], said: _Said, same: Same, here: Desired | None
) -> tuple[HistoryEntry, ...]:
    versions = [observed(view) for view in views]
    matched = matches(said.words, versions, same)
    moments = timeline(said.words, [each.at for each in said.commits], versions, matched)
    newest = min((each.word for each in matched if each and not each.put_back), default=None)
    return tuple(_entry(each, views, said, matched, newest, here) for each in moments)


def _entry(
    moment: Moment,
    views: Sequence[ManifestView],
    said: _Said,
    matched: Sequence[Match | None],
    newest: int | None,
    here: Desired | None,
) -> HistoryEntry:
    commit = None if moment.word is None else _commit(said.commits[moment.word])
    if moment.version is None:
        assert moment.word is not None
        waiting = newest is None or moment.word < newest
        return HistoryEntry(Origin.NOT_YET if waiting else Origin.NEVER, commit=commit)
    view = views[moment.version]
    match = matched[moment.version]
    if match is None:
        origin = Origin.DRIFT if said.whole else Origin.UNKNOWN
    else:
        origin = Origin.PUT_BACK if match.put_back else Origin.COMMITTED
    same_as_here = here is not None and canonical(view) == here.canonical
    return HistoryEntry(
        origin,
        view.version,
        view.hash,
        view.saved_at,
        view.saved_by,
        view.environments,
        same_as_here,
        commit,
    )


def _commit(commit: Commit) -> CommitEntry:
    return CommitEntry(commit.id, commit.author, commit.subject, commit.at)
