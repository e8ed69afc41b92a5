"""What happens while watching, as values. Each becomes one line: text, or JSON of one shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from envsync.applying.outcome import Outcome
from envsync.contract.states import State
from envsync.errors import ExitCode, Problem
from envsync.planning.plan import Plan
from envsync.resources.resource import ObjectId
from envsync.watching.contest import Contested
from envsync.watching.differences import Saved


@dataclass(frozen=True, slots=True)
class Started:
    """``source`` is ``worktree`` or ``commit``; ``ref`` names the commit's branch, or is empty.
    ``listening`` is the address of the health port, or empty."""

    project: str
    context: str
    server: str
    source: str
    ref: str
    applies: bool
    listening: str = ""


@dataclass(frozen=True, slots=True)
class FilesChanged:
    """The files, or the commit, say something else. ``objects`` are those that changed; none of
    them at the first look."""

    tree: str
    commit: str
    files: int
    objects: tuple[ObjectId, ...]


@dataclass(frozen=True, slots=True)
class FilesWrong:
    """``problems`` has at least one error: there is no plan until they are mended."""

    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class FilesMended:
    """The errors that were told before are gone."""


@dataclass(frozen=True, slots=True)
class ServerChanged:
    """Others changed something on the server."""

    saved: tuple[Saved, ...]


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan that is not the last one. ``seconds`` counts from the first sign of the change."""

    plan: Plan
    counts: Mapping[State, int]
    seconds: float


@dataclass(frozen=True, slots=True)
class Withheld:
    """Something is to be applied and is not, for now. ``problem`` says why."""

    problem: Problem


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of each change that was sent. ``seconds`` is what sending took."""

    outcomes: tuple[Outcome, ...]
    exit_code: ExitCode
    seconds: float


@dataclass(frozen=True, slots=True)
class Parked:
    """An object is contested, and left alone until the files say something else."""

    contested: Contested


@dataclass(frozen=True, slots=True)
class Trouble:
    """Git, the network or the server are in the way; ``again_in`` seconds it is tried again."""

    problem: Problem
    again_in: float
    failures: int


@dataclass(frozen=True, slots=True)
class Recovered:
    """What was in the way is gone, after ``seconds``."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Rearmed:
    """The folders are watched anew. ``why`` is a sentence; without ``native`` they are looked at
    from time to time instead."""

    why: str
    folders: int
    native: bool


@dataclass(frozen=True, slots=True)
class Stopped:
    """The end. ``pending`` are the changes that are left to apply; ``signal`` is 0 without one."""

    signal: int
    pending: tuple[ObjectId, ...]
    exit_code: ExitCode


Event = (
    Started
    | FilesChanged
    | FilesWrong
    | FilesMended
    | ServerChanged
    | Planned
    | Withheld
    | Applied
    | Parked
    | Trouble
    | Recovered
    | Rearmed
    | Stopped
)
