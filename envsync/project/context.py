"""Context: a server that the repository can be applied to, and how to reach it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from envsync.contract.json_types import Pointer
from envsync.errors import Position

if TYPE_CHECKING:
    from envsync.documents import Document

EMBEDDED = "embedded"
DEFAULT_DATABASE = ".envsync/server.db"


class Place(Struct, frozen=True):
    """A place in envsync.yaml that is looked up when somebody asks: most runs never do."""

    document: Document
    pointer: Pointer
    key: bool = False

    @property
    def position(self) -> Position:
        return self.document.position(self.pointer, key=self.key)


@dataclass(frozen=True, slots=True)
class KeyReference:
    """Where a key is, never the key: an environment variable, or an absolute path of a file.

    ``place`` is where envsync.yaml says so.
    """

    source: Literal["env", "file"]
    target: str
    place: Place = field(repr=False, compare=False)

    @property
    def position(self) -> Position:
        return self.place.position

    def __str__(self) -> str:
        return f"{self.source}:{self.target}"


@dataclass(frozen=True, slots=True)
class Context:
    """``server`` is ``embedded`` or an ``http`` or ``https`` address without a final slash.

    ``ca_bundle`` and ``database`` are absolute. ``place`` is where envsync.yaml names the
    context.
    """

    name: str
    server: str
    place: Place = field(repr=False, compare=False)
    key: KeyReference | None = None
    management_key: KeyReference | None = None
    protected: bool = False
    ca_bundle: Path | None = None
    database: Path | None = None

    @property
    def position(self) -> Position:
        return self.place.position

    @property
    def embedded(self) -> bool:
        return self.server == EMBEDDED

    def database_path(self, root: Path) -> Path:
        """The embedded server's SQLite file: beside envsync.yaml unless the context says else."""
        return self.database or root / DEFAULT_DATABASE
