"""Walking through a repository's folders: globs, symlinks, and names that no one can read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from envsync.errors import Position, Problem
from envsync.project.names import segment_pattern

_DEEPEST = 32


def shown(path: str) -> str:
    """``path`` as text that can be printed, also where its bytes are not UTF-8."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return os.fsencode(path).decode("utf-8", "backslashreplace")
    return path


class Walker:
    """Finds files below ``root`` and collects a problem for each one that can't be read.

    Every path it gives is relative, with ``/``. A symlink is followed while it stays inside the
    repository. ``nearly`` collects names that only their ending's case keeps from being read,
    ``folders`` those that stand among the files.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.nearly: list[str] = []
        self.folders: list[str] = []
        self._problems: dict[tuple[str, str], Problem] = {}
        self._real_root = os.path.realpath(root)

    @property
    def problems(self) -> tuple[Problem, ...]:
        return tuple(self._problems.values())

    def matching(
        self, glob: str, suffixes: tuple[str, ...]
    ) -> Iterator[tuple[str, os.stat_result]]:
        """The regular files that match ``glob`` and end in one of ``suffixes``."""
        segments = glob.split("/")
        if segments[-1] == "**":
            segments.append("*")
        yield from self._descend("", segments, suffixes, ())

    def below(self, folder: str, suffixes: tuple[str, ...]) -> Iterator[str]:
        """The files in ``folder`` and below it; nothing that is met there is a problem."""
        for parent, folders, names in os.walk(self.root / folder):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            relative = Path(parent).relative_to(self.root).as_posix()
            for name in sorted(names):
                if name.endswith(suffixes) and not name.startswith("."):
                    yield shown(f"{relative}/{name}")

    def _descend(
        self,
        folder: str,
        segments: list[str],
        suffixes: tuple[str, ...],
        inside: tuple[str, ...],
    ) -> Iterator[tuple[str, os.stat_result]]:
        """``inside`` holds the real paths of the folders passed through: no link leads in a
        circle."""
        segment, rest = segments[0], segments[1:]
        if segment == "**":
            yield from self._descend(folder, rest, suffixes, inside)
            for entry in self._entries(folder):
                if not entry.name.startswith(".") and self._is_folder(entry, folder):
                    path = _join(folder, entry.name)
                    real = os.path.realpath(entry.path)
                    if real not in inside and len(inside) < _DEEPEST:
                        yield from self._descend(path, segments, suffixes, (*inside, real))
            return
        if not rest:
            yield from self._files(folder, segment, suffixes)
            return
        if "*" not in segment and "?" not in segment:
            path = _join(folder, segment)
            if self._stays_inside(path):
                yield from self._descend(path, rest, suffixes, inside)
            return
        pattern = segment_pattern(segment)
        for entry in self._entries(folder):
            if pattern.fullmatch(entry.name) and self._is_folder(entry, folder):
                yield from self._descend(_join(folder, entry.name), rest, suffixes, inside)

    def _files(
        self, folder: str, segment: str, suffixes: tuple[str, ...]
    ) -> Iterator[tuple[str, os.stat_result]]:
        pattern = segment_pattern(segment)
        prefix = f"{folder}/" if folder else ""
        everything = segment == "*"
        for entry in self._entries(folder):
            name = entry.name
            if not name.endswith(suffixes):
                if name.lower().endswith(suffixes) and pattern.fullmatch(name):
                    self.nearly.append(shown(prefix + name))
                elif name[0] != "." and entry.is_dir(follow_symlinks=False):
                    self.folders.append(prefix + name)
                continue
            if name[0] == "." if everything else not pattern.fullmatch(name):
                continue
            status = self._status(entry, prefix + name)
            if status is not None:
                yield prefix + name, status

    def _status(self, entry: os.DirEntry[str], path: str) -> os.stat_result | None:
        """What the file system says of a regular file; a problem and ``None`` for others."""
        if not path.isascii() and shown(path) != path:
            self._complain(
                "E422",
                path,
                f"the name of {shown(path)} is not UTF-8",
                "rename the file: names of objects are letters, digits, `.`, `_` and `-`",
            )
            return None
        if entry.is_symlink() and not self._stays_inside(path):
            return None
        try:
            status = entry.stat()
        except OSError as error:
            self._unreadable(path, error)
            return None
        if not stat.S_ISREG(status.st_mode):
            if not stat.S_ISDIR(status.st_mode):
                self._complain(
                    "E426",
                    path,
                    f"{path} is not a regular file",
                    "replace it by a file, or give it a name that is not read",
                )
            return None
        return status

    def _is_folder(self, entry: os.DirEntry[str], folder: str) -> bool:
        path = _join(folder, entry.name)
        try:
            return entry.is_dir() and (not entry.is_symlink() or self._stays_inside(path))
        except OSError as error:
            self._unreadable(path, error)
            return False

    def _stays_inside(self, path: str) -> bool:
        """Whether ``path``, its links followed, lies in the repository. Complains if not."""
        full = self.root / path
        if not os.path.lexists(full):
            return False
        real = os.path.realpath(full)
        if not full.exists():
            self._complain(
                "E423",
                path,
                f"{shown(path)} is a symlink that leads to nothing",
                "make what it points to, or remove it",
            )
            return False
        if real == self._real_root or real.startswith(self._real_root.rstrip(os.sep) + os.sep):
            return True
        self._complain(
            "E423",
            path,
            f"{shown(path)} is a symlink that leaves the repository",
            "copy the file into the repository: what lies outside is not reviewed with it",
        )
        return False

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(self.root / folder) as entries:
                return list(entries)
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            self._unreadable(folder, error)
            return []

    def _unreadable(self, path: str, error: OSError) -> None:
        reason = error.strerror or type(error).__name__
        self._complain(
            "E420", path, f"{shown(path)} cannot be read: {reason}", "check its permissions"
        )

    def _complain(self, code: str, path: str, message: str, remedy: str) -> None:
        position = Position(shown(path) or ".")
        self._problems[code, path] = Problem(code, message, position=position, remedy=remedy)


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
