"""The limits and the precondition that saving, planning and deleting share."""

from __future__ import annotations

from typing import Final

from envsync.contract.json_types import Json
from envsync.server.store.interface import Row

MAX_MANIFESTS: Final = 10_000
MAX_VERSIONS: Final = 1_000


def is_stale(head: Row | None, if_match: int | None) -> bool:
    """Whether ``if_match`` expects another version than the latest; 0 expects none."""
    return if_match is not None and if_match != (0 if head is None else head["version"])


def stale_message(name: str, head: Row | None) -> str:
    if head is None:
        return f"There is no manifest {name}"
    return (
        f"Manifest {name} is at version {head['version']},"
        f" saved by {head['saved_by']} at {head['saved_at']}"
    )


def stale_details(head: Row | None) -> dict[str, Json]:
    """The details of 412 ``manifest_changed``; all null when there is no manifest."""
    if head is None:
        return dict.fromkeys(("currentVersion", "currentHash", "savedBy", "savedAt"))
    return {
        "currentVersion": head["version"],
        "currentHash": head["hash"],
        "savedBy": head["saved_by"],
        "savedAt": head["saved_at"],
    }


def no_room() -> str:
    return f"This server holds at most {MAX_MANIFESTS} manifests"
