"""The files of a repository that envsync reads: found, named, and complained about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct

from envsync.errors import Position, Problem, Severity
from envsync.project.config import CONFIG_NAME, Project, static_folder
from envsync.project.names import comparable, did_you_mean, path_pattern
from envsync.project.walking import Walker, shown

SUFFIXES = (".yaml", ".yml", ".json")
OBJECT_TYPES = ("manifest",)


class Stamp(NamedTuple):
    """What the file system says of a file: it changes whenever the file's bytes do, unless both
    changes fall into one tick of the file system's clock."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


class SourceFile(NamedTuple):
    """A file that says something. ``path`` is relative to the root, with ``/``.

    ``name`` is the file's stem; a ``name:`` inside the file may override it. ``type`` is the type
    of the object, or ``overlay`` or ``policy``.
    """

    path: str
    type: str
    name: str
    root: Path
    stamp: Stamp

    @property
    def absolute(self) -> Path:
        return self.root / self.path


class Scan(Struct, frozen=True):
    """One look at the repository. All tuples are in byte order of their paths.

    ``overlays`` maps a context to its overlays by the path of the file that each changes.
    """

    files: tuple[SourceFile, ...]
    overlays: Mapping[str, Mapping[str, SourceFile]]
    policies: tuple[SourceFile, ...]
    problems: tuple[Problem, ...]

    def overlay(self, context_name: str, file: SourceFile) -> SourceFile | None:
        """The file that changes ``file`` in the context, if there is one."""
        return self.overlays.get(context_name, _NONE).get(file.path)


_NONE: Mapping[str, SourceFile] = MappingProxyType({})


def find(project: Project) -> tuple[SourceFile, ...]:
    """The files that declare objects, in byte order of their paths.

    What is wrong with the others (and with overlays and policies) is told by ``scan``.
    """
    return scan(project).files


def scan(project: Project) -> Scan:
    """Finds every file of the repository that says something. Reads folders, never contents."""
    walker = Walker(project.root)
    config = project.config
    policies = _sources(walker, config.globs["policy"], "policy", (".json",))
    taken = {CONFIG_NAME, *(file.path for file in policies)}
    files = [
        file
        for type_ in OBJECT_TYPES
        for file in _sources(walker, config.globs[type_], type_, SUFFIXES)
        if file.path not in taken and not file.path.startswith(f"{config.overlays}/")
    ]
    files.sort(key=lambda file: file.path.encode())
    problems = list(_same_paths(files))
    overlays, overlay_problems = _overlays(walker, project, files)
    problems += overlay_problems
    problems += _not_read(walker, project)
    if not files and not walker.problems:
        problems.append(_nothing_found(project))
    return Scan(
        tuple(files),
        overlays,
        tuple(sorted(policies, key=lambda file: file.path.encode())),
        (*walker.problems, *problems),
    )


def says_something(project: Project, path: str) -> bool:
    """Whether a file at ``path`` would be one of the repository's envsync files, there or not."""
    config = project.config
    if path == CONFIG_NAME:
        return True
    if path.startswith(f"{config.overlays}/"):
        return path.endswith(SUFFIXES)
    return any(
        path.endswith(SUFFIXES) and path_pattern(glob).fullmatch(path)
        for globs in config.globs.values()
        for glob in globs
    )


def stem(path: str) -> str:
    """The file's name without its folder and its suffix."""
    return path.rpartition("/")[2].rpartition(".")[0]


def _sources(
    walker: Walker, globs: Iterable[str], type_: str, suffixes: tuple[str, ...]
) -> list[SourceFile]:
    found: dict[str, SourceFile] = {}
    for glob in globs:
        for path, status in walker.matching(glob, suffixes):
            if path not in found:
                stamp = Stamp(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
                found[path] = SourceFile(path, type_, stem(path), walker.root, stamp)
    return list(found.values())


def _same_paths(files: Iterable[SourceFile]) -> Iterator[Problem]:
    """Two paths that some file system takes for one."""
    seen: dict[str, SourceFile] = {}
    for file in files:
        first = seen.setdefault(comparable(file.path), file)
        if first is not file:
            yield Problem(
                "E421",
                f"{shown(first.path)} and {shown(file.path)} are one file on many systems",
                position=Position(file.path),
                remedy="rename one of them; where two names differ only by case, say the name "
                "with `name:` inside the file",
                related=((Position(first.path), "the other one"),),
            )


def _overlays(
    walker: Walker, project: Project, files: list[SourceFile]
) -> tuple[Mapping[str, Mapping[str, SourceFile]], list[Problem]]:
    folder = project.config.overlays
    bases = {file.path.rpartition(".")[0]: file for file in files}
    by_context: dict[str, dict[str, SourceFile]] = {}
    problems: list[Problem] = []
    found = _sources(walker, (f"{folder}/**/*",), "overlay", SUFFIXES)
    unknown: set[str] = set()
    for file in sorted(found, key=lambda file: file.path.encode()):
        context, _, inner = file.path.removeprefix(f"{folder}/").partition("/")
        if not inner:
            problems.append(_stray_overlay(file, folder))
            continue
        if context not in project.config.contexts:
            if context not in unknown:
                unknown.add(context)
                problems.append(_unknown_context(project, f"{folder}/{context}", context))
            continue
        base = bases.get(inner.rpartition(".")[0])
        if base is None:
            problems.append(_no_base(file, inner, bases.values()))
            continue
        first = by_context.setdefault(context, {}).setdefault(base.path, file)
        if first is not file:
            problems.append(_two_overlays(first, file, base))
    return by_context, problems


def _stray_overlay(file: SourceFile, folder: str) -> Problem:
    return Problem(
        "E424",
        f"{shown(file.path)} lies in no context's folder",
        position=Position(file.path),
        remedy=f"move it to {folder}/<context>/, at the same path as the file that it changes",
    )


def _unknown_context(project: Project, folder: str, context: str) -> Problem:
    contexts = project.config.contexts
    return Problem(
        "E425",
        f"the folder {shown(folder)} belongs to no context: envsync.yaml has no `{context}`",
        position=Position(folder),
        remedy=did_you_mean(context, contexts) or f"name it after one of: {', '.join(contexts)}",
    )


def _no_base(file: SourceFile, inner: str, bases: Iterable[SourceFile]) -> Problem:
    meant = did_you_mean(inner, [base.path for base in bases])
    return Problem(
        "E424",
        f"an overlay without a base: there is no {shown(inner)} for it to change",
        position=Position(file.path),
        remedy=meant or "give it the same path as the file that it changes, or remove it",
    )


def _two_overlays(first: SourceFile, second: SourceFile, base: SourceFile) -> Problem:
    return Problem(
        "E424",
        f"two overlays change {shown(base.path)} in one context",
        position=Position(second.path),
        remedy="merge them into one file",
        related=((Position(first.path), "the other one"),),
    )


def _not_read(walker: Walker, project: Project) -> Iterator[Problem]:
    """Files that look as if somebody expected them to be read."""
    globs = project.config.globs["manifest"]
    homes = {static_folder(glob) for glob in globs if glob == f"{static_folder(glob)}/*"}
    for inner in walker.folders:
        folder = inner.rpartition("/")[0]
        if folder not in homes:
            continue
        for path in walker.below(inner, SUFFIXES):
            if not any(path_pattern(glob).fullmatch(path) for glob in globs):
                yield Problem(
                    "W428",
                    f"{shown(path)} is not read: it lies below {shown(folder)}/, not in it",
                    severity=Severity.WARNING,
                    position=Position(path),
                    remedy=f"move it to {folder}/, or add its folder to `files.manifests` in "
                    f"{CONFIG_NAME}",
                )
    for path in walker.nearly:
        yield Problem(
            "W428",
            f"{shown(path)} is not read: only names that end in .yaml, .yml or .json are",
            severity=Severity.WARNING,
            position=Position(path),
            remedy="write the ending in lower case",
        )


def _nothing_found(project: Project) -> Problem:
    globs = ", ".join(project.config.globs["manifest"])
    pointer = ("files", "manifests")
    files = project.config_document.data.get("files")
    named = isinstance(files, dict) and "manifests" in files
    return Problem(
        "W429",
        f"no file matches {globs}",
        severity=Severity.WARNING,
        position=project.config_document.position(pointer) if named else Position(CONFIG_NAME),
        remedy="write a manifest at manifests/<name>.yaml, or set `files.manifests`",
    )
