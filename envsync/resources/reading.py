"""What the files of a repository declare in one of its contexts."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from time import time_ns

from envsync.contract.json_types import Pointer
from envsync.errors import FileError, Position, Problem
from envsync.project.config import CONFIG_NAME, Project
from envsync.project.files import Scan, SourceFile, scan
from envsync.project.names import comparable
from envsync.project.tree import blob_hash, tree_digest
from envsync.resources.cache import Cache, Known, cache_key, no_cache, open_cache
from envsync.resources.memory import Memory
from envsync.resources.policies import Policy, policy_of
from envsync.resources.resource import Declared, Desired, ObjectId
from envsync.resources.rules import Lint, Rules, place
from envsync.resources.sources import Source, read_bytes, read_source, source_of

__all__ = ["Declarations", "Lint", "Source", "declare", "load", "position_of", "sources"]


@dataclass(frozen=True, slots=True)
class Declarations:
    """``declared`` holds the objects without an error, in byte order of their names.

    ``problems`` come in the order of files and places. ``files`` counts the files that declare
    objects, right or wrong. ``tree`` is the tree digest, the same in every context.
    """

    declared: tuple[Declared, ...]
    problems: tuple[Problem, ...]
    files: int
    tree: str

    @property
    def has_errors(self) -> bool:
        return any(problem.is_error for problem in self.problems)


def declare(
    project: Project,
    context_name: str,
    *,
    cache: bool = True,
    lint: Lint | None = None,
    memory: Memory | None = None,
) -> Declarations:
    """Reads and judges every file of the context. Writes nothing but the throw-away cache.

    ``lint`` adds what a valid object may still do wrong (``linting.linter.lint``). ``memory`` is
    what an earlier look has left, and is left by this one. Nothing is raised for what files say:
    that is in ``problems``.
    """
    return _Look(project, context_name, cache=cache, lint=lint, memory=memory).declarations()


def load(
    project: Project,
    context_name: str,
    ids: Collection[ObjectId],
    *,
    lint: Lint | None = None,
    memory: Memory | None = None,
) -> dict[ObjectId, Desired]:
    """The whole bodies of those ``ids`` that files declare.

    The files are read as they are now: where one has changed since ``declare``, the hash tells.
    With ``memory`` they are looked for where the last look found them. Raises ``FileError`` when
    one of them has an error.
    """
    wanted = set(ids)
    found = memory.found if memory is not None and memory.found is not None else scan(project)
    look = _Look(project, context_name, cache=False, lint=lint, found=found)
    loaded: dict[ObjectId, Desired] = {}
    problems: list[Problem] = list(look.problems)
    for file, source in _sources(found, context_name, wanted):
        judged = look.rules.judge(source)
        problems += [problem for problem in judged.problems if problem.is_error]
        id_ = ObjectId(source.type, source.name)
        loaded[id_] = Desired(
            id_,
            source.body,
            judged.canonical,
            judged.hash,
            Position(file.path),
            source.layers.paths,
        )
    if problems:
        raise FileError.of(tuple(problems))
    return loaded


def sources(
    project: Project, context_name: str, ids: Collection[ObjectId], *, found: Scan | None = None
) -> dict[ObjectId, tuple[SourceFile, Source]]:
    """The files that declare those ``ids``, as they are now, with the documents that say them.

    Raises ``FileError`` when one of them cannot be read.
    """
    if not ids:
        return {}
    scanned = scan(project) if found is None else found
    return {
        ObjectId(source.type, source.name): (file, source)
        for file, source in _sources(scanned, context_name, set(ids))
    }


def position_of(
    project: Project,
    context_name: str,
    object_id: ObjectId,
    pointer: Pointer,
) -> Position | None:
    """Where the files say the value at ``pointer`` of an object: the overlay's place for what an
    overlay said, the nearest parent's for what nobody said. ``None`` for an object that no file
    declares any more."""
    try:
        for _, source in _sources(scan(project), context_name, {object_id}):
            return source.layers.position(pointer)
    except FileError:
        return None
    return None


class _Look:
    """One look at all files of a context."""

    def __init__(
        self,
        project: Project,
        context_name: str,
        *,
        cache: bool,
        lint: Lint | None,
        found: Scan | None = None,
        memory: Memory | None = None,
    ) -> None:
        self.project = project
        self.context = project.config.contexts[context_name]
        self._began = time_ns()
        self.found = scan(project) if found is None else found
        self.problems: list[Problem] = []
        self.blobs = {CONFIG_NAME: blob_hash(project.config_document.source)}
        policies = tuple(self._policies())
        self.rules = Rules(self.context.embedded, policies, lint)
        self.memory = memory
        self.cache = self._open_cache(linted=lint is not None) if cache else no_cache()

    def declarations(self) -> Declarations:
        self.problems += self.found.problems
        declared: list[Declared] = []
        for file in self.found.files:
            overlay = self.found.overlay(self.context.name, file)
            known = self._known(file, overlay)
            if known is None:
                continue
            self.problems += known.problems
            paths = (file.path,) if overlay is None else (file.path, overlay.path)
            declared.append(Declared(ObjectId(file.type, known.name), known.hash, paths))
        self.problems += _same_names(declared)
        self._other_blobs()
        self.cache.write()
        if self.memory is not None:
            self.memory.found, self.memory.cache = self.found, self.cache
        declared.sort(key=lambda one: (one.id.type, one.id.name))
        return Declarations(
            tuple(declared),
            tuple(sorted(self.problems, key=place)),
            len(self.found.files),
            tree_digest(self.blobs),
        )

    def _known(self, file: SourceFile, overlay: SourceFile | None) -> Known | None:
        """What a file declares, from the cache or from its bytes; ``None`` if it has errors."""
        try:
            blob, data = self._content(file)
            overlay_blob, overlay_data = ("", None) if overlay is None else self._content(overlay)
            known = self.cache.known(file.path, blob, overlay_blob)
            if known is not None:
                return known
            data = read_bytes(file) if data is None else data
            if overlay is not None and overlay_data is None:
                overlay_data = read_bytes(overlay)
            source = source_of(file, data, overlay, overlay_data)
        except FileError as error:
            self.problems += error.problems
            return None
        judged = self.rules.judge(source)
        if not judged.hash:
            self.problems += judged.problems
            return None
        known = Known(source.name, judged.hash, judged.problems)
        self.cache.keep(file.path, blob, overlay_blob, known)
        return known

    def _content(self, file: SourceFile) -> tuple[str, bytes | None]:
        """The blob hash of a file, and its bytes if they had to be read for it."""
        blob = self.cache.blob(file)
        data = None
        if not blob:
            data = read_bytes(file)
            blob = blob_hash(data)
            if len(data) == file.stamp.size:
                self.cache.keep_blob(file, blob)
        self.blobs[file.path] = blob
        return blob, data

    def _policies(self) -> Iterator[Policy]:
        for file in self.found.policies:
            try:
                data = read_bytes(file)
                self.blobs[file.path] = blob_hash(data)
                yield policy_of(data, file.path)
            except FileError as error:
                self.problems += error.problems

    def _open_cache(self, *, linted: bool) -> Cache:
        said = [f"{path} {blob}" for path, blob in sorted(self.blobs.items())]
        key = cache_key([self.context.name, str(linted), *said])
        remembered = None if self.memory is None else self.memory.cache
        if remembered is not None and remembered.key == key:
            return remembered.again(self._began)
        home = self.project.laid_out_for
        return open_cache(home / "@laid-out" if home else self.project.root, key, self._began)

    def _other_blobs(self) -> None:
        """The tree digest covers the overlays of every context."""
        for overlays in self.found.overlays.values():
            for overlay in overlays.values():
                if overlay.path not in self.blobs:
                    try:
                        self._content(overlay)
                    except FileError as error:
                        self.problems += error.problems


def _sources(
    found: Scan, context_name: str, wanted: set[ObjectId]
) -> Iterator[tuple[SourceFile, Source]]:
    """The files that declare the wanted objects. Raises ``FileError``.

    First those whose stem is the name; only for what is still missing the others are looked
    through for a ``name:``.
    """
    missing = set(wanted)
    later = []
    for file in found.files:
        if ObjectId(file.type, file.name) not in wanted:
            later.append(file)
            continue
        source = read_source(file, found.overlay(context_name, file))
        id_ = ObjectId(source.type, source.name)
        if id_ in missing:
            missing.discard(id_)
            yield file, source
    for file in later:
        if not missing:
            return
        data = read_bytes(file)
        if b"name" not in data:
            continue
        overlay = found.overlay(context_name, file)
        source = source_of(file, data, overlay, None if overlay is None else read_bytes(overlay))
        id_ = ObjectId(source.type, source.name)
        if id_ in missing:
            missing.discard(id_)
            yield file, source


def _same_names(declared: list[Declared]) -> Iterator[Problem]:
    """Two files that declare one object, or whose stems differ only by case.

    Names that differ by case are fine where the files say them, not the paths: a server keeps
    them apart, some file systems don't.
    """
    seen: dict[tuple[str, str], Declared] = {}
    stems: dict[tuple[str, str], Declared] = {}
    for one in declared:
        name = (one.id.type, one.id.name)
        first = seen.setdefault(name, one)
        stem = (one.id.type, comparable(one.paths[0].rpartition("/")[2].rpartition(".")[0]))
        twin = stems.setdefault(stem, one)
        if first is not one:
            message = f"two files declare {one.id}"
        elif twin is not one and comparable(twin.id.name) == comparable(one.id.name):
            first = twin
            message = f"{one.id} and {twin.id} differ only by case, and so do their files"
        else:
            continue
        yield Problem(
            "E421",
            message,
            position=Position(one.paths[0]),
            remedy="rename one of the files, or say another name with `name:` inside it",
            related=((Position(first.paths[0]), "the other one"),),
        )
