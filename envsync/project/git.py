"""What Git says of the repository, asked of the real ``git`` program.

Everything works without Git too: a folder that is no working tree has no state here.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from envsync.errors import EnvsyncError
from envsync.project.config import CONFIG_NAME, Project, static_folder
from envsync.project.files import says_something

_TIMEOUT_SECONDS = 30


class GitState(Struct, frozen=True):
    """``folder`` is the Git folder that all working trees of this clone share.

    ``commit`` is the full id of HEAD, empty before the first commit. ``branch`` is empty where
    HEAD is detached. ``uncommitted`` are the envsync files (relative to the project's root, in
    byte order) that HEAD does not hold as they are now: edited, staged, new, ignored or deleted.
    """

    top: Path
    folder: Path
    commit: str
    branch: str
    uncommitted: tuple[str, ...]

    @property
    def short_commit(self) -> str:
        return self.commit[:7]


def state(project: Project) -> GitState | None:
    """Git's view of the repository; ``None`` outside a working tree or where there is no Git.

    Raises ``EnvsyncError`` when there is a working tree and Git refuses to read it, or takes too
    long. Nothing is written, not even Git's index.
    """
    if not _inside_working_tree(project.root):
        return None
    try:
        places = run_git(
            project.root,
            "rev-parse",
            "--path-format=absolute",
            "--show-toplevel",
            "--git-common-dir",
            "--show-prefix",
        )
    except FileNotFoundError:
        return None
    top, folder, prefix = os.fsdecode(places).split("\n")[:3]
    commit, branch, changed = _status(project, prefix)
    return GitState(Path(top), Path(folder), commit, branch, changed)


def git_folder(root: Path) -> Path | None:
    """The Git folder that all working trees of the clone around ``root`` share, told from the
    files alone; ``None`` outside a working tree."""
    for parent in (root, *root.parents):
        dot_git = parent / ".git"
        if dot_git.is_dir():
            return dot_git
        if dot_git.is_file():
            return _linked_folder(dot_git)
    return None


def _linked_folder(dot_git: Path) -> Path | None:
    """A ``.git`` file leads to the working tree's own folder, that to the shared one."""
    try:
        text = dot_git.read_text(encoding="utf-8").strip()
        folder = dot_git.parent / text.removeprefix("gitdir:").strip()
        shared = folder / "commondir"
        if shared.is_file():
            folder = folder / shared.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None
    resolved = folder.resolve()
    return resolved if resolved.is_dir() else None


def _inside_working_tree(root: Path) -> bool:
    return any((folder / ".git").exists() for folder in (root, *root.parents))


def status_lines(project: Project) -> list[str]:
    """What ``git status --porcelain=v2 -z`` says of the envsync files: the head's two lines, which
    start with ``#``, then a line a file. Writes nothing, not even Git's index."""
    output = run_git(
        project.root,
        "status",
        "--porcelain=v2",
        "--branch",
        "-z",
        "--no-renames",
        "--no-ahead-behind",
        "--untracked-files=all",
        "--ignored=traditional",
        "--ignore-submodules=all",
        "--",
        *_pathspecs(project),
    )
    return [os.fsdecode(raw) for raw in output.split(b"\0") if raw]


def _status(project: Project, prefix: str) -> tuple[str, str, tuple[str, ...]]:
    """HEAD's commit, its branch, and the uncommitted envsync files."""
    commit = branch = ""
    changed = set()
    for line in status_lines(project):
        if line.startswith("# branch.oid "):
            commit = line.removeprefix("# branch.oid ")
        elif line.startswith("# branch.head "):
            branch = line.removeprefix("# branch.head ")
        elif not line.startswith("#"):
            path = _path_of(line)
            if path.startswith(prefix) and says_something(project, path[len(prefix) :]):
                changed.add(path[len(prefix) :])
    return (
        "" if commit == "(initial)" else commit,
        "" if branch == "(detached)" else branch,
        tuple(sorted(changed, key=os.fsencode)),
    )


def _path_of(line: str) -> str:
    """The path in one entry of ``git status --porcelain=v2 -z``."""
    fields = {"1": 8, "u": 10, "?": 1, "!": 1}.get(line[0], 1)
    return line.split(" ", fields)[-1]


def _pathspecs(project: Project) -> list[str]:
    return [f":(literal){path}" for path in envsync_paths(project)]


def envsync_paths(project: Project) -> list[str]:
    """The folders that can hold envsync files, and envsync.yaml, so that Git looks at nothing
    else."""
    globs = [glob for globs in project.config.globs.values() for glob in globs]
    folders = {static_folder(glob) or "." for glob in globs} | {project.config.overlays}
    return sorted({CONFIG_NAME, *folders})


def run_git(
    root: Path, *arguments: str, given: bytes | None = None, index: Path | None = None
) -> bytes:
    """The output of a ``git`` command that only reads.

    ``given`` is what it reads from its standard input, ``index`` the index that it works with in
    the place of the repository's own. Raises ``FileNotFoundError`` where there is no Git,
    ``EnvsyncError`` when the command fails.
    """
    command = ["git", "-c", "core.fsmonitor=false", *arguments]
    environment = clean_environment(os.environ)
    if index is not None:
        environment["GIT_INDEX_FILE"] = str(index)
    try:
        done = subprocess.run(  # noqa: S603 - a fixed program, and no shell
            command,
            cwd=root,
            env=environment,
            input=given or b"",
            capture_output=True,
            timeout=_TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise EnvsyncError(
            "E440",
            f"git did not answer within {_TIMEOUT_SECONDS} seconds",
            remedy=f"see what keeps it, in {root}: git {' '.join(arguments[:1])}",
        ) from None
    except PermissionError:
        raise FileNotFoundError("git") from None
    if done.returncode != 0:
        first = done.stderr.decode("utf-8", "replace").strip().splitlines()[:1]
        raise EnvsyncError(
            "E440",
            f"git cannot read this repository: {first[0] if first else 'it gave no reason'}",
            remedy=f"run in {root}: git status",
        )
    return done.stdout


def clean_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment that ``git`` gets: none of its own variables, which would point it to
    another repository or index (inside a hook they do), and no translated output."""
    kept = {name: value for name, value in environ.items() if not name.startswith("GIT_")}
    return kept | {
        "LC_ALL": "C",
        "LANGUAGE": "",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
    }
