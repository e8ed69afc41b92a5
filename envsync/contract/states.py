"""The states of an object, one enum for planner, status, terminal UI and documentation."""

from __future__ import annotations

from enum import StrEnum


class State(StrEnum):
    """How what the repository says stands to what the server holds.

    ``AHEAD``: the server's latest is what an earlier commit said. ``DRIFT``: it was never said by
    this repository, or an older content was put back on purpose. ``MISSING``: applied once, and
    no longer there. ``GONE``: the repository declared it once and no longer does. ``FOREIGN``: it
    never did. ``UNKNOWN``: too little of the history is here to tell. ``DIFFERS`` is all that can
    be said where there is no Git.
    """

    IN_SYNC = "in sync"
    NEW = "new"
    DIFFERS = "differs"
    AHEAD = "ahead"
    DRIFT = "drift"
    MISSING = "missing"
    GONE = "gone"
    FOREIGN = "foreign"
    EXPIRED = "expired"
    UNKNOWN = "unknown"
    BLOCKED = "blocked"
    CONTESTED = "contested"
