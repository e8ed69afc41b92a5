"""The throw-away cache: which bytes a file had, and which object those bytes say.

It lies in the user's cache folder, one file a repository, and can be removed at any time. A
damaged or foreign one is no cache at all; of two writers the later wins.

It has two halves. ``blobs`` maps a path with the stamp of the file system to the hash of the
file's bytes. ``objects`` maps those hashes to what they declare, under a key of everything else
that the answer depends on. A stamp is believed only if it is older than the look that saw it by
more than any file system's clock may be coarse: as in Git's index, a file may change twice within
one tick.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson
from msgspec import Struct

from envsync import __version__
from envsync.contract.assets import asset
from envsync.errors import Position, Problem, Severity
from envsync.project.files import SourceFile

_FORMAT = 1
_COARSEST_CLOCK_NS = 2_100_000_000
_SECTIONS = 6


class Known(Struct, frozen=True):
    """What a file with its overlay declares. ``problems`` are warnings."""

    name: str
    hash: str
    problems: tuple[Problem, ...] = ()


@dataclass(slots=True)
class Cache:
    """One repository's cache, for one key. ``looked_at`` is when this look began, in nanoseconds:
    before the first file's stamp was taken."""

    path: Path | None
    key: str
    looked_at: int = 0
    _trusted_before: int = 0
    _blobs: dict[str, list[Any]] = field(default_factory=dict)
    _objects: dict[str, list[Any]] = field(default_factory=dict)
    _others: dict[str, Any] = field(default_factory=dict)
    _new_blobs: dict[str, list[Any]] = field(default_factory=dict)
    _new_objects: dict[str, list[Any]] = field(default_factory=dict)
    _fresh: bool = False

    def again(self, looked_at: int) -> Cache:
        """What this look has left, for the next look of the same process: kept in memory only."""
        return Cache(
            None,
            self.key,
            looked_at,
            min(self.looked_at, looked_at) - _COARSEST_CLOCK_NS,
            self._new_blobs,
            self._new_objects,
        )

    def blob(self, file: SourceFile) -> str:
        """The hash of the file's bytes if its stamp is known and can be believed, or nothing."""
        entry = self._blobs.get(file.path)
        if entry is None:
            return ""
        stamp = file.stamp
        size, mtime, ctime, inode, blob = entry
        if (
            mtime == stamp.mtime_ns
            and size == stamp.size
            and ctime == stamp.ctime_ns
            and inode == stamp.inode
            and mtime < self._trusted_before
            and ctime < self._trusted_before
        ):
            self._new_blobs[file.path] = entry
            return str(blob)
        return ""

    def keep_blob(self, file: SourceFile, blob: str) -> None:
        stamp = file.stamp
        self._new_blobs[file.path] = [stamp.size, stamp.mtime_ns, stamp.ctime_ns, stamp.inode, blob]
        self._fresh = True

    def known(self, path: str, blob: str, overlay_blob: str) -> Known | None:
        """What is remembered of the file at ``path`` with these contents."""
        entry = self._objects.get(path)
        if entry is None or entry[0] != blob or entry[1] != overlay_blob:
            return None
        self._new_objects[path] = entry
        problems = tuple(_problem(said) for said in entry[4]) if entry[4] else ()
        return Known(entry[2], entry[3], problems)

    def keep(self, path: str, blob: str, overlay_blob: str, known: Known) -> None:
        said = [_said(problem) for problem in known.problems]
        self._new_objects[path] = [blob, overlay_blob, known.name, known.hash, said]
        self._fresh = True

    def write(self) -> None:
        """Keeps what this look has learnt. Failing to is no failure."""
        if self.path is None or not self._needs_writing():
            return
        sections = {self.key: self._new_objects, **self._others}
        kept = dict(list(sections.items())[:_SECTIONS])
        data = orjson.dumps(
            {
                "format": _FORMAT,
                "looked_at": self.looked_at,
                "blobs": self._new_blobs,
                "objects": kept,
            }
        )
        with suppress(OSError):
            _replace(self.path, sha256(data).hexdigest().encode() + b"\n" + data)

    def _needs_writing(self) -> bool:
        return (
            self._fresh
            or len(self._new_blobs) != len(self._blobs)
            or len(self._new_objects) != len(self._objects)
        )


def open_cache(root: Path, key: str, looked_at: int) -> Cache:
    """The cache of the repository at ``root`` for ``key``; an empty one if there is none.

    ``looked_at`` must be from before the first stamp was taken.
    """
    path = cache_path(root)
    cache = Cache(path, key, looked_at)
    with suppress(OSError, ValueError, TypeError, KeyError, IndexError, AttributeError):
        _fill(cache, path.read_bytes())
    return cache


def no_cache() -> Cache:
    """A cache that knows nothing and keeps nothing."""
    return Cache(None, "")


def cache_path(root: Path) -> Path:
    """Where the cache of the repository at ``root`` lies, on this machine and for this user."""
    import platformdirs

    name = sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:32]
    return Path(platformdirs.user_cache_dir("envsync", appauthor=False)) / "files" / f"{name}.json"


def cache_key(parts: Iterable[str]) -> str:
    """The digest of all that an object's answer depends on besides its own bytes: ``parts``, this
    version of envsync and its schemas."""
    hasher = sha256()
    for part in (__version__, *parts):
        hasher.update(part.encode("utf-8", "surrogateescape") + b"\0")
    for name in ("environment-manifest", "envsync"):
        hasher.update(asset(f"schemas/{name}.schema.json").read_bytes() + b"\0")
    return hasher.hexdigest()


def _fill(cache: Cache, raw: bytes) -> None:
    digest, _, data = raw.partition(b"\n")
    if sha256(data).hexdigest().encode() != digest:
        return
    said = orjson.loads(data)
    if said["format"] != _FORMAT:
        return
    # A cache from the future (the clock was set back) would make every stamp look old.
    looked_at = min(int(said["looked_at"]), cache.looked_at)
    blobs, sections = dict(said["blobs"]), dict(said["objects"])
    if any(len(entry) != 5 for entry in blobs.values()):
        return
    cache._objects = dict(sections.pop(cache.key, {}))  # noqa: SLF001 - its own module
    cache._blobs, cache._others = blobs, sections  # noqa: SLF001
    cache._trusted_before = looked_at - _COARSEST_CLOCK_NS  # noqa: SLF001


def _replace(path: Path, data: bytes) -> None:
    """Writes whole or not at all. Not synced to the disk: a torn file is no cache."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".cache-")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
        Path(temporary).replace(path)
    except OSError:
        with suppress(OSError):
            Path(temporary).unlink()
        raise


def _said(problem: Problem) -> list[Any]:
    return [
        problem.code,
        problem.message,
        _place(problem.position),
        problem.label,
        problem.remedy,
        [[_place(position), text] for position, text in problem.related],
        problem.private,
    ]


def _problem(said: list[Any]) -> Problem:
    code, message, position, label, remedy, related, private = said
    return Problem(
        code,
        message,
        severity=Severity.WARNING,
        position=_position(position),
        label=label,
        remedy=remedy,
        related=tuple(
            (found, text) for where, text in related if (found := _position(where)) is not None
        ),
        private=private,
    )


def _place(position: Position | None) -> list[Any] | None:
    if position is None:
        return None
    return [position.path, position.line, position.column, position.end_line, position.end_column]


def _position(said: list[Any] | None) -> Position | None:
    return None if said is None else Position(*said)
