"""A server's dry run, told in the words of a plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from envsync.contract.json_types import Json, Pointer
from envsync.planning.plan import FieldChange, FieldOp, Foreseen, Notice

CONFLICT_CODE = "manifest_changed"
"""What a server calls a save whose base has moved."""


UNREADABLE_CODE = "unreadable"
_LONGEST_RAW = 500


class ServerNotice(Protocol):
    @property
    def code(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def path(self) -> str: ...


class ServerField(Protocol):
    """One changed field as a server tells it; ``op`` is empty when it was told in another form."""

    @property
    def op(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def old(self) -> Json: ...
    @property
    def new(self) -> Json: ...


class ServerAnswer(Protocol):
    """What a dry run answered for one object. ``conflict`` is not ``None`` when the base moved;
    ``changes`` is the server's own list of changed fields; ``-1`` and ``None`` stand for what the
    server did not say. Of an ``unreadable`` answer only ``raw`` means anything."""

    @property
    def conflict(self) -> object | None: ...
    @property
    def next_version(self) -> int | None: ...
    @property
    def unchanged(self) -> bool: ...
    @property
    def changes(self) -> Sequence[ServerField]: ...
    @property
    def errors(self) -> Sequence[ServerNotice]: ...
    @property
    def warnings(self) -> Sequence[ServerNotice]: ...
    @property
    def environments_total(self) -> int: ...
    @property
    def environments_on_older(self) -> int: ...
    @property
    def unreadable(self) -> bool: ...
    @property
    def raw(self) -> str: ...


def foreseen(answer: ServerAnswer) -> Foreseen:
    """A conflict becomes an error like any other: the save would be refused. An answer that can't
    be read is a warning that shows it raw."""
    if answer.unreadable:
        told = f"the server's plan can't be read: {_cut(answer.raw)}"
        return Foreseen(source="server", warnings=(Notice(UNREADABLE_CODE, told),))
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
    return (
        answer.unchanged and not answer.unreadable and answer.conflict is None and not answer.errors
    )


def server_fields(answer: ServerAnswer) -> tuple[FieldChange, ...]:
    """The server's own list of changed fields, or nothing when any of it can't be read: half a
    list would pass for the whole."""
    found = [_server_field(each) for each in answer.changes]
    return tuple(each for each in found if each is not None) if None not in found else ()


def _server_field(field: ServerField) -> FieldChange | None:
    if field.op not in FieldOp.__members__.values() or not field.path.startswith("/"):
        return None
    return FieldChange(FieldOp(field.op), _pointer(field.path), old=field.old, new=field.new)


def _pointer(path: str) -> Pointer:
    """Tokens of digits are read as indices: whether they are is known only to the document."""
    tokens = (token.replace("~1", "/").replace("~0", "~") for token in path[1:].split("/"))
    return tuple(int(token) if token.isdecimal() else token for token in tokens)


def _notice(notice: ServerNotice) -> Notice:
    return Notice(notice.code, notice.message, notice.path)


def _cut(raw: str) -> str:
    return raw if len(raw) <= _LONGEST_RAW else raw[:_LONGEST_RAW] + "..."
