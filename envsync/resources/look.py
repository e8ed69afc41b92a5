"""One look at all files of a repository, as one of its contexts sees them."""

from __future__ import annotations

from collections.abc import Iterator
from time import time_ns

from msgspec import Struct

from envsync.errors import FileError, Position, Problem
from envsync.project.config import CONFIG_NAME, Project
from envsync.project.files import Scan, SourceFile, scan
from envsync.project.names import comparable
from envsync.project.tree import blob_hash, tree_digest
from envsync.resources.cache import Cache, Known, cache_key, no_cache, open_cache
from envsync.resources.memory import Memory
from envsync.resources.policies import Policy, policy_of
from envsync.resources.resource import Declared, ObjectId
from envsync.resources.rules import Lint, Rules, place
from envsync.resources.sources import read_bytes, source_of
from envsync.resources.spreading import spread


class Declarations(Struct, frozen=True):
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


class Answer(Struct, frozen=True):
    """What one file with its overlay declares; ``known`` is ``None`` where it has errors, which
    ``problems`` then tells. ``blobs`` are the hashes of the files that were read for it, and
    ``whole`` are those whose size is still the one that was seen when they were found."""

    blobs: dict[str, str]
    known: Known | None
    errors: tuple[Problem, ...] = ()
    whole: tuple[str, ...] = ()

    @property
    def problems(self) -> tuple[Problem, ...]:
        return self.errors if self.known is None else self.known.problems


Clean = dict[tuple[str, str], Answer]
"""Files (with an overlay's path, or nothing) in which no context finds anything wrong."""


def _blobs(paths: tuple[str, str], blob: str, overlay_blob: str) -> dict[str, str]:
    return {paths[0]: blob, paths[1]: overlay_blob} if overlay_blob else {paths[0]: blob}


class Look:
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
        clean: Clean | None = None,
    ) -> None:
        self.project = project
        self.clean = clean
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
        for file, overlay, answer in self._answers():
            self.problems += answer.problems
            known = answer.known
            if known is None:
                continue
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

    def _answers(self) -> list[tuple[SourceFile, SourceFile | None, Answer]]:
        """What each file declares: from what is known, and from its bytes where nothing is."""
        pairs = [(file, self.found.overlay(self.context.name, file)) for file in self.found.files]
        answers = [self._remembered(*pair) for pair in pairs]
        unread = [pair for pair, answer in zip(pairs, answers, strict=True) if answer is None]
        read = iter(spread(unread, self._read))
        told = []
        for (file, overlay), remembered in zip(pairs, answers, strict=True):
            answer = remembered
            if answer is None:
                answer = next(read)
                self._keep(file, overlay, answer)
            self.blobs |= answer.blobs
            told.append((file, overlay, answer))
        return told

    def _remembered(self, file: SourceFile, overlay: SourceFile | None) -> Answer | None:
        """From an earlier context of the same look, or from the cache by the files' stamps."""
        paths = (file.path, "" if overlay is None else overlay.path)
        if self.clean is not None and paths in self.clean:
            return self.clean[paths]
        blob = self.cache.blob(file)
        overlay_blob = "" if overlay is None else self.cache.blob(overlay)
        if not blob or (overlay is not None and not overlay_blob):
            return None
        known = self.cache.known(file.path, blob, overlay_blob)
        return None if known is None else Answer(_blobs(paths, blob, overlay_blob), known)

    def _read(self, pair: tuple[SourceFile, SourceFile | None]) -> Answer:
        """From the bytes. Changes nothing here: it may run in a copy of this process."""
        file, overlay = pair
        blobs: dict[str, str] = {}
        whole: list[str] = []

        def read(one: SourceFile) -> bytes:
            data = read_bytes(one)
            blobs[one.path] = blob_hash(data)
            if len(data) == one.stamp.size:
                whole.append(one.path)
            return data

        try:
            data = read(file)
            overlay_data = None if overlay is None else read(overlay)
            overlay_blob = "" if overlay is None else blobs[overlay.path]
            known = self.cache.known(file.path, blobs[file.path], overlay_blob)
            if known is not None:
                return Answer(blobs, known, whole=tuple(whole))
            source = source_of(file, data, overlay, overlay_data)
        except FileError as error:
            return Answer(blobs, None, error.problems, tuple(whole))
        judged = self.rules.judge(source)
        if not judged.hash:
            return Answer(blobs, None, judged.problems, tuple(whole))
        known = Known(source.name, judged.hash, judged.problems)
        return Answer(blobs, known, whole=tuple(whole))

    def _keep(self, file: SourceFile, overlay: SourceFile | None, answer: Answer) -> None:
        """Remembers what was read: for the next run, and for the other contexts of this one."""
        for one in (file, overlay):
            if one is not None and one.path in answer.whole:
                self.cache.keep_blob(one, answer.blobs[one.path])
        if answer.known is None:
            return
        paths = (file.path, "" if overlay is None else overlay.path)
        blob, overlay_blob = answer.blobs[file.path], answer.blobs.get(paths[1], "")
        self.cache.keep(file.path, blob, overlay_blob, answer.known)
        if self.clean is not None and not answer.problems:
            # What our own server would refuse is an error or a warning by context; nothing is
            # the same in all of them.
            self.clean[paths] = answer

    def _content(self, file: SourceFile) -> None:
        """Tells the blob hash of a file that declares nothing in this context."""
        blob = self.cache.blob(file)
        if not blob:
            data = read_bytes(file)
            blob = blob_hash(data)
            if len(data) == file.stamp.size:
                self.cache.keep_blob(file, blob)
        self.blobs[file.path] = blob

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
