"""Fields that a repository leaves to others.

An ``ignore`` entry names a type, a name pattern and a JSON Pointer. What the server holds there is
taken over into what is compared and into what is sent, so that nobody's value is put back.
An object that does not exist yet is made as its file says: there is nobody's value to keep.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from envsync.contract.json_types import Json, JsonObject
from envsync.planning.patterns import matches
from envsync.planning.sameness import is_list
from envsync.resources.resource import ObjectId

Tokens = tuple[str, ...]
"""The reference tokens of a JSON Pointer, unescaped. Whether ``0`` is an index or a key is known
only where a document is met."""


class IgnoreRule(Struct, frozen=True):
    """``path`` is an RFC 6901 JSON Pointer: ``/lifecycle/idle``."""

    type: str
    name: str
    path: str


def pointer_tokens(pointer: str) -> Tokens:
    """The tokens of an RFC 6901 JSON Pointer. Raises ``ValueError`` when it is none, or names the
    whole document."""
    if not pointer.startswith("/"):
        raise ValueError(f"{pointer!r} is not a JSON Pointer to a field: it starts with /")
    tokens = pointer[1:].split("/")
    for token in tokens:
        if "~" in token.replace("~0", "").replace("~1", ""):
            raise ValueError(f"{pointer!r} is not a JSON Pointer: ~ is written ~0, / is written ~1")
    return tuple(token.replace("~1", "/").replace("~0", "~") for token in tokens)


def ignored_fields(rules: Iterable[IgnoreRule], object_id: ObjectId) -> tuple[Tokens, ...]:
    """The fields of ``object_id`` that are left to others, in order, each once."""
    found = {
        pointer_tokens(rule.path)
        for rule in rules
        if rule.type == object_id.type and matches(rule.name, object_id.name)
    }
    return tuple(sorted(found))


def take_over(body: JsonObject, observed: JsonObject, fields: Iterable[Tokens]) -> dict[str, Json]:
    """``body`` with what ``observed`` holds at ``fields``: its value, or nothing where it has none.

    A field that lies in a list is taken over only where both sides have that item; where one side
    has a plain value on the way, the field does not exist there and nothing is done.
    """
    result: Json = body
    for tokens in fields:
        result = _with(result, observed, tokens)
    assert isinstance(result, Mapping)  # a pointer names a field, never the whole
    return dict(result)


class _Absent:
    """Tells a value that is not there from null."""


_ABSENT = _Absent()


def _with(value: Json, observed: Json | _Absent, tokens: Tokens) -> Json:
    if not tokens:
        return value if isinstance(observed, _Absent) else observed
    token, rest = tokens[0], tokens[1:]
    if isinstance(value, Mapping):
        theirs = _member(observed, token)
        if not rest and isinstance(theirs, _Absent):
            return {key: item for key, item in value.items() if key != token}
        if token in value:
            return {**value, token: _with(value[token], theirs, rest)}
        made = _made(theirs, rest)
        return value if isinstance(made, _Absent) else {**value, token: made}
    if is_list(value) and token.isdecimal() and int(token) < len(value):
        index = int(token)
        theirs = observed[index] if _has_item(observed, index) else _ABSENT  # type: ignore[index]
        if isinstance(theirs, _Absent):
            return value
        return [*value[:index], _with(value[index], theirs, rest), *value[index + 1 :]]
    return value


def _made(observed: Json | _Absent, tokens: Tokens) -> Json | _Absent:
    """What must be made where our side has nothing on the way to an ignored field."""
    if isinstance(observed, _Absent) or not tokens:
        return observed
    made = _made(_member(observed, tokens[0]), tokens[1:])
    return made if isinstance(made, _Absent) else {tokens[0]: made}


def _member(value: Json | _Absent, key: str) -> Json | _Absent:
    if isinstance(value, Mapping) and key in value:
        return value[key]
    return _ABSENT


def _has_item(value: Json | _Absent, index: int) -> bool:
    return isinstance(value, list | tuple) and index < len(value)
