"""Committing exactly the repository's envsync files, and pushing that commit.

Git makes the commit, so that hooks, signing and identity are the person's. What else is staged
stays staged, and is not in the commit.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from envsync.errors import EnvsyncError, RefusedError
from envsync.project.clone import Clone, Upstream
from envsync.project.config import Project
from envsync.project.git import run_git
from envsync.project.git_program import Ran, act


class Pending(Struct, frozen=True):
    """What a commit would hold. ``files`` maps each path that would change against HEAD to the
    mode and blob that it would have there, or an empty text where it would be gone. ``paths`` are
    all that Git is told to commit; ``unknown`` those that it doesn't know yet."""

    files: Mapping[str, str]
    paths: tuple[str, ...]
    unknown: tuple[str, ...]


NOTHING = Pending({}, (), ())


def pending(project: Project, clone: Clone) -> Pending:
    """What a commit of the envsync files as they are now would change.

    Told from an index of its own, as Git would write the files (line ends, filters): a file whose
    bytes are those of HEAD again is no change, whatever is staged. Writes only objects that the
    commit needs as well.
    """
    if not clone.touched:
        return NOTHING
    paths = tuple(each.path for each in clone.touched)
    with tempfile.TemporaryDirectory(prefix="envsync-commit-") as folder:
        index = Path(folder) / "index"
        if clone.commit:
            run_git(project.root, "read-tree", clone.commit, index=index)
        before = _entries(project, paths, index) if clone.commit else {}
        run_git(
            project.root,
            "update-index",
            "--add",
            "--remove",
            "-z",
            "--stdin",
            given=_listed(paths),
            index=index,
        )
        after = _entries(project, paths, index)
    changed = {path: after.get(path, "") for path in paths if before.get(path) != after.get(path)}
    unknown = tuple(each.path for each in clone.touched if each.mark == "??")
    return Pending(changed, paths, unknown)


def _entries(project: Project, paths: Sequence[str], index: Path) -> dict[str, str]:
    """Mode and blob of each of ``paths`` that the index has."""
    wanted = set(paths)
    listed = run_git(project.root, "ls-files", "--stage", "-z", index=index)
    found = {}
    for raw in listed.split(b"\0"):
        entry, _, path = os.fsdecode(raw).partition("\t")
        if path in wanted:
            mode, blob, _ = entry.split(" ")
            found[path] = f"{mode} {blob}"
    return found


def commit(
    project: Project,
    found: Pending,
    message: str,
    trailers: Mapping[str, str],
    environ: Mapping[str, str],
) -> str:
    """Commits ``found`` and returns the new commit's full id.

    Raises ``EnvsyncError`` with Git's own words when Git, a hook or the signing refuses; index and
    files are then as they were.
    """
    root = project.root
    if found.unknown:
        # Git commits only files that it knows; this announces them without their content.
        ran = act(
            root, environ, "add", "--intent-to-add", *_FROM_STDIN, given=_specs(found.unknown)
        )
        if ran.code != 0:
            raise _refused(ran)
    added = [f"--trailer={name}: {value}" for name, value in trailers.items()]
    command = ["commit", "--quiet", f"--message={message}", *added, "--only", *_FROM_STDIN]
    committed = False
    try:
        ran = act(root, environ, *command, given=_specs(found.paths))
        committed = ran.code == 0
    finally:
        if found.unknown and not committed:
            _forget(project, found.unknown, environ)
    if not committed:
        raise _refused(ran)
    return head(project)


def settle(project: Project, found: Pending, environ: Mapping[str, str]) -> None:
    """Where there is nothing to commit, lets the index say of the envsync files what HEAD and the
    working tree both say: a hook that rewrote its commit leaves another content staged, which the
    next commit would bring back. Raises ``EnvsyncError``."""
    if found.paths and not found.files:
        ran = act(project.root, environ, "add", "--all", *_FROM_STDIN, given=_specs(found.paths))
        if ran.code != 0:
            raise _refused(ran)


_FROM_STDIN = ("--pathspec-from-file=-", "--pathspec-file-nul")


def _forget(project: Project, paths: Sequence[str], environ: Mapping[str, str]) -> None:
    """Takes announced files out of the index again, if no commit has them after all."""
    known = run_git(project.root, "ls-files", "-z", "--", *(f":(literal){each}" for each in paths))
    at_head = _blobs_at(project, "HEAD", paths) if known and _has_commit(project) else {}
    left = [path for path in paths if path not in at_head]
    if left:
        act(
            project.root,
            environ,
            "update-index",
            "--force-remove",
            "-z",
            "--stdin",
            given=_listed(left),
        )


def _has_commit(project: Project) -> bool:
    try:
        return bool(head(project))
    except EnvsyncError:
        return False


def head(project: Project) -> str:
    """The full id of HEAD. Raises ``EnvsyncError`` before the first commit."""
    return os.fsdecode(run_git(project.root, "rev-parse", "--verify", "HEAD^{commit}")).strip()


def holds(project: Project, commit_id: str, found: Pending) -> bool:
    """Whether ``commit_id`` says what ``found`` said before it was committed."""
    there = _blobs_at(project, commit_id, tuple(found.files))
    return all(there.get(path, "") == said for path, said in found.files.items())


def _blobs_at(project: Project, commit_id: str, paths: Sequence[str]) -> dict[str, str]:
    """Mode and blob of each of ``paths`` that the commit has."""
    wanted = set(paths)
    listed = run_git(project.root, "ls-tree", "-r", "-z", commit_id)
    found = {}
    for raw in listed.split(b"\0"):
        entry, _, path = os.fsdecode(raw).partition("\t")
        if path in wanted:
            mode, _, blob = entry.split(" ")
            found[path] = f"{mode} {blob}"
    return found


def _refused(ran: Ran) -> EnvsyncError:
    told = [line.rstrip() for line in ran.said.splitlines() if line.strip()]
    quoted = "".join(f"\n| {line}" for line in told[-_MOST_LINES:])
    return EnvsyncError(
        "E467",
        f"git did not commit: {ran.reason}",
        remedy="mend what it says, then run this again; nothing was committed, pushed or applied"
        + quoted,
    )


_MOST_LINES = 20


def push(project: Project, commit_id: str, upstream: Upstream, environ: Mapping[str, str]) -> bool:
    """Pushes ``commit_id`` to ``upstream``; whether that moved anything there.

    Raises ``RefusedError`` when the upstream has what this clone lacks, and ``EnvsyncError`` for
    everything else that stops a push.
    """
    where = f"{commit_id}:{upstream.ref}"
    ran = act(project.root, environ, "push", "--porcelain", upstream.remote, where, plain=True)
    flag, summary = _push_line(ran)
    if ran.code == 0:
        return flag != "="
    short = commit_id[:7]
    if flag == "!" and summary.startswith("[rejected]"):
        raise RefusedError(
            "E468",
            f"{upstream} has commits that this clone lacks, so that {short} was not pushed, and "
            "nothing was applied",
            remedy="take them in: git pull --rebase\nthen run the same command again",
        )
    reason = summary if flag == "!" else ran.reason
    raise EnvsyncError(
        "E469",
        f"{short} was not pushed to {upstream}, and nothing was applied: {reason}",
        remedy=f"see what git says: git push {upstream.remote} HEAD:{upstream.ref}\n"
        "then run the same command again",
    )


def _push_line(ran: Ran) -> tuple[str, str]:
    """The flag and the summary of the one ref that was pushed."""
    for line in ran.output.decode("utf-8", "replace").splitlines():
        parts = line.split("\t")
        if len(parts) == 3 and ":" in parts[1]:
            return parts[0].strip() or " ", parts[2]
    return "", ""


def _listed(paths: Sequence[str]) -> bytes:
    return b"".join(os.fsencode(path) + b"\0" for path in paths)


def _specs(paths: Sequence[str]) -> bytes:
    return _listed([f":(literal){path}" for path in paths])
