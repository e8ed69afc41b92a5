"""Answers of a foreign server's dry run, kept in the user's cache folder."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from pathlib import Path

from envsync.documents.writing import write_atomically
from envsync.planning.answers import AnswerKey
from envsync.planning.plan import ServerIdentity

MOST = 50_000
"""More lines than any repository has objects: the file is begun anew beyond that."""


def recall(server: ServerIdentity) -> frozenset[AnswerKey]:
    """What ``server`` called unchanged before; nothing when that was lost or damaged."""
    try:
        lines = _path(server).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return frozenset()
    return frozenset(key for line in lines if (key := _key(line)) is not None)


def remember(
    server: ServerIdentity, before: Collection[AnswerKey], learned: Collection[AnswerKey]
) -> None:
    """Adds what was learned. Never raises: a cache that can't be written is no error."""
    new = frozenset(learned) - frozenset(before)
    if not new:
        return
    kept = new if len(before) + len(new) > MOST else new | frozenset(before)
    path = _path(server)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, "".join(f"{key.text()}\n" for key in kept).encode())
    except OSError:
        return


def _path(server: ServerIdentity) -> Path:
    import platformdirs

    name = hashlib.sha256(f"{server.address}\n{server.host_id}".encode()).hexdigest()[:32]
    return platformdirs.user_cache_path("envsync") / "answers" / name


def _key(line: str) -> AnswerKey | None:
    parts = line.split(" ")
    if len(parts) != 4 or not parts[2].isdecimal():
        return None
    return AnswerKey(parts[0], parts[1], int(parts[2]), parts[3])
