"""Which objects a narrowed run speaks of."""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct

from envsync.planning.patterns import matches_any
from envsync.resources.resource import ObjectId

_NO_LABELS: Mapping[str, str] = {}


class Selection(Struct, frozen=True):
    """What the person named. Each kind of selector narrows further; within one kind any may match
    (labels: all must).

    ``paths`` are files or folders of the repository, relative to it, with ``/``.
    """

    paths: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    labels: tuple[tuple[str, str], ...] = ()

    @property
    def is_narrow(self) -> bool:
        return bool(self.paths or self.types or self.names or self.labels)

    def selects(
        self,
        object_id: ObjectId,
        paths: tuple[str, ...] = (),
        labels: Mapping[str, str] = _NO_LABELS,
    ) -> bool:
        """Whether an object that ``paths`` declare is meant. An object of the server that no file
        declares has no path, so that a path never selects it; one without labels (a manifest has
        none) is never selected by a label."""
        if self.types and object_id.type not in self.types:
            return False
        if self.names and not matches_any(self.names, object_id.name):
            return False
        if self.labels and any(labels.get(key) != value for key, value in self.labels):
            return False
        return not self.paths or any(_is_below(path, top) for path in paths for top in self.paths)

    def __str__(self) -> str:
        """As a person would type it."""
        words = [_quoted(path) for path in self.paths]
        words += [f"--type {_quoted(each)}" for each in self.types]
        words += [f"--name {_quoted(each)}" for each in self.names]
        words += [f"--label {_quoted(f'{key}={value}')}" for key, value in self.labels]
        return " ".join(words)


EVERYTHING = Selection()


def _is_below(path: str, top: str) -> bool:
    folder = top.removeprefix("./").rstrip("/")
    return folder in {"", "."} or path == folder or path.startswith(folder + "/")


def _quoted(word: str) -> str:
    """``word`` as a POSIX shell reads it back."""
    if re.fullmatch(r"[A-Za-z0-9_@%+=:,./-]+", word):
        return word
    return "'" + word.replace("'", "'\"'\"'") + "'"
