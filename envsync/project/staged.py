"""The envsync files as the index holds them: what the next commit would say."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from envsync.errors import EnvsyncError
from envsync.project.clone import conflicted
from envsync.project.config import CONFIG_NAME, Project, load
from envsync.project.git import envsync_paths, run_git

_MOST_LINKS = 8
"""A link to a link to a link: where longer chains end doesn't matter, some systems refuse them."""


class Staged:
    """What is staged, in a temporary ``folder``: only envsync.yaml until ``project`` is asked."""

    def __init__(self, root: Path, folder: Path, files: _Files) -> None:
        self.root = root
        self.folder = folder
        self._files = files

    def project(self) -> Project:
        """The repository as it is staged, its envsync files laid out.

        Raises ``FileError`` for a staged envsync.yaml that cannot be used.
        """
        project = load(self.folder, home=self.root)
        self._files.lay_out(envsync_paths(project))
        return project


@contextmanager
def at_index(root: Path, environ: Mapping[str, str]) -> Iterator[Staged | None]:
    """What is staged; ``None`` where that has no envsync.yaml.

    ``root`` is the folder of envsync.yaml in the working tree. Inside a Git hook ``environ`` names
    the index of the commit that is being made, which ``git commit FILE`` and ``git commit -a`` keep
    apart from the clone's own. Files of the working tree and the index stay as they are. Raises
    ``EnvsyncError`` outside a clone and for an index with conflicts.
    """
    with tempfile.TemporaryDirectory(prefix="envsync-staged-") as given:
        folder = Path(given)
        try:
            prefix = _prefix(root)
            tree = _tree(root, folder, environ)
        except FileNotFoundError:
            raise EnvsyncError(
                "E460",
                "what is staged is told by Git, and there is no Git here",
                remedy="install Git, or check the files as they are: envsync validate",
            ) from None
        laid_out = folder / "tree" / prefix
        files = _Files(root, folder, tree, laid_out)
        files.lay_out([CONFIG_NAME])
        yield Staged(root, laid_out, files) if (laid_out / CONFIG_NAME).is_file() else None


def _prefix(root: Path) -> str:
    """Where ``root`` lies in its working tree, with ``/`` at the end unless that is its top."""
    try:
        return os.fsdecode(run_git(root, "rev-parse", "--show-prefix")).rstrip("\n")
    except EnvsyncError as error:
        raise EnvsyncError(
            "E460",
            f"nothing can be staged in {root}: {error.message}",
            remedy="go to a clone, or check the files as they are: envsync validate",
        ) from None


def _tree(root: Path, folder: Path, environ: Mapping[str, str]) -> str:
    """The id of the tree that a commit of the index would have.

    Made from a copy, so that no lock is taken and nothing is refreshed. What ``git add -N``
    announced is not in it: no commit would hold it.
    """
    copy = folder / "index"
    index = _index(root, environ)
    if index.is_file():
        shutil.copyfile(index, copy)
    conflicts = run_git(root, "ls-files", "--unmerged", "-z", "--full-name", ":/", index=copy)
    if conflicts:
        path = os.fsdecode(conflicts.split(b"\0")[0].partition(b"\t")[2])
        raise conflicted(path)
    return os.fsdecode(run_git(root, "write-tree", "--missing-ok", index=copy)).strip()


def _index(root: Path, environ: Mapping[str, str]) -> Path:
    """The index that a hook was told of, or else the working tree's own."""
    said = environ.get("GIT_INDEX_FILE", "")
    own = os.fsdecode(run_git(root, "rev-parse", "--path-format=absolute", "--git-path", "index"))
    if not said:
        return Path(own.rstrip("\n"))
    # Git gives it relative to the folder that it starts the hook in.
    return Path.cwd() / said


class _Files:
    """Lays files of a tree out, as a checkout would write them."""

    def __init__(self, root: Path, folder: Path, tree: str, laid_out: Path) -> None:
        self._root = root
        self._top = folder / "tree"
        self._laid_out = laid_out
        self._index = folder / "checkout"
        run_git(root, "-c", "core.sparseCheckout=false", "read-tree", tree, index=self._index)
        listed = run_git(root, "ls-files", "-z", index=self._index)
        self._known = frozenset(os.fsdecode(raw) for raw in listed.split(b"\0") if raw)

    def lay_out(self, paths: list[str]) -> None:
        """The files at or below ``paths`` (relative to the root), and what links among them lead
        to."""
        wanted = {
            known
            for known in self._known
            if any(path in (".", known) or known.startswith(f"{path}/") for path in paths)
        }
        for _ in range(_MOST_LINKS):
            if not wanted:
                return
            self._check_out(wanted)
            wanted = self._link_targets(wanted)

    def _check_out(self, paths: set[str]) -> None:
        given = b"".join(os.fsencode(path) + b"\0" for path in sorted(paths))
        into = f"--prefix={self._top}/"
        run_git(
            self._root, "checkout-index", "-q", "-f", "-z", "--stdin", into,
            given=given, index=self._index,
        )  # fmt: skip

    def _link_targets(self, paths: set[str]) -> set[str]:
        found = set()
        for path in paths:
            link = self._laid_out / path
            if link.is_symlink():
                led = os.path.normpath(f"{Path(path).parent.as_posix()}/{link.readlink()}")
                led = led.replace(os.sep, "/")
                found |= {each for each in self._known if each == led or each.startswith(f"{led}/")}
        return found
