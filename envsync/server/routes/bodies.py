"""Bodies of requests: objects of JSON, held against the manifest's schema and named checks."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from envsync.contract import checks
from envsync.contract.json_types import Json, Pointer, dotted, pointer_text
from envsync.contract.validator import MANIFEST_BODY, validator
from envsync.contract.violation import Violation
from envsync.server.routes.call import Call, bad_request
from envsync.server.services.drafts import Notice

_MOST_FAULTS = 50
"""More than this of one body helps nobody."""

_EXPLAINED_VALUES = 300
"""A request may make the server explain so many values in all. Explaining a body of 1 MiB would
take minutes; what is past this is refused in fewer words."""


class Fault(Struct, frozen=True):
    """One thing that is wrong with a manifest, and where in it."""

    pointer: Pointer
    message: str

    def __str__(self) -> str:
        place = dotted(self.pointer)
        return f"{place}: {self.message}" if place else self.message

    @property
    def notice(self) -> Notice:
        """The fault as a plan's ``errors`` have it."""
        return Notice("request_rejected", self.message, pointer_text(self.pointer))


def object_of(call: Call) -> dict[str, Json]:
    """The body, which is an object. Raises ``Refusal`` 400."""
    body = call.json()
    if not isinstance(body, dict):
        raise bad_request("The body is a JSON object")
    return body


class FaultFinder:
    """Finds what makes bodies no environment manifests. One for each request."""

    def __init__(self) -> None:
        self._left = _EXPLAINED_VALUES

    def faults_of(self, body: dict[str, Json]) -> tuple[Fault, ...]:
        """What is wrong with ``body``; empty when it is a manifest."""
        try:
            return self._faults_of(body)
        except (ValueError, RecursionError):
            # What the validators say of a body that is deeper than they can follow.
            return (Fault((), "The manifest is nested too deeply"),)

    def _faults_of(self, body: dict[str, Json]) -> tuple[Fault, ...]:
        schema = validator(MANIFEST_BODY)
        if schema.is_valid(body):
            return _faults(checks.violations("manifest", body))
        self._left -= _size(body, self._left)
        if self._left <= 0:
            return _faults(schema.first_violations(body, _MOST_FAULTS))
        return _faults(schema.violations(body))


def _size(body: Json, most: int) -> int:
    """How many values ``body`` holds, counted no further than ``most``."""
    count, left = 0, [body]
    while left and count < most:
        value = left.pop()
        count += 1
        if isinstance(value, dict):
            left.extend(value.values())
        elif isinstance(value, list):
            left.extend(value)
    return count


def _faults(violations: Iterable[Violation]) -> tuple[Fault, ...]:
    return tuple(Fault(each.pointer, each.message) for each in list(violations)[:_MOST_FAULTS])
