"""Plan: changes in order, what they were made from, and what the server said of them."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from envsync.contract.json_types import Json, JsonObject, Pointer
from envsync.contract.states import State
from envsync.resources.resource import Base, ObjectId


class Op(StrEnum):
    """What a change does. The value is the word in JSON; symbols belong to rendering."""

    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"


class FieldOp(StrEnum):
    ADD = "add"
    REMOVE = "remove"
    REPLACE = "replace"


class FieldChange(Struct, frozen=True):
    """One value's way from observed to desired. ``old`` is ``None`` for an addition, ``new`` for
    a removal; ``op`` tells a real null from an absent value."""

    op: FieldOp
    path: Pointer
    old: Json = None
    new: Json = None


class Notice(Struct, frozen=True):
    """An error or warning that a server foresaw. ``path`` is a JSON Pointer or empty."""

    code: str
    message: str
    path: str = ""


class Foreseen(Struct, frozen=True):
    """What is known beforehand about a change.

    ``source`` is ``server`` when its dry run said so, ``reads`` when it was told from reads.
    ``environments`` and ``on_older`` count Environments visible to the caller; ``-1``: unknown.
    """

    source: str = "reads"
    next_version: int | None = None
    errors: tuple[Notice, ...] = ()
    warnings: tuple[Notice, ...] = ()
    environments: int = -1
    on_older: int = -1


class ThreeWay(Struct, frozen=True):
    """What Git said when repository and server last agreed. Ours is the change's ``canonical``,
    theirs its ``base_canonical``, saved by ``saved_by`` at ``saved_at``.

    ``version`` is the server's version that held it, ``commit`` the one that said it (full id) and
    ``canonical`` what both said; 0, empty and ``None`` where they never agreed, or where that
    can't be told. ``put_back`` is the commit whose older content somebody put back, or empty.
    """

    version: int = 0
    commit: str = ""
    canonical: JsonObject | None = None
    put_back: str = ""


class Change(Struct, frozen=True):
    """One object's way from observed to desired.

    ``base`` is what the server held when the plan was made, ``None`` meaning explicitly absent.
    ``body`` is the exact body that will be sent; ``None`` for a delete. ``hash`` is the canonical
    hash that the server shall hold afterwards; empty for a delete. ``base_canonical`` and
    ``canonical`` are both sides normalised: they feed the three-way view and a conflict check.

    ``three_way`` is there for drift. ``held_back`` is empty for what will be sent; otherwise the
    state (``drift``, ``unknown``) for which it is shown and not sent. ``moved_from`` is the name
    that the object had before, where envsync.yaml declares that it moved.
    """

    id: ObjectId
    op: Op
    state: State
    base: Base | None = None
    hash: str = ""
    body: JsonObject | None = None
    canonical: JsonObject | None = None
    base_canonical: JsonObject | None = None
    fields: tuple[FieldChange, ...] = ()
    foreseen: Foreseen = Foreseen()
    path: str = ""
    saved_by: str = ""
    saved_at: str = ""
    three_way: ThreeWay | None = None
    held_back: str = ""
    moved_from: str = ""

    @property
    def blocked(self) -> bool:
        """Whether the server already said that it would refuse this."""
        return bool(self.foreseen.errors)


class Held(Struct, frozen=True):
    """An object that the plan leaves as it is: in sync, foreign, or missing and not asked for.

    ``hash`` is the canonical hash both sides have (in sync), or empty.
    """

    id: ObjectId
    state: State
    base: Base | None = None
    hash: str = ""
    path: str = ""
    environments: int = -1
    saved_by: str = ""
    saved_at: str = ""


class ServerIdentity(Struct, frozen=True):
    """Which server a plan was made against: its address as configured, and its own host id."""

    address: str
    host_id: str = ""
    label: str = ""


class Plan(Struct, frozen=True):
    """The reviewed value. ``id`` is the SHA-256 of its canonical JSON without ``commit``,
    ``created_at`` and ``id`` itself (``rules.md`` 3)."""

    id: str
    project: str
    context: str
    server: ServerIdentity
    tree: str
    changes: tuple[Change, ...]
    held: tuple[Held, ...] = ()
    left_out: tuple[str, ...] = ()
    commit: str = ""
    created_at: str = ""

    @property
    def is_empty(self) -> bool:
        return not self.changes

    @property
    def has_errors(self) -> bool:
        return any(change.blocked for change in self.changes)
