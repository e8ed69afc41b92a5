"""Where the file of a manifest that has none yet goes."""

from __future__ import annotations

import os
from collections.abc import Iterable

from envsync.errors import FileError, Position
from envsync.project.config import CONFIG_NAME, Project, static_folder
from envsync.project.files import SUFFIXES, Scan, says_something
from envsync.project.names import comparable, path_pattern

SCHEMA = "schemas/environment-manifest.schema.json"


class Placing:
    """Finds paths for new files. No two of them, and none with a file that is there, are one on
    any file system; ``known`` are names that other manifests have."""

    def __init__(self, project: Project, found: Scan, known: Iterable[str]) -> None:
        self._project = project
        self._paths = {comparable(file.path) for file in found.files} | {comparable(CONFIG_NAME)}
        self._stems = {comparable(file.name) for file in found.files}
        self._names = {comparable(name) for name in known}

    def place(self, name: str) -> tuple[str, bool]:
        """A path for the manifest ``name``, and whether the file must say the name itself: its
        stem is another where a name differs from one that is there only by case.

        Raises ``FileError`` (E451) when no pattern of ``files.manifests`` tells a place.
        """
        stem, number = name, 1
        while comparable(stem) in self._stems or (number > 1 and comparable(stem) in self._names):
            number += 1
            stem = f"{name}-{number}"
        path = self._free_path(name, stem)
        self._stems.add(comparable(stem))
        self._paths.add(comparable(path))
        return path, stem != name

    def _free_path(self, name: str, stem: str) -> str:
        for glob in self._project.config.globs["manifest"]:
            folder = static_folder(glob)
            for suffix in SUFFIXES[:2]:
                path = f"{folder}/{stem}{suffix}" if folder else f"{stem}{suffix}"
                fits = path_pattern(glob).fullmatch(path) and says_something(self._project, path)
                overlaid = path.startswith(f"{self._project.config.overlays}/")
                if fits and not overlaid and comparable(path) not in self._paths:
                    self._require_free(path)
                    return path
        raise FileError(
            "E451",
            f"no pattern of `files.manifests` tells where the file of manifest {name} goes",
            position=Position(CONFIG_NAME),
            remedy="write the file by hand, with nothing but its `$schema`, and pull again",
        )

    def _require_free(self, path: str) -> None:
        if os.path.lexists(self._project.root / path):
            raise FileError(
                "E451",
                f"{path} cannot be written: something that is not read stands there",
                position=Position(path),
                remedy="move it away",
            )


def schema_path(path: str) -> str:
    """What ``$schema`` says in a file at ``path``."""
    return "../" * path.count("/") + SCHEMA
