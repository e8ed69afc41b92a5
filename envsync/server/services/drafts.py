"""Draft: a manifest body made ready to be compared and stored. Pure, no database."""

from __future__ import annotations

from dataclasses import dataclass

from envsync.contract.json_types import JsonObject
from envsync.server.services.abilities import Abilities


@dataclass(frozen=True, slots=True)
class Notice:
    """An error or a warning of a plan. ``path`` is a JSON Pointer, empty for the whole."""

    code: str
    message: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """``text`` is the canonical JSON of the normalised ``manifest``; ``hash`` its SHA-256.

    ``errors`` are the reasons that refuse a save whatever the database holds.
    """

    manifest: JsonObject
    text: str
    hash: str
    kind: str
    errors: tuple[Notice, ...] = ()
    warnings: tuple[Notice, ...] = ()


def draft(body: JsonObject, abilities: Abilities) -> Draft:
    """The draft of a body that the JSON Schema and the named checks have accepted.

    Made once, before the write, so that a write that is run again does not normalise again.
    """
    raise NotImplementedError
