"""What a sync goes through: prepared, landed, and reported."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct, field

from envsync.applying.apply import CONCURRENCY
from envsync.errors import Problem
from envsync.operations.planning import PlanOptions
from envsync.operations.reports import ApplyReport, PlanReport
from envsync.operations.workspace import Workspace


class SyncOptions(Struct, frozen=True):
    """``message`` is the commit's; it may be empty where nothing is left to commit. The rest is
    as for plan and apply."""

    message: str = ""
    push: bool = False
    plan: PlanOptions = field(default_factory=PlanOptions)
    allow_deletes: int | None = None
    audit: Path | None = None
    concurrency: int = CONCURRENCY


class Prepared(Struct, frozen=True):
    """What a sync is about to do; nothing is written yet.

    ``files`` are the envsync files that the commit would change, relative to the root.
    ``problems`` are warnings of every context's files.
    """

    workspace: Workspace
    options: SyncOptions
    plan: PlanReport
    files: tuple[str, ...]
    problems: tuple[Problem, ...]


class Landed(Struct, frozen=True):
    """What is in Git now. ``commit`` is HEAD, whole; ``files`` are those that this run committed,
    none where everything was committed already. ``upstream`` is empty unless it was to be pushed,
    ``pushed`` whether that moved anything there."""

    prepared: Prepared
    commit: str
    files: tuple[str, ...] = ()
    upstream: str = ""
    pushed: bool = False


class SyncReport(Struct, frozen=True):
    """A whole run; the exit code is that of ``applied``."""

    landed: Landed
    applied: ApplyReport
