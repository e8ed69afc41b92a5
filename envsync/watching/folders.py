"""Which folders to watch: every one whose entries can change what the files say, or what Git says.

Only folders are watched, never single files: an editor that saves by renaming would leave the
watch on a file that is gone. And only these few, one by one: a repository may hold a great deal
that says nothing here.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

from envsync.project.config import CONFIG_NAME, Project
from envsync.project.files import SUFFIXES
from envsync.project.git import git_folder

_DEEPEST: Final = 32
_GIT_FILES: Final = frozenset({"HEAD", "packed-refs", "reftable"})


class Folders(Struct, frozen=True):
    """``names`` maps each folder to the entries that matter in it; ``None`` for all of them.
    ``inodes`` are the folders' own: a folder that was made again is another one. ``anchor`` is the
    folder that all others hang on; it may be missing."""

    names: Mapping[str, frozenset[str] | None]
    inodes: Mapping[str, tuple[int, int]]
    anchor: str = ""

    @property
    def is_loose(self) -> bool:
        """Whether the anchor came, went, or is another folder by now."""
        return inode(self.anchor) != self.inodes.get(self.anchor)

    def concerns(self, path: str) -> bool:
        """Whether a change of ``path`` is a reason to look. Our own filter: whatever lies above
        the repository, and whatever the repository lies in, has no say in it."""
        folder, _, name = path.rpartition("/")
        wanted = self.names.get(folder, frozenset())
        if wanted is None:
            return not _is_passing(name)
        return name in wanted or path in self.names


NOWHERE: Final = Folders({}, {})


def _is_passing(name: str) -> bool:
    """Whether it is an editor's or Git's own file that nobody else reads."""
    return name.startswith(".") or name.endswith(("~", ".lock", ".swp", ".tmp"))


def folders(root: Path, project: Project | None, *, files: bool = True) -> Folders:
    """The folders around ``root`` as they are now.

    ``project`` is ``None`` while envsync.yaml is missing or wrong: then only it is waited for.
    ``files`` may be turned off where nothing but commits counts. Nothing is raised: what is not
    there, or can't be read, is watched from above.
    """
    wanted: dict[str, frozenset[str] | None] = {}
    if files:
        _add(wanted, root.as_posix(), {CONFIG_NAME})
        if project is not None:
            for path, every in _content(root, project):
                _add(wanted, path, every)
    for path, every in _git(root):
        _add(wanted, path, every)
    inodes = {path: found for path in wanted if (found := inode(path)) is not None}
    anchor = (root if files else git_folder(root) or root).as_posix()
    return Folders({path: wanted[path] for path in inodes}, inodes, anchor)


def git_stamp(root: Path) -> tuple[tuple[str, int], ...]:
    """Changes whenever HEAD, a branch or the index does, told from the folders' times alone."""
    found = []
    for path, _ in _git(root):
        try:
            found.append((path, os.stat(path).st_mtime_ns))  # noqa: PTH116
        except OSError:
            found.append((path, 0))
    return tuple(sorted(found))


def inode(path: str) -> tuple[int, int] | None:
    """Which folder ``path`` is, or ``None`` when it is none."""
    try:
        status = os.stat(path)  # noqa: PTH116 - a path per second, for ever
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISDIR(status.st_mode) else None


def _add(wanted: dict[str, frozenset[str] | None], path: str, names: Iterable[str] | None) -> None:
    before = wanted.get(path, frozenset())
    wanted[path] = None if before is None or names is None else before | frozenset(names)


Wanted = tuple[str, frozenset[str] | None]


def _content(root: Path, project: Project) -> Iterator[Wanted]:
    """The folders of manifests, overlays and policies, those on the way to them, and those that
    links lead to."""
    config = project.config
    globs = [glob for each in config.globs.values() for glob in each]
    for glob in (*globs, f"{config.overlays}/**/*"):
        parts = glob.split("/")
        fixed = 0
        while fixed < len(parts) - 1 and not any(sign in parts[fixed] for sign in "*?"):
            fixed += 1
        above = root.as_posix()
        for part in parts[:fixed]:
            yield above, frozenset({part})
            above = f"{above}/{part}"
        deep = len(parts) - 1 - fixed
        yield from _below(above, _DEEPEST if "**" in parts else deep, ())


def _below(folder: str, deeper: int, inside: tuple[str, ...]) -> Iterator[Wanted]:
    """``folder`` and what is below it, ``deeper`` levels down. ``inside`` are the real paths on the
    way, so that no link leads in a circle."""
    real = os.path.realpath(folder)
    if real in inside or len(inside) > _DEEPEST:
        return
    yield folder, None
    try:
        with os.scandir(folder) as entries:
            found = [(entry.name, f"{folder}/{entry.name}", entry.is_symlink(), _is_folder(entry))
                     for entry in entries]  # fmt: skip
    except OSError:
        return
    for name, path, linked, is_folder in found:
        if is_folder:
            if deeper > 0 and not name.startswith("."):
                yield from _below(path, deeper - 1, (*inside, real))
        elif linked and name.endswith(SUFFIXES):
            target = Path(os.path.realpath(path))
            yield target.parent.as_posix(), frozenset({target.name})


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _git(root: Path) -> Iterator[Wanted]:
    """Where Git keeps HEAD and the branches: a commit, a checkout or a fetch shows there."""
    shared = git_folder(root)
    if shared is None:
        return
    for folder in {shared.as_posix(), (own_git_folder(root) or shared).as_posix()}:
        yield folder, _GIT_FILES
        yield from _below(f"{folder}/refs", _DEEPEST, ())
        yield from _below(f"{folder}/reftable", 0, ())


def own_git_folder(root: Path) -> Path | None:
    """The Git folder of this working tree alone, where its HEAD and its index are."""
    for parent in (root, *root.parents):
        dot_git = parent / ".git"
        if dot_git.is_dir():
            return dot_git
        if dot_git.is_file():
            try:
                text = dot_git.read_text(encoding="utf-8").strip()
            except (OSError, UnicodeDecodeError):
                return None
            folder = (dot_git.parent / text.removeprefix("gitdir:").strip()).resolve()
            return folder if folder.is_dir() else None
    return None


def git_is_busy(root: Path) -> bool:
    """Whether Git is just changing the working tree: a checkout holds the lock of the index."""
    folder = own_git_folder(root)
    return folder is not None and (folder / "index.lock").exists()
