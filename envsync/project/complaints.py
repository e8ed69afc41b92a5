"""What is wrong with an envsync.yaml: the schema's answers, and the rules that it can't say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from msgspec.structs import replace

from envsync.contract.json_types import Json, JsonObject, Pointer, dotted
from envsync.errors import Problem, Severity
from envsync.project.context import EMBEDDED
from envsync.project.moves import move_complaints
from envsync.project.names import comparable, did_you_mean

if TYPE_CHECKING:
    from envsync.documents import Document

_VARIABLE = re.compile(r"env:[A-Za-z_][A-Za-z0-9_]*")
_NOT_EMBEDDED = ("key", "management_key", "ca_bundle")
_PUBLIC = frozenset({"server", "protected", "ca_bundle", "database"})
_HEX_KEY = re.compile(rb"[0-9A-Fa-f]{64}")
_FORMAT = 1


def complaints(document: Document) -> tuple[Problem, ...]:
    """Every problem of envsync.yaml, in the order of their places in the file.

    Our own rules speak first: where they do, the schema's more general answer is left out, and
    with it any text that could repeat a key which somebody wrote into the file.
    """
    own = list(_own_rules(document))
    answered = {pointer for pointer, _ in own}
    problems = [problem for _, problem in own]
    problems += _schema_problems(document, answered)
    if problems:
        secret = _secret_lines(document)
        problems = [_without_excerpt(problem, secret) for problem in problems]
    return tuple(sorted(problems, key=_place))


def without_keys(problems: tuple[Problem, ...], source: bytes) -> tuple[Problem, ...]:
    """``problems`` of a file that could not be read: a line with a key gets no excerpt."""
    lines = frozenset(_key_lines(source))
    return tuple(_without_excerpt(problem, lines) for problem in problems)


def _key_lines(source: bytes) -> Iterator[int]:
    for number, line in enumerate(source.split(b"\n"), 1):
        if _HEX_KEY.search(line):
            yield number


def _secret_lines(document: Document) -> frozenset[int]:
    """The lines that may hold a key which somebody wrote into the file: no excerpt shows them."""
    found = set(_key_lines(document.source))
    contexts = document.data.get("contexts")
    for name, said in contexts.items() if isinstance(contexts, dict) else ():
        for member, value in said.items() if isinstance(said, dict) else ():
            if member in _PUBLIC or _is_reference(value):
                continue
            position = document.position(("contexts", name, member))
            found.update(range(position.line, (position.end_line or position.line) + 1))
    return frozenset(found)


def _without_excerpt(problem: Problem, secret: frozenset[int]) -> Problem:
    places = [problem.position, *(place for place, _ in problem.related)]
    if any(place is not None and place.line in secret for place in places):
        return replace(problem, private=True)
    return problem


def _place(problem: Problem) -> tuple[int, int, str]:
    position = problem.position
    return (position.line, position.column, problem.code) if position else (0, 0, problem.code)


def _schema_problems(document: Document, answered: set[Pointer]) -> Iterator[Problem]:
    from envsync.contract.validator import validator

    schema = validator("envsync")
    if schema.is_valid(document.data):
        return
    for violation in schema.violations(document.data):
        if violation.pointer in answered:
            continue
        yield Problem(
            violation.code,
            violation.message,
            position=document.position(violation.pointer, key=violation.on_key),
            label=violation.label,
            remedy=violation.remedy,
        )


Complaint = tuple[Pointer, Problem]


def _own_rules(document: Document) -> Iterator[Complaint]:
    yield from _format(document)
    yield from move_complaints(document)
    contexts = document.data.get("contexts")
    if not isinstance(contexts, dict):
        return
    seen: dict[str, str] = {}
    for name, said in contexts.items():
        first = seen.setdefault(comparable(name), name)
        if first != name:
            yield _same_context(document, first, name)
        if isinstance(said, dict):
            yield from _server(document, name, said)
            yield from _keys(document, name, said)
    yield from _default_context(document, contexts)


def _format(document: Document) -> Iterator[Complaint]:
    stated = document.data.get("format")
    if isinstance(stated, int) and not isinstance(stated, bool) and stated > _FORMAT:
        yield (
            ("format",),
            Problem(
                "E408",
                f"envsync.yaml has format {stated}; this envsync knows format {_FORMAT}",
                position=document.position(("format",)),
                label="made for a newer envsync",
                remedy="use the newer envsync",
            ),
        )


def _same_context(document: Document, first: str, second: str) -> Complaint:
    pointer: Pointer = ("contexts", second)
    return pointer, Problem(
        "E407",
        f"contexts `{first}` and `{second}` differ only by case",
        position=document.position(pointer, key=True),
        label=f"another spelling of `{first}`",
        remedy="rename one of them: their overlay folders would be one on many file systems",
        related=((document.position(("contexts", first), key=True), "the first one"),),
    )


def _server(document: Document, name: str, said: JsonObject) -> Iterator[Complaint]:
    server = said.get("server")
    if not isinstance(server, str) or server == EMBEDDED:
        return
    pointer: Pointer = ("contexts", name, "server")
    fault, private = _address_fault(server)
    if fault:
        yield (
            pointer,
            Problem(
                "E402",
                f"the server of context `{name}` is not an address: {fault}",
                position=document.position(pointer),
                label=fault,
                remedy=did_you_mean(server, [EMBEDDED])
                or "write `embedded`, or an address like https://runtime.example",
                private=private,
            ),
        )
    elif server.startswith("http://") and not _is_loopback(urlsplit(server).hostname or ""):
        yield (
            pointer,
            Problem(
                "W403",
                f"context `{name}` names {urlsplit(server).netloc} without encryption: "
                "no key is sent there",
                severity=Severity.WARNING,
                position=document.position(pointer),
                remedy="use an https:// address",
            ),
        )


def _address_fault(server: str) -> tuple[str, bool]:
    """What keeps ``server`` from being an address, and whether it must not be shown."""
    try:
        parts = urlsplit(server)
        port = parts.port
    except ValueError:
        return "it cannot be read as a URL", "@" in server
    if "@" in parts.netloc:
        return "it holds a user name or a password, which belong under `key:`", True
    if parts.scheme not in ("http", "https"):
        return "it does not start with https:// or http://", False
    if not parts.hostname or re.search(r"\s", server) or port == 0:
        return "it names no host", False
    if parts.query or parts.fragment or "?" in server or "#" in server:
        return "it has a query or a fragment", False
    return "", False


def _is_loopback(host: str) -> bool:
    return host == "localhost" or host == "::1" or host.startswith("127.")


def _keys(document: Document, name: str, said: JsonObject) -> Iterator[Complaint]:
    for member in ("key", "management_key"):
        if member in said and not _is_reference(said[member]):
            yield _literal_key(document, name, member, said[member])
    server = said.get("server")
    if not isinstance(server, str):
        return
    embedded = server == EMBEDDED
    for member in _NOT_EMBEDDED if embedded else ("database",):
        if member in said and (embedded or not _address_fault(server)[0]):
            pointer: Pointer = ("contexts", name, member)
            what = "an embedded server" if embedded else "a server behind an address"
            yield (
                pointer,
                Problem(
                    "E406",
                    f"`{member}` is of no use with {what}",
                    position=document.position(pointer, key=True),
                    label=f"context `{name}` has `server: {server}`" if embedded else "",
                    remedy=f"remove `{member}` from context `{name}`, or name another server",
                ),
            )
    # An address that is none may be a slip for `embedded`, which needs no key.
    if not embedded and "key" not in said and not _address_fault(server)[0]:
        yield (
            ("contexts", name),
            Problem(
                "E404",
                f"context `{name}` names a server but no key: its credentials are half given",
                position=document.position(("contexts", name), key=True),
                remedy="add `key: env:NYLORUN_SERVER_KEY` (or `key: file:PATH`) beside `server`",
            ),
        )


def _is_reference(value: Json) -> bool:
    if not isinstance(value, str):
        return False
    return bool(_VARIABLE.fullmatch(value)) or (value.startswith("file:") and len(value) > 5)


def _literal_key(document: Document, name: str, member: str, value: Json) -> Complaint:
    """The complaint about a key that is none of the references. It never repeats the value."""
    pointer: Pointer = ("contexts", name, member)
    if isinstance(value, str) and value.startswith(("env:", "file:")):
        message = f"`{dotted(pointer)}` names no environment variable or file"
    else:
        message = f"`{dotted(pointer)}` must say where the key is, never be the key"
    return pointer, Problem(
        "E403",
        message,
        position=document.position(pointer),
        label="not a reference",
        remedy="write `env:NAME` or `file:PATH`; if a real key stood here, replace it on the "
        "server, since Git remembers it",
        private=True,
    )


def _default_context(document: Document, contexts: JsonObject) -> Iterator[Complaint]:
    wanted = document.data.get("default_context")
    pointer: Pointer = ("default_context",)
    known = ", ".join(contexts)
    if wanted is None and "default_context" not in document.data:
        if len(contexts) > 1:
            yield (
                ("contexts",),
                Problem(
                    "E405",
                    f"there are {len(contexts)} contexts and no `default_context`",
                    position=document.position(("contexts",), key=True),
                    remedy=f"add `default_context:` with one of: {known}",
                ),
            )
    elif isinstance(wanted, str) and wanted not in contexts:
        yield (
            pointer,
            Problem(
                "E405",
                f"the default context `{wanted}` is not one of the contexts",
                position=document.position(pointer),
                label=did_you_mean(wanted, contexts),
                remedy=f"name one of: {known}",
            ),
        )
