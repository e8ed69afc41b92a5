"""Overlays: JSON Merge Patches (RFC 7396) on a file, and where each merged value was said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from envsync.contract.json_types import Json, JsonObject, Pointer
from envsync.errors import Position

if TYPE_CHECKING:
    from envsync.documents import Document


def merge(base: Json, patch: Json) -> Json:
    """``base`` with ``patch`` applied as RFC 7396 section 2 says: objects merge, ``null`` removes
    a member, everything else replaces. Neither argument is altered."""
    if not isinstance(patch, Mapping):
        return patch
    merged = dict(base) if isinstance(base, Mapping) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge(merged.get(key), value)
    return merged


class Layers(Struct, frozen=True):
    """A file and, in a context that has one, the overlay that changes it."""

    base: Document
    overlay: Document | None = None

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(document.path for document in self.documents)

    @property
    def documents(self) -> tuple[Document, ...]:
        return (self.base,) if self.overlay is None else (self.base, self.overlay)

    def merged(self) -> JsonObject:
        """What both say together."""
        if self.overlay is None:
            return self.base.data
        merged = merge(self.base.data, self.overlay.data)
        assert isinstance(merged, Mapping)
        return merged

    def position(self, pointer: Pointer, *, key: bool = False) -> Position:
        """Where the merged value at ``pointer`` was said: in the overlay if that said it, or
        removed it, and in the base otherwise."""
        return self.speaker(pointer).position(pointer, key=key)

    def speaker(self, pointer: Pointer) -> Document:
        """The document that said, or removed, the value at ``pointer``."""
        if self.overlay is None:
            return self.base
        said: object = self.overlay.data
        below: object = self.base.data
        for part in pointer:
            if not isinstance(said, Mapping):
                return self.overlay
            if part not in said:
                return self.base if isinstance(below, Mapping) else self.overlay
            said = said[part]
            below = below.get(part) if isinstance(below, Mapping) else None
        both_objects = isinstance(said, Mapping) and isinstance(below, Mapping)
        return self.base if both_objects else self.overlay
