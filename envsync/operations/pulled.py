"""What a pull or a rollback did to the files, or would do."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum

from msgspec import Struct

from envsync.errors import ExitCode, Problem
from envsync.planning.plan import ServerIdentity
from envsync.resources.resource import ObjectId


class Fate(StrEnum):
    """What becomes of an object's files. ``REFUSED``: they were left alone, the problems of the
    object say why."""

    UNCHANGED = "unchanged"
    CREATED = "created"
    CHANGED = "changed"
    REMOVED = "removed"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class PulledFile:
    """``path`` is relative to the root. ``before`` is ``None`` for a new file, ``after`` for one
    that is removed. ``contexts`` are the others that the file speaks for as well."""

    path: str
    before: bytes | None = field(repr=False)
    after: bytes | None = field(repr=False)
    contexts: tuple[str, ...] = ()

    @property
    def fate(self) -> Fate:
        if self.before is None:
            return Fate.CREATED
        return Fate.REMOVED if self.after is None else Fate.CHANGED


class PulledObject(Struct, frozen=True):
    """``version`` is the one that the files say now; 0 for an object that the server has not."""

    id: ObjectId
    fate: Fate
    version: int = 0
    saved_by: str = ""
    saved_at: str = ""
    files: tuple[PulledFile, ...] = ()
    problems: tuple[Problem, ...] = ()


class PullReport(Struct, frozen=True):
    """``objects`` are in byte order; ``problems`` are those of no single object, warnings only.
    ``back`` says that the files went back to an older version."""

    project: str
    context: str
    server: ServerIdentity
    objects: tuple[PulledObject, ...]
    problems: tuple[Problem, ...]
    dry_run: bool
    seconds: float
    back: bool = False

    @property
    def files(self) -> tuple[PulledFile, ...]:
        """In byte order of their paths."""
        found = [file for each in self.objects for file in each.files]
        return tuple(sorted(found, key=lambda file: file.path.encode()))

    @property
    def counts(self) -> Counter[Fate]:
        """Objects by what became of their files."""
        return Counter(each.fate for each in self.objects)

    @property
    def exit_code(self) -> ExitCode:
        counts = self.counts
        if not counts[Fate.REFUSED]:
            return ExitCode.DONE
        return ExitCode.ERROR if counts.total() == counts[Fate.REFUSED] else ExitCode.PARTIAL
