"""Moves: what envsync.yaml says about objects that have another name now."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from envsync.contract.json_types import Json, Pointer
from envsync.errors import Problem

if TYPE_CHECKING:
    from envsync.documents import Document


class Move(Struct, frozen=True):
    """The object of ``type`` that was called ``old`` is called ``new``."""

    type: str
    old: str
    new: str


def moves_of(said: Json) -> tuple[Move, ...]:
    """The moves of a valid ``moved:``."""
    if not isinstance(said, list):
        return ()
    return tuple(
        Move(str(each["type"]), str(each["from"]), str(each["to"]))
        for each in said
        if isinstance(each, dict)
    )


def former_names(moves: Sequence[Move], type_: str, name: str) -> tuple[str, ...]:
    """What the object was called before, the latest of its names first."""
    before = {(move.type, move.new): move.old for move in moves}
    names: list[str] = []
    while (former := before.get((type_, name))) is not None and former not in names:
        names.append(former)
        name = former
    return tuple(names)


def move_complaints(document: Document) -> Iterator[tuple[Pointer, Problem]]:
    """Moves that contradict each other. What has the wrong shape is the schema's to say."""
    said = document.data.get("moved")
    olds: dict[tuple[str, str], Pointer] = {}
    news: dict[tuple[str, str], Pointer] = {}
    moves: list[Move] = []
    for index, entry in enumerate(said if isinstance(said, list) else ()):
        if not isinstance(entry, dict):
            continue
        type_, old, new = (entry.get(key) for key in ("type", "from", "to"))
        if not (isinstance(type_, str) and isinstance(old, str) and isinstance(new, str)):
            continue
        at: Pointer = ("moved", index)
        first_old = olds.setdefault((type_, old), (*at, "from"))
        first_new = news.setdefault((type_, new), (*at, "to"))
        if old == new:
            yield _contradiction(document, (*at, "to"), f"{type_} {old} is moved to itself")
        elif first_old != (*at, "from"):
            message = f"{type_} {old} is moved twice"
            yield _contradiction(document, (*at, "from"), message, first_old)
        elif first_new != (*at, "to"):
            message = f"two objects are moved to {type_} {new}"
            yield _contradiction(document, (*at, "to"), message, first_new)
        elif new in former_names([*moves, Move(type_, old, new)], type_, old):
            yield _contradiction(
                document, (*at, "to"), f"the moves of {type_} {new} go in a circle"
            )
        else:
            moves.append(Move(type_, old, new))


def _contradiction(
    document: Document, pointer: Pointer, message: str, first: Pointer = ()
) -> tuple[Pointer, Problem]:
    return pointer, Problem(
        "E409",
        message,
        position=document.position(pointer),
        remedy="keep the entry that is true, and remove the other",
        related=((document.position(first), "the other one"),) if first else (),
    )
