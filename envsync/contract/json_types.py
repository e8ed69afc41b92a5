"""The types of JSON values, for every room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

JsonScalar = str | int | float | bool | None
Json = JsonScalar | Sequence["Json"] | Mapping[str, "Json"]
JsonObject = Mapping[str, Json]

Pointer = tuple[str | int, ...]
"""A path inside a document, root first: ``("network", "allowedHosts", 0)``."""


def pointer_text(pointer: Pointer) -> str:
    """``pointer`` as an RFC 6901 JSON Pointer: ``/network/allowedHosts/0``."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in pointer)


def dotted(pointer: Pointer) -> str:
    """``pointer`` as people write it: ``network.allowedHosts[0]``."""
    text = ""
    for part in pointer:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{part}" if text else part
    return text
