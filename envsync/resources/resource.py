"""Resource: one object, whoever says it: a file of the repository, or a server.

Everything after this room treats desired and observed objects alike.
"""

from __future__ import annotations

from msgspec import Struct

from envsync.contract.json_types import JsonObject
from envsync.errors import Position


class ObjectId(Struct, frozen=True, order=True):
    """What an object is called: its type (``manifest``) and its name."""

    type: str
    name: str

    def __str__(self) -> str:
        return f"{self.type} {self.name}"


class Base(Struct, frozen=True):
    """What a server holds for an object: its version and the server's own hash of it.

    Equal only when both are: a name that was deleted and made again never passes for the old.
    """

    version: int
    hash: str


class Declared(Struct, frozen=True):
    """An object that files of the repository declare, known by its digest.

    Cheap on purpose: for a file that did not change since the last scan it comes from the cache
    without parsing. ``hash`` is the SHA-256 of the canonical JSON of the normalised body.
    ``paths`` are the files that say it: the base file first, then overlays.
    """

    id: ObjectId
    hash: str
    paths: tuple[str, ...]


class Desired(Struct, frozen=True):
    """An object as the repository wants it.

    ``body`` is what is sent, exactly as written (``$schema`` and ``name`` dropped, overlays
    merged). ``canonical`` is ``normalise`` of it.
    """

    id: ObjectId
    body: JsonObject
    canonical: JsonObject
    hash: str
    position: Position
    paths: tuple[str, ...] = ()


class Observed(Struct, frozen=True):
    """An object as a server holds it.

    ``canonical`` is ``None`` when the server was asked only for a summary.
    ``environments`` counts the Environments made from any of its versions; ``-1`` when unknown.
    ``saved_at`` is ISO 8601 UTC, or empty when the server does not say.
    """

    id: ObjectId
    base: Base
    canonical: JsonObject | None = None
    saved_at: str = ""
    saved_by: str = ""
    environments: int = -1
    body: JsonObject | None = None
