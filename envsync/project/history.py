"""History: what the commits of the repository touched, read lazily from the real ``git``.

Everything that any local or remote ref reaches counts as said, stashes and notes aside. The log is
a stream that ends when its reader has seen enough, and file contents come through one process, so
that a long history costs only as much as is looked at.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Collection, Generator, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Self

from msgspec import Struct

from envsync.errors import EnvsyncError
from envsync.project.config import Project
from envsync.project.git import clean_environment, git_folder, run_git

_CHUNK: Final = 1 << 16
_ABSENT: Final = "0"
_REFS: Final = ("--exclude=refs/stash", "--exclude=refs/notes/*", "--all")
_LOG: Final = (
    "log",
    "-z",
    "--raw",
    "--no-abbrev",
    "--no-renames",
    "--no-ext-diff",
    "--ignore-submodules=all",
    "--full-history",
    "--diff-merges=combined",
    "--relative",
    "--no-show-signature",
    "--no-mailmap",
    "--no-notes",
    "--no-color",
    "--format=tformat:%H%x00%an%x00%ct%x00%s%x00",
)

Touched = Mapping[str, str]
"""The paths (relative to the project's root) that a commit touched, each with the id of the blob
that it left there; an empty id where it removed the file."""


Commits = Generator[tuple["Commit", Touched], None, None]


class LostHistoryError(EnvsyncError):
    """Git knows of content that it can neither find nor fetch."""


class Commit(Struct, frozen=True):
    """``id`` is whole; ``at`` is when it was committed, ISO 8601 UTC."""

    id: str
    author: str
    at: str
    subject: str

    @property
    def short(self) -> str:
        return self.id[:7]


class History:
    """A context manager; outside of it no process is left.

    ``shallow``: commits beyond some depth are not in this clone. ``partial``: contents are fetched
    when they are first read. ``head`` is the commit checked out, empty before the first one of
    this branch.
    """

    def __init__(self, project: Project, head: str, *, shallow: bool, partial: bool) -> None:
        self.project = project
        self.head = head
        self.shallow = shallow
        self.partial = partial
        self._contents: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._contents is not None:
            _end(self._contents)
            self._contents = None

    def commits_touching(
        self, paths: Collection[str], *, here: bool = False, beyond: Collection[str] = ()
    ) -> Commits:
        """The commits that touched any of ``paths`` (files or folders, taken literally), newest
        first: a commit before its parents, the checked out branch before others of the same time.

        A merge counts only where it differs from all of its parents. ``here`` leaves out what only
        other branches have, ``beyond`` what those commits (of :meth:`tips`) reach. Git stops when
        the iterator is closed. Raises ``LostHistoryError``.
        """
        yield from self._log([f":(literal){path}" for path in paths], here, beyond)

    def commits_matching(
        self, globs: Collection[str], *, here: bool = False, beyond: Collection[str] = ()
    ) -> Commits:
        """As :meth:`commits_touching`, for globs such as ``teams/*/box.yaml``. One without a
        pattern costs Git a fraction."""
        yield from self._log([_pathspec(glob) for glob in globs], here, beyond)

    def tips(self) -> tuple[str, ...]:
        """What everything that was said is reached from; the same as long as nothing is
        committed, fetched or removed."""
        listed = run_git(self.project.home, "for-each-ref", "--format=%(objectname) %(refname)")
        found = {self.head} if self.head else set()
        for line in listed.decode("utf-8", "replace").splitlines():
            tip, _, name = line.partition(" ")
            if name != "refs/stash" and not name.startswith("refs/notes/"):
                found.add(tip)
        return tuple(sorted(found))

    def read(self, commit_id: str, path: str) -> bytes | None:
        """The file at ``path`` as the commit has it; ``None`` when it has none there.

        Raises ``LostHistoryError`` when Git cannot come by the content.
        """
        found = self.find(commit_id, path)
        return None if found is None else found[1]

    def find(self, commit_id: str, path: str) -> tuple[str, bytes] | None:
        """As :meth:`read`, with the id of the blob."""
        return None if "\n" in path else self._ask(f"{commit_id}:./{path}")

    def blob(self, blob_id: str) -> bytes:
        """The content of a blob. Raises ``LostHistoryError``."""
        found = self._ask(blob_id)
        if found is None:
            raise _lost(blob_id)
        return found[1]

    def _log(self, pathspecs: list[str], here: bool, beyond: Collection[str]) -> Commits:
        tips = [self.head] if self.head else []
        if not pathspecs or (here and not tips):
            return
        refs = () if here else _REFS
        self._reader()  # both programs start side by side
        process = _start(
            self.project.home,
            *_LOG,
            *tips,
            *refs,
            *(f"^{tip}" for tip in beyond),
            "--",
            *sorted(pathspecs),
        )
        try:
            assert process.stdout is not None
            yield from _commits(_tokens(process.stdout))
            if process.wait() != 0:
                raise LostHistoryError(
                    "E444",
                    "git could not read the history of this repository to its end",
                    remedy="see what it says: git log --all --raw",
                )
        finally:
            _end(process)

    def _reader(self) -> subprocess.Popen[bytes]:
        if self._contents is None:
            self._contents = _start(self.project.home, "cat-file", "--batch", asks=True)
        return self._contents

    def _ask(self, name: str) -> tuple[str, bytes] | None:
        """What ``git cat-file`` has by that name, if it is a blob."""
        process = self._reader()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(os.fsencode(name) + b"\n")
            process.stdin.flush()
            header = process.stdout.readline().rsplit(b" ", 2)
        except OSError:
            header = []
        if len(header) == 3 and header[2].strip().isdigit():
            content = process.stdout.read(int(header[2]))
            process.stdout.read(1)
            return (header[0].decode("ascii"), content) if header[1] == b"blob" else None
        if header and header[-1] == b"missing\n" and ":" in name:
            return None
        self.close()
        raise _lost(name)


def open_history(project: Project, head: str | None = None) -> History | None:
    """The history around ``project``; ``None`` without Git and without commits.

    ``head`` is the commit checked out where the caller knows it (empty before the first one).
    """
    folder = git_folder(project.home)
    if folder is None:
        return None
    try:
        head = _head(project.home) if head is None else head
        if not head and not run_git(project.home, "for-each-ref", "--count=1"):
            return None
    except FileNotFoundError:
        return None
    return History(
        project, head, shallow=(folder / "shallow").is_file(), partial=_is_partial(folder)
    )


def _pathspec(glob: str) -> str:
    if "*" in glob or "?" in glob:
        return ":(glob)" + glob.replace("[", "\\[")
    return f":(literal){glob}"


def _head(root: Path) -> str:
    try:
        said = run_git(root, "rev-parse", "--quiet", "--verify", "HEAD^{commit}")
    except EnvsyncError:
        return ""
    return said.decode("ascii").strip()


def _is_partial(folder: Path) -> bool:
    return any((folder / "objects" / "pack").glob("*.promisor"))


def _start(root: Path, *arguments: str, asks: bool = False) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - a fixed program, and no shell
        ["git", "-c", "core.fsmonitor=false", "-c", "log.showRoot=true", *arguments],  # noqa: S607
        cwd=root,
        env=clean_environment(os.environ),
        stdin=subprocess.PIPE if asks else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends a process that only reads, whatever it is doing."""
    if process.poll() is None:
        process.kill()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    process.wait()


def _tokens(stream: IO[bytes]) -> Iterator[bytes]:
    """What stands between the NULs of ``stream``."""
    rest = b""
    descriptor = stream.fileno()
    while chunk := os.read(descriptor, _CHUNK):
        *whole, rest = (rest + chunk).split(b"\0")
        yield from whole


def _commits(tokens: Iterator[bytes]) -> Iterator[tuple[Commit, Touched]]:
    """A commit is its id, author, time and subject, then a colon's line and a path for each file
    that it touched."""
    commit: Commit | None = None
    touched: dict[str, str] = {}
    for token in tokens:
        word = token.lstrip(b"\n")
        if not word:
            continue
        if word.startswith(b":"):
            touched[os.fsdecode(next(tokens, b""))] = _blob_after(word)
            continue
        if commit is not None:
            yield commit, touched
        touched = {}
        author, seconds, subject = (next(tokens, b"") for _ in range(3))
        commit = Commit(
            word.decode("ascii"),
            author.decode("utf-8", "replace"),
            _iso(int(seconds or b"0")),
            subject.decode("utf-8", "replace"),
        )
    if commit is not None:
        yield commit, touched


def _blob_after(line: bytes) -> str:
    """``:<modes> <blobs> <status>``: with N parents N + 1 modes and as many blobs."""
    parents = len(line) - len(line.lstrip(b":"))
    blob = line.split(b" ")[2 * parents + 1].decode("ascii")
    return "" if blob.strip(_ABSENT) == "" else blob


def _iso(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


def _lost(name: str) -> LostHistoryError:
    return LostHistoryError(
        "E444",
        f"git can neither find nor fetch {name}, which its history speaks of",
        remedy="make its remote reachable, or fetch everything: git fetch --refetch",
    )
