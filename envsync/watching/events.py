"""What happens while watching, as values. Each becomes one line: text, or JSON of one shape."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from envsync.applying.outcome import Outcome
from envsync.contract.states import State
from envsync.errors import ExitCode, Problem
from envsync.planning.plan import Plan
from envsync.resources.resource import ObjectId
from envsync.watching.contest import Contested
from envsync.watching.differences import Saved


class Started(Struct, frozen=True):
    """``source`` is ``worktree`` or ``commit``; ``ref`` names the commit's branch, or is empty.
    ``listening`` is the address of the health port, or empty."""

    project: str
    context: str
    server: str
    source: str
    ref: str
    applies: bool
    listening: str = ""


class FilesChanged(Struct, frozen=True):
    """The files, or the commit, say something else. ``objects`` are those that changed; none of
    them at the first look."""

    tree: str
    commit: str
    files: int
    objects: tuple[ObjectId, ...]


class FilesWrong(Struct, frozen=True):
    """``problems`` has at least one error: there is no plan until they are mended."""

    problems: tuple[Problem, ...]


class FilesMended(Struct, frozen=True):
    """The errors that were told before are gone."""


class ServerChanged(Struct, frozen=True):
    """Others changed something on the server."""

    saved: tuple[Saved, ...]


class Planned(Struct, frozen=True):
    """A plan that is not the last one. ``seconds`` counts from the first sign of the change."""

    plan: Plan
    counts: Mapping[State, int]
    seconds: float


class Withheld(Struct, frozen=True):
    """Something is to be applied and is not, for now. ``problem`` says why."""

    problem: Problem


class Applied(Struct, frozen=True):
    """What became of each change that was sent. ``seconds`` is what sending took."""

    outcomes: tuple[Outcome, ...]
    exit_code: ExitCode
    seconds: float


class Parked(Struct, frozen=True):
    """An object is contested, and left alone until the files say something else."""

    contested: Contested


class Trouble(Struct, frozen=True):
    """Git, the network or the server are in the way; ``again_in`` seconds it is tried again."""

    problem: Problem
    again_in: float
    failures: int


class Recovered(Struct, frozen=True):
    """What was in the way is gone, after ``seconds``."""

    seconds: float


class Rearmed(Struct, frozen=True):
    """The folders are watched anew. ``why`` is a sentence; without ``native`` they are looked at
    from time to time instead."""

    why: str
    folders: int
    native: bool


class Stopped(Struct, frozen=True):
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
