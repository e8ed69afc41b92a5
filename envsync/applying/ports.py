"""What carrying out a plan needs of a server: one who reads and one who writes."""

from __future__ import annotations

from typing import Protocol

from envsync.contract.json_types import JsonObject
from envsync.planning.foreseen import ServerAnswer


class View(Protocol):
    """An object as the server holds it. ``manifest`` is ``None`` in a summary."""

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def hash(self) -> str: ...
    @property
    def manifest(self) -> JsonObject | None: ...
    @property
    def saved_at(self) -> str: ...
    @property
    def saved_by(self) -> str: ...
    @property
    def environments(self) -> int: ...


class Saved(Protocol):
    """What became of a save. ``unchanged``: the server held just that before."""

    @property
    def view(self) -> View: ...
    @property
    def unchanged(self) -> bool: ...
    @property
    def notes(self) -> tuple[str, ...]: ...


class Deleted(Protocol):
    """``deleted`` is false when there was none; ``atomic`` when the server checked the version."""

    @property
    def deleted(self) -> bool: ...
    @property
    def atomic(self) -> bool: ...


class Reader(Protocol):
    async def get_manifest(self, name: str, version: int | None = None) -> View | None:
        """The latest, or ``None`` when there is none."""
        ...

    async def dry_run(self, name: str, body: JsonObject, if_match: int | None) -> ServerAnswer: ...


class Writer(Protocol):
    """Raises ``ApiError`` with status 412 when ``if_match`` is not the latest version."""

    async def save_manifest(self, name: str, body: JsonObject, if_match: int | None) -> Saved: ...

    async def delete_manifest(self, name: str, if_match: int | None) -> Deleted: ...
