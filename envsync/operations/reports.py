"""What the library's verbs return: values that every renderer, and any caller, can read."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from envsync.applying.outcome import Outcome
from envsync.contract.json_types import JsonObject
from envsync.contract.states import State
from envsync.errors import ExitCode, Problem
from envsync.planning.plan import FieldChange, Plan, ServerIdentity
from envsync.resources.resource import ObjectId


class ValidationReport(Struct, frozen=True):
    """``checked`` files were read, of ``files`` in the repository; ``objects`` came of them."""

    problems: tuple[Problem, ...]
    files: int
    checked: int
    objects: int
    seconds: float

    @property
    def errors(self) -> int:
        return sum(problem.is_error for problem in self.problems)

    @property
    def warnings(self) -> int:
        return len(self.problems) - self.errors

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.ERROR if self.errors else ExitCode.DONE


class PlanReport(Struct, frozen=True):
    """A plan, and what was noticed on the way.

    ``problems`` holds warnings only: where a file has an error there is no plan at all, and the
    verb raises ``FileError``. ``objects`` counts what the plan speaks of. ``offline`` names the
    Git revision that stood in for the server, or is empty.
    """

    plan: Plan
    problems: tuple[Problem, ...]
    objects: int
    seconds: float
    offline: str = ""


class ApplyReport(Struct, frozen=True):
    """``outcomes`` has exactly one entry for each object of the plan, in the plan's order.

    ``signal`` is the number of the signal that ended the run early, or 0.
    """

    plan: Plan
    outcomes: tuple[Outcome, ...]
    problems: tuple[Problem, ...]
    seconds: float
    exit_code: ExitCode
    signal: int = 0


class StatusRow(Struct, frozen=True):
    """One object. ``here`` names what the repository says it with: a short commit id, ``edited``
    for files that are not committed, or empty. ``version`` is the server's, 0 for none.
    ``environments`` and ``on_older`` are ``-1`` where unknown."""

    id: ObjectId
    state: State
    here: str = ""
    version: int = 0
    saved_by: str = ""
    saved_at: str = ""
    environments: int = -1
    on_older: int = -1
    path: str = ""


class StatusReport(Struct, frozen=True):
    project: str
    context: str
    server: ServerIdentity
    commit: str
    rows: tuple[StatusRow, ...]
    counts: Mapping[State, int]
    problems: tuple[Problem, ...]
    seconds: float


class Origin(StrEnum):
    """How a version of the server and the commits stand to each other.

    ``COMMITTED``: a commit said it. ``PUT_BACK``: one said it, and a later one was on the server
    before. ``DRIFT``: no commit ever said it. ``UNKNOWN``: too little history is here, or none.
    ``NOT_YET`` and ``NEVER`` are of commits that no version holds: newer than all that were
    applied, and passed over.
    """

    COMMITTED = "committed"
    PUT_BACK = "put back"
    DRIFT = "drift"
    UNKNOWN = "unknown"
    NOT_YET = "not applied yet"
    NEVER = "never applied"


class CommitEntry(Struct, frozen=True):
    """The commit that first said a content; ``at`` is when it was committed, ISO 8601 UTC."""

    id: str
    author: str
    subject: str
    at: str


class HistoryEntry(Struct, frozen=True):
    """One version that the server keeps with the commit that said it, or either of them alone:
    ``version`` is 0 for a commit that was not applied. ``same_as_here`` marks what the working
    tree says."""

    origin: Origin
    version: int = 0
    hash: str = ""
    saved_at: str = ""
    saved_by: str = ""
    environments: int = -1
    same_as_here: bool = False
    commit: CommitEntry | None = None


class HistoryReport(Struct, frozen=True):
    """``entries`` are newest first."""

    id: ObjectId
    server: ServerIdentity
    entries: tuple[HistoryEntry, ...]


class ShowReport(Struct, frozen=True):
    """One version of an object as the server holds it."""

    id: ObjectId
    version: int
    hash: str
    saved_at: str
    saved_by: str
    environments: int
    latest: bool
    body: JsonObject


class DiffReport(Struct, frozen=True):
    """``old`` and ``new`` are normalised bodies; either is ``None`` where that side has none."""

    id: ObjectId
    old_label: str
    new_label: str
    old: JsonObject | None
    new: JsonObject | None
    fields: tuple[FieldChange, ...]
    path: str = ""


class ContextRow(Struct, frozen=True):
    """``credential`` says where the key comes from and whether it is there, never the key."""

    name: str
    server: str
    protected: bool
    current: bool
    credential: str


class Check(Struct, frozen=True):
    """One line of ``doctor``. ``state`` is ``ok``, ``warning``, ``failed`` or ``info``."""

    name: str
    state: str
    found: str
    remedy: str = ""


class DoctorReport(Struct, frozen=True):
    checks: tuple[Check, ...]

    @property
    def exit_code(self) -> ExitCode:
        failed = any(check.state == "failed" for check in self.checks)
        return ExitCode.ERROR if failed else ExitCode.DONE


class InitReport(Struct, frozen=True):
    """Paths relative to the repository's root, in the order in which they were looked at."""

    root: str
    written: tuple[str, ...]
    kept: tuple[str, ...]
