"""What the files said at earlier commits.

Read by the rules of today's envsync.yaml: its globs, its overlays folder, its moves. An object is
looked for under its name and every name that it had before.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from envsync.contract.canonical import digest
from envsync.contract.normalise import normalise
from envsync.errors import FileError, Position
from envsync.project.config import Project, static_folder
from envsync.project.files import SUFFIXES, SourceFile, Stamp, says_something, stem
from envsync.project.history import Commit, History, Touched
from envsync.project.moves import former_names
from envsync.resources.resource import Desired, ObjectId
from envsync.resources.sources import source_of

_NO_STAMP = Stamp(0, 0, 0, 0)
_MOST_GLOBS = 72
"""Git looks at each of them for each entry of a folder. From a dozen objects on, all that the
folders hold is read faster."""


class Saying(NamedTuple):
    """What one commit says of one object that it touched; ``None``: nothing, or nothing that can
    be read. ``removed``: its file went away with this commit."""

    id: ObjectId
    commit: Commit
    desired: Desired | None
    removed: bool


@dataclass(slots=True)
class _Subject:
    """One object, and the paths it is known to have had."""

    id: ObjectId
    names: tuple[str, ...]
    bases: list[str] = field(default_factory=list)
    overlays: list[str] = field(default_factory=list)

    def note(self, path: str, *, overlay: bool) -> None:
        known = self.overlays if overlay else self.bases
        if path not in known:
            known.append(path)


class Past:
    """What was said of some objects in one context. ``paths`` are those that declare them now."""

    def __init__(
        self,
        project: Project,
        context_name: str,
        history: History,
        paths: Mapping[ObjectId, Collection[str]],
    ) -> None:
        self._project = project
        self._history = history
        self._overlays = f"{project.config.overlays}/{context_name}/"
        self._subjects = [self._subject(each, paths[each]) for each in sorted(paths)]
        self._by_stem: dict[str, list[_Subject]] = {}
        self._by_path: dict[str, list[_Subject]] = {}
        for subject in self._subjects:
            for name in subject.names:
                self._by_stem.setdefault(name, []).append(subject)
            for path in (*subject.bases, *subject.overlays):
                self._by_path.setdefault(_without_ending(path), []).append(subject)
        self._parsed: dict[tuple[str, str, str], Desired | None] = {}

    def sayings(
        self,
        wanted: Collection[ObjectId],
        *,
        here: bool = False,
        beyond: Collection[str] = (),
    ) -> Generator[Saying, None, None]:
        """What commits said, newest first. ``wanted`` may be shrunk on the way: what is not in it
        any more is not read, and with the last one gone the reading ends.

        ``here`` and ``beyond`` are those of ``History.commits_touching``. Raises
        ``LostHistoryError``.
        """
        subjects = [each for each in self._subjects if each.id in wanted]
        if not subjects:
            return
        globs = sorted({glob for each in subjects for glob in self._globs(each)})
        if len(globs) > _MOST_GLOBS:
            globs = self._folders()
        commits = self._history.commits_matching(globs, here=here, beyond=beyond)
        try:
            for commit, touched in commits:
                for subject in self._touched(touched):
                    if subject.id in wanted:
                        yield self._saying(subject, commit, touched)
                if not wanted:
                    return
        finally:
            commits.close()

    def _subject(self, object_id: ObjectId, paths: Iterable[str]) -> _Subject:
        moves = self._project.config.moved
        names = (object_id.name, *former_names(moves, object_id.type, object_id.name))
        subject = _Subject(object_id, names)
        for path in paths:
            subject.note(path, overlay=path.startswith(self._overlays))
        return subject

    def _globs(self, subject: _Subject) -> Iterator[str]:
        """Where files of this object are, or may have been."""
        for glob in self._project.config.globs[subject.id.type]:
            folder, slash, _ = glob.rpartition("/")
            for name in subject.names:
                yield from self._endings(f"{folder}{slash}{name}")
        for path in (*subject.bases, *subject.overlays):
            if stem(path) not in subject.names:
                yield from self._endings(_without_ending(path.removeprefix(self._overlays)))

    def _endings(self, path: str) -> Iterator[str]:
        for ending in SUFFIXES:
            yield f"{path}{ending}"
            yield f"{self._overlays}{path}{ending}"

    def _folders(self) -> list[str]:
        """Everything that may hold files of any object: cheaper than many paths."""
        globs = [glob for globs in self._project.config.globs.values() for glob in globs]
        return sorted({static_folder(glob) or "." for glob in globs} | {self._overlays})

    def _touched(self, touched: Touched) -> list[_Subject]:
        found: dict[ObjectId, _Subject] = {}
        for path in touched:
            overlay = path.startswith(self._overlays)
            if not path.endswith(SUFFIXES) or not (overlay or says_something(self._project, path)):
                continue
            base = path.removeprefix(self._overlays) if overlay else path
            subjects = self._by_stem.get(stem(path), []) + self._by_path.get(
                _without_ending(base), []
            )
            for subject in subjects:
                subject.note(path, overlay=overlay)
                found[subject.id] = subject
        return list(found.values())

    def _saying(self, subject: _Subject, commit: Commit, touched: Touched) -> Saying:
        removed = any(touched.get(path) == "" for path in subject.bases)
        for path in subject.bases:
            blob, data = self._content(commit, path, touched)
            if not blob:
                continue
            overlay, overlay_blob, overlay_data = self._overlay(subject, commit, path, touched)
            key = (path, blob, overlay_blob)
            if key not in self._parsed:
                self._parsed[key] = self._read(subject, path, blob, data, overlay, overlay_data)
            desired = self._parsed[key]
            if desired is not None or len(subject.bases) == 1:
                return Saying(subject.id, commit, desired, removed=False)
            removed = False
        return Saying(subject.id, commit, None, removed)

    def _content(self, commit: Commit, path: str, touched: Touched) -> tuple[str, bytes | None]:
        """The blob at ``path``, and its content where it had to be looked at; empty for none."""
        if path in touched:
            return touched[path], None
        found = self._history.find(commit.id, path)
        return ("", None) if found is None else found

    def _overlay(
        self, subject: _Subject, commit: Commit, base: str, touched: Touched
    ) -> tuple[str, str, bytes | None]:
        wanted = f"{self._overlays}{_without_ending(base)}"
        for path in subject.overlays:
            if _without_ending(path) == wanted:
                blob, data = self._content(commit, path, touched)
                if blob:
                    return path, blob, self._history.blob(blob) if data is None else data
        return "", "", None

    def _read(
        self,
        subject: _Subject,
        path: str,
        blob: str,
        data: bytes | None,
        overlay: str,
        overlay_data: bytes | None,
    ) -> Desired | None:
        """The object, or ``None`` for a file that was broken then or said another one."""
        base = _file(self._project, path, subject.id.type)
        other = _file(self._project, overlay, "overlay") if overlay else None
        try:
            content = self._history.blob(blob) if data is None else data
            source = source_of(base, content, other, overlay_data)
            if source.name not in subject.names:
                return None
            canonical = normalise(subject.id.type, source.body)
            hash_ = digest(canonical)
        except (FileError, ValueError):
            return None
        return Desired(
            subject.id, source.body, canonical, hash_, Position(path), source.layers.paths
        )


def _file(project: Project, path: str, type_: str) -> SourceFile:
    return SourceFile(path, type_, stem(path), project.root, _NO_STAMP)


def _without_ending(path: str) -> str:
    return path.rpartition(".")[0]
