"""What Git says of a clone before something is committed in it, and why that can't be."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from envsync.errors import EnvsyncError, Position, RefusedError
from envsync.project.config import Project
from envsync.project.files import says_something
from envsync.project.git import run_git, status_lines
from envsync.project.git_program import act

_UNDER_WAY = (
    ("rebase-merge", "a rebase", "git rebase"),
    ("rebase-apply", "a rebase", "git rebase"),
    ("MERGE_HEAD", "a merge", "git merge"),
    ("CHERRY_PICK_HEAD", "a cherry-pick", "git cherry-pick"),
    ("REVERT_HEAD", "a revert", "git revert"),
)

_UNMERGED = frozenset({"DD", "AU", "UD", "UA", "DU", "AA", "UU"})


class Upstream(Struct, frozen=True):
    """The branch that the current one is pushed to: ``ref`` (``refs/heads/main``) of ``remote``."""

    remote: str
    ref: str

    def __str__(self) -> str:
        name = self.ref.removeprefix("refs/heads/")
        return name if self.remote == "." else f"{self.remote}/{name}"


class Touched(Struct, frozen=True):
    """An envsync file that Git's status speaks of. ``path`` is relative to the project's root;
    ``mark`` is Git's, of two letters: ``??`` for a file that it doesn't know yet."""

    path: str
    mark: str


class Clone(Struct, frozen=True):
    """``commit`` is the full id of HEAD, empty before the first commit. ``branch`` is empty where
    HEAD is detached. ``under_way`` says what Git is in the middle of, and the command for that."""

    commit: str
    branch: str
    under_way: tuple[str, str] | None
    upstream: Upstream | None
    touched: tuple[Touched, ...]


def look(project: Project) -> Clone:
    """What there is to commit, and whether it can be. Raises ``EnvsyncError`` outside a clone."""
    root = project.root
    try:
        places = os.fsdecode(run_git(root, "rev-parse", "--absolute-git-dir", "--show-prefix"))
    except FileNotFoundError:
        raise _no_git("Git is not installed", "install Git") from None
    except EnvsyncError as error:
        raise _no_git(error.message, f"make {root} a repository: git init") from None
    folder, prefix = places.split("\n")[:2]
    lines = _status(project)
    commit, branch = next(lines), next(lines)
    return Clone(
        commit,
        branch,
        _under_way(Path(folder)),
        _upstream(root, branch) if branch else None,
        tuple(sorted(_touched(project, prefix, lines), key=lambda each: os.fsencode(each.path))),
    )


def _no_git(why: str, remedy: str) -> EnvsyncError:
    return EnvsyncError(
        "E460",
        f"there is nothing to commit to: {why}",
        remedy=f"{remedy}\nor bring the server to what the files say: envsync apply",
    )


def _under_way(folder: Path) -> tuple[str, str] | None:
    for name, what, command in _UNDER_WAY:
        if (folder / name).exists():
            return what, command
    return None


def _upstream(root: Path, branch: str) -> Upstream | None:
    said = configuration(root)
    remote = said.get(f"branch.{branch}.remote", ("", ""))[0]
    ref = said.get(f"branch.{branch}.merge", ("", ""))[0]
    return Upstream(remote, ref) if remote and ref else None


def configuration(root: Path) -> Mapping[str, tuple[str, str]]:
    """Git's configuration as it is in effect: value and scope (``local``, ``global``) by key."""
    parts = os.fsdecode(run_git(root, "config", "--list", "--show-scope", "-z")).split("\0")
    pairs = zip(parts[0::2], parts[1::2], strict=False)
    found = {}
    for scope, entry in pairs:
        key, _, value = entry.partition("\n")
        found[key] = (value, scope)
    return found


def _status(project: Project) -> Iterator[str]:
    """HEAD's commit, its branch, then ``XY PATH`` for each file."""
    lines = status_lines(project)
    heads = {line.split(" ", 2)[1]: line.split(" ", 2)[2] for line in lines if line[0] == "#"}
    commit, branch = heads.get("branch.oid", ""), heads.get("branch.head", "")
    yield "" if commit == "(initial)" else commit
    yield "" if branch == "(detached)" else branch
    for line in lines:
        if line[0] in "?!":
            yield f"{line[0] * 2} {line[2:]}"
        elif line[0] in "1u":
            mark, path = line[2:4], line.split(" ", 8 if line[0] == "1" else 10)[-1]
            yield f"{mark} {path}"


def _touched(project: Project, prefix: str, lines: Iterator[str]) -> Iterator[Touched]:
    for line in lines:
        mark, path = line[:2], line[3:]
        if path.startswith(prefix) and says_something(project, path[len(prefix) :]):
            yield Touched(path[len(prefix) :], mark)


def require_committable(clone: Clone, *, pushes: bool) -> None:
    """Returns when a commit here would mean what it seems to. Raises ``RefusedError``."""
    if clone.under_way is not None:
        what, command = clone.under_way
        raise RefusedError(
            "E461",
            f"{what} is under way here: its commits are Git's to make",
            remedy=f"finish it ({command} --continue) or give it up ({command} --abort), then "
            "run this again",
        )
    if not clone.branch and (clone.touched or pushes):
        raise RefusedError(
            "E462",
            "HEAD is detached: a commit here would belong to no branch",
            remedy="go to a branch, which keeps what is edited: git switch main\n"
            "or make one here: git switch -c NAME",
        )
    if pushes and clone.upstream is None:
        raise RefusedError(
            "E463",
            f"the branch {clone.branch} has no upstream to push to",
            remedy=f"push it once: git push -u origin {clone.branch}\nor leave --push out",
        )
    for each in clone.touched:
        if each.mark in _UNMERGED:
            raise conflicted(each.path)
        if each.mark == "!!":
            raise RefusedError(
                "E464",
                f"Git ignores {each.path}: the commit would lack what the plan applies",
                position=Position(each.path),
                remedy=f"let Git know it: git add -f {each.path}\n"
                "or keep it where envsync does not read",
            )


def conflicted(path: str) -> RefusedError:
    return RefusedError(
        "E465",
        f"{path} is in conflict: a merge left it for somebody to decide",
        position=Position(path),
        remedy=f"write what it shall say, then: git add {path}",
    )


def require_identity(project: Project, environ: Mapping[str, str]) -> None:
    """Returns when Git knows who commits. Raises ``EnvsyncError``."""
    for who in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
        ran = act(project.root, environ, "var", who, plain=True)
        if ran.code != 0:
            raise EnvsyncError(
                "E466",
                f"Git does not know who commits: {ran.reason}",
                remedy='git config user.name "Your Name"\ngit config user.email you@team.example',
            )
