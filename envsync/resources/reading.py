"""What the files of a repository declare in one of its contexts."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from envsync.contract.json_types import Pointer
from envsync.errors import FileError, Position, Problem
from envsync.project.config import Project
from envsync.project.files import Scan, SourceFile, scan
from envsync.resources.look import Clean, Declarations, Look
from envsync.resources.memory import Memory
from envsync.resources.resource import Desired, ObjectId
from envsync.resources.rules import Lint
from envsync.resources.sources import Source, read_bytes, read_source, source_of

__all__ = ["Clean", "Declarations", "Lint", "Source", "declare", "load", "position_of", "sources"]


def declare(
    project: Project,
    context_name: str,
    *,
    cache: bool = True,
    lint: Lint | None = None,
    memory: Memory | None = None,
    clean: Clean | None = None,
) -> Declarations:
    """Reads and judges every file of the context. Writes nothing but the throw-away cache.

    ``lint`` adds what a valid object may still do wrong (``linting.lint``). ``memory`` is what an
    earlier look has left, and is left by this one. ``clean`` is handed from context to context of
    one look, so that a file without an overlay is read once. Nothing is raised for what files
    say: that is in ``problems``.
    """
    look = Look(project, context_name, cache=cache, lint=lint, memory=memory, clean=clean)
    return look.declarations()


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
    look = Look(project, context_name, cache=False, lint=lint, found=found)
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
