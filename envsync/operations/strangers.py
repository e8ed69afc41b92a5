"""Objects of a server that no commit ever declared, remembered in the user's cache folder, so that
the next plan reads only the commits since. Losing it costs time only."""

from __future__ import annotations

import json
from collections.abc import Collection
from hashlib import sha256
from pathlib import Path

from envsync.documents.writing import write_atomically
from envsync.project.config import Project
from envsync.resources.resource import ObjectId

_MOST_TIPS = 200
"""More tips than a command line should carry; with so many everything is read."""


def known_strangers(project: Project) -> tuple[frozenset[ObjectId], tuple[str, ...]]:
    """Names that nothing declared that is reached from the second value, the tips back then."""
    try:
        said = json.loads(_path(project).read_bytes())
        names = frozenset(ObjectId(str(type_), str(name)) for type_, name in said["names"])
        tips = tuple(str(tip) for tip in said["tips"])
    except (OSError, ValueError, KeyError, TypeError):
        return frozenset(), ()
    return names, tips


def remember_strangers(
    project: Project, tips: Collection[str], strangers: Collection[ObjectId]
) -> None:
    """Never raises: a cache that can't be written is no error."""
    if len(tips) > _MOST_TIPS:
        return
    known, before = known_strangers(project)
    kept = set(strangers) | (set(known) if tuple(before) == tuple(tips) else set())
    said = {"tips": list(tips), "names": sorted([each.type, each.name] for each in kept)}
    path = _path(project)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps(said).encode())
    except OSError:
        return


def _path(project: Project) -> Path:
    """A file for each repository and each way to find its files."""
    import platformdirs

    config = project.config
    said = repr((str(project.home), sorted(config.globs.items()), config.overlays, config.moved))
    name = sha256(said.encode("utf-8", "surrogateescape")).hexdigest()[:32]
    return platformdirs.user_cache_path("envsync", appauthor=False) / "strangers" / f"{name}.json"
