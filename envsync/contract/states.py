"""The states of an object, one enum for planner, status, terminal UI and documentation."""

from __future__ import annotations

from enum import StrEnum


class State(StrEnum):
    """How what the repository says stands to what the server holds (``rules.md`` 9)."""

    IN_SYNC = "in sync"
    NEW = "new"
    DIFFERS = "differs"
    MISSING = "missing"
    FOREIGN = "foreign"
