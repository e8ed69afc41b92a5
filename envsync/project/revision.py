"""The envsync files as a Git revision holds them, laid out in a folder of their own."""

from __future__ import annotations

import io
import os
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from envsync.errors import EnvsyncError, UsageError
from envsync.project.config import CONFIG_NAME, Project
from envsync.project.git import envsync_paths, run_git


class Revision(Struct, frozen=True):
    """``name`` as a person wrote it, the full ``commit`` it stands for, and where its files lie.
    ``folder`` has no envsync.yaml when the revision has none."""

    name: str
    commit: str
    folder: Path


@contextmanager
def at_revision(project: Project, name: str) -> Iterator[Revision]:
    """The files of ``name`` (a branch, tag or commit) in a temporary folder.

    Raises ``UsageError`` when Git knows no such commit, and ``EnvsyncError`` outside a clone.
    """
    commit = _commit(project, name)
    present = _present(project, commit)
    with tempfile.TemporaryDirectory(prefix="envsync-revision-") as folder:
        if present:
            archive = run_git(project.home, "archive", "--format=tar", commit, "--", *present)
            with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
                tar.extractall(folder, filter="data")
        yield Revision(name, commit, Path(folder))


def _commit(project: Project, name: str) -> str:
    try:
        found = run_git(
            project.home, "rev-parse", "--verify", "--quiet", "--end-of-options",
            f"{name}^{{commit}}",
        )  # fmt: skip
    except FileNotFoundError:
        raise EnvsyncError(
            "E441",
            "comparing with a Git revision needs Git, which is not installed",
            remedy="install Git, or compare with a server: envsync plan",
        ) from None
    except EnvsyncError:
        raise UsageError(
            "E442",
            f"Git knows no commit `{name}` here",
            remedy="fetch it first, or name another: envsync plan --offline origin/main",
        ) from None
    return os.fsdecode(found).strip()


def _present(project: Project, commit: str) -> list[str]:
    """The folders and files that the revision has, of those that can say something."""
    listed = run_git(project.home, "ls-tree", "-r", "-z", "--name-only", commit)
    paths = [os.fsdecode(raw) for raw in listed.split(b"\0") if raw]
    wanted = envsync_paths(project)
    return [
        top
        for top in wanted
        if top in (".", CONFIG_NAME) or any(path.startswith(f"{top}/") for path in paths)
        if top != CONFIG_NAME or CONFIG_NAME in paths
    ]
