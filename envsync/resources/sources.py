"""Files to one object's body: read, merged with the context's overlay, and named."""

from __future__ import annotations

import os

from msgspec import Struct

from envsync.contract.json_types import JsonObject
from envsync.documents import parse
from envsync.errors import FileError, Position
from envsync.project.files import SourceFile
from envsync.project.overlays import Layers

_LONGEST_READ = 64 * 1024 * 1024
_READ_ONLY = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_NOT_SENT = ("$schema", "name")


class Source(Struct, frozen=True):
    """One object as its files say it. ``whole`` is everything merged; ``body`` is what is sent:
    without ``$schema`` and ``name``."""

    type: str
    name: str
    layers: Layers
    whole: JsonObject
    body: JsonObject


def read_bytes(file: SourceFile) -> bytes:
    """The bytes of ``file`` as they are. Raises ``FileError`` when they cannot be read."""
    if file.stamp.size > _LONGEST_READ:
        raise FileError(
            "E115",
            f"the file is larger than 1 MiB ({file.stamp.size:,} bytes)",
            position=Position(file.path),
            remedy="split it, or keep large content where the Environment can fetch it",
        )
    try:
        descriptor = os.open(f"{file.root}/{file.path}", _READ_ONLY)
        try:
            data = os.read(descriptor, file.stamp.size + 1)
            while len(data) > file.stamp.size and (more := os.read(descriptor, _LONGEST_READ)):
                data += more  # it has grown since it was found
        finally:
            os.close(descriptor)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise FileError(
            "E420",
            f"{file.path} cannot be read: {reason}",
            position=Position(file.path),
            remedy="check its permissions",
        ) from None
    return data


def source_of(
    file: SourceFile, data: bytes, overlay: SourceFile | None, overlay_data: bytes | None
) -> Source:
    """The object that ``data`` and the overlay's data say. Raises ``FileError``."""
    base = parse(data, file.path)
    if overlay is None or overlay_data is None:
        layers = Layers(base)
    else:
        layers = Layers(base, parse(overlay_data, overlay.path))
        _require_no_new_name(layers)
    whole = layers.merged()
    name = whole.get("name", file.name)
    body = {member: value for member, value in whole.items() if member not in _NOT_SENT}
    return Source(file.type, name if isinstance(name, str) else file.name, layers, whole, body)


def read_source(file: SourceFile, overlay: SourceFile | None) -> Source:
    """As ``source_of``, reading the files."""
    overlay_data = None if overlay is None else read_bytes(overlay)
    return source_of(file, read_bytes(file), overlay, overlay_data)


def _require_no_new_name(layers: Layers) -> None:
    assert layers.overlay is not None
    if "name" in layers.overlay.data:
        raise FileError(
            "E424",
            "an overlay cannot rename an object",
            position=layers.overlay.position(("name",), key=True),
            remedy=f"remove `name` here, or say it in {layers.base.path}",
        )
