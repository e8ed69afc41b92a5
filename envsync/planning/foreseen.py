"""A server's dry run, told in the words of a plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from envsync.contract.json_types import Json, Pointer
from envsync.planning.plan import FieldChange, FieldOp, Foreseen, Notice

CONFLICT_CODE = "manifest_changed"
"""What a server calls a save whose base has moved."""


class ServerNotice(Protocol):
    @property
    def code(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def path(self) -> str: ...


class ServerAnswer(Protocol):
    """What a dry run answered for one object. ``conflict`` is not ``None`` when the base moved;
    ``changes`` is the server's own list of changed fields, as it was read; ``-1`` and ``None``
    stand for what the server did not say."""

    @property
    def conflict(self) -> object | None: ...
    @property
    def next_version(self) -> int | None: ...
    @property
    def unchanged(self) -> bool: ...
    @property
    def errors(self) -> Sequence[ServerNotice]: ...
    @property
    def warnings(self) -> Sequence[ServerNotice]: ...
    @property
    def environments_total(self) -> int: ...
    @property
    def environments_on_older(self) -> int: ...


def foreseen(answer: ServerAnswer) -> Foreseen:
    """A conflict becomes an error like any other: the save would be refused."""
    errors = tuple(_notice(error) for error in answer.errors)
    if answer.conflict is not None and all(error.code != CONFLICT_CODE for error in errors):
        told = "somebody saved another version while this plan was made; plan again"
        errors = (Notice(CONFLICT_CODE, told), *errors)
    return Foreseen(
        source="server",
        next_version=answer.next_version,
        errors=errors,
        warnings=tuple(_notice(warning) for warning in answer.warnings),
        environments=answer.environments_total,
        on_older=answer.environments_on_older,
    )


def says_unchanged(answer: ServerAnswer) -> bool:
    """Whether the server would not save anything new. It overrules any diff of ours."""
    return answer.unchanged and answer.conflict is None and not answer.errors


def server_fields(changes: object) -> tuple[FieldChange, ...]:
    """The server's own list of changed fields (``op``, ``path``, ``from``, ``to``), or nothing
    when any of it can't be read: half a list would pass for the whole."""
    if not isinstance(changes, list | tuple):
        return ()
    found = [_server_field(each) for each in changes]
    return tuple(each for each in found if each is not None) if None not in found else ()


def _server_field(change: object) -> FieldChange | None:
    if isinstance(change, FieldChange):
        return change
    if not isinstance(change, Mapping):
        return None
    path, op = change.get("path"), change.get("op")
    if not isinstance(path, str) or not path.startswith("/"):
        return None
    if not isinstance(op, str) or op not in FieldOp.__members__.values():
        return None
    old: Json = change.get("from")
    new: Json = change.get("to")
    return FieldChange(FieldOp(op), _pointer(path), old=old, new=new)


def _pointer(path: str) -> Pointer:
    """Tokens of digits are read as indices: whether they are is known only to the document."""
    tokens = (token.replace("~1", "/").replace("~0", "~") for token in path[1:].split("/"))
    return tuple(int(token) if token.isdecimal() else token for token in tokens)


def _notice(notice: ServerNotice) -> Notice:
    return Notice(notice.code, notice.message, notice.path)
