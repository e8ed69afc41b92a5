"""Hints: what this clone applied, kept in the Git folder. Useful, never needed.

A hint can be lost, damaged or old: whoever reads one must be right without it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from envsync.errors import FileError, Position
from envsync.project.config import Project
from envsync.project.git import git_folder

_FORMAT = 1
STATE_FOLDER = ".envsync"


class Hint(Struct, frozen=True):
    """What one apply left on a server: ``version`` and ``hash`` are the server's; ``canonical``
    is our own hash of the same object; ``commit`` may be empty; ``at`` is ISO 8601 UTC."""

    version: int
    hash: str
    canonical: str
    commit: str = ""
    at: str = ""


Hints = Mapping[tuple[str, str], Hint]
"""By type and name of the object."""


def hints_path(project: Project) -> Path:
    """Where the hints are: in the clone's Git folder, or beside envsync.yaml without one."""
    folder = git_folder(project.home)
    if folder is not None:
        return folder / "envsync" / "applied.json"
    return project.home / STATE_FOLDER / "applied.json"


def state_folder(project: Project) -> Path:
    """``.envsync/`` beside envsync.yaml, made if need be, and ignored by Git from the inside.

    Raises ``FileError`` when it cannot be made.
    """
    folder = project.home / STATE_FOLDER
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        ignore = folder / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
    except OSError as error:
        raise FileError(
            "E123",
            f"the folder {STATE_FOLDER} cannot be made: {error.strerror or error}",
            position=Position(STATE_FOLDER),
            remedy=f"check what stands at {folder}, and the permissions and free space there",
        ) from error
    return folder


def read_hints(project: Project, host_id: str) -> Hints:
    """What this clone applied to the server ``host_id``; empty when nothing can be read."""
    servers = _read(hints_path(project))
    objects = servers.get(host_id)
    if not isinstance(objects, dict):
        return {}
    hints = {}
    for key, said in objects.items():
        type_, _, name = str(key).partition(" ")
        hint = _hint(said)
        if hint is not None and name:
            hints[type_, name] = hint
    return hints


def record_hints(
    project: Project,
    host_id: str,
    applied: Hints,
    deleted: tuple[tuple[str, str], ...] = (),
) -> bool:
    """Adds to what is remembered of the server ``host_id``, and forgets ``deleted`` objects.

    Returns whether it could be written: a hint that cannot be kept stops nobody.
    """
    from envsync.documents.writing import write_atomically

    path = hints_path(project)
    servers = _read(path)
    known = servers.get(host_id)
    objects: dict[str, object] = dict(known) if isinstance(known, dict) else {}
    for (type_, name), hint in applied.items():
        objects[f"{type_} {name}"] = {
            "version": hint.version,
            "hash": hint.hash,
            "canonical": hint.canonical,
            "commit": hint.commit,
            "at": hint.at,
        }
    for type_, name in deleted:
        objects.pop(f"{type_} {name}", None)
    servers[host_id] = objects
    text = json.dumps({"format": _FORMAT, "servers": servers}, sort_keys=True)
    with suppress(OSError, FileError):
        if path.parent.name == STATE_FOLDER:
            state_folder(project)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text.encode() + b"\n")
        return True
    return False


def _read(path: Path) -> dict[str, object]:
    """The servers of a hints file; nothing of one that is missing, damaged or of another
    format."""
    try:
        data = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(data, dict) or data.get("format") != _FORMAT:
        return {}
    servers = data.get("servers")
    return dict(servers) if isinstance(servers, dict) else {}


def _hint(said: object) -> Hint | None:
    if not isinstance(said, dict):
        return None
    version, hash_, canonical = said.get("version"), said.get("hash"), said.get("canonical")
    if type(version) is not int or not isinstance(hash_, str) or not isinstance(canonical, str):
        return None
    return Hint(version, hash_, canonical, str(said.get("commit", "")), str(said.get("at", "")))
