"""Bodies of requests: objects of JSON, held against the manifest's schema and named checks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from envsync.contract import checks
from envsync.contract.json_types import Json, Pointer, dotted, pointer_text
from envsync.contract.validator import MANIFEST_BODY, validator
from envsync.contract.violation import Violation
from envsync.server.routes.call import Call, bad_request
from envsync.server.services.drafts import Notice

_MOST_FAULTS = 50
"""More than this of one body helps nobody."""


@dataclass(frozen=True, slots=True)
class Fault:
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


def faults_of(body: dict[str, Json]) -> tuple[Fault, ...]:
    """What makes ``body`` no environment manifest; empty when it is one."""
    schema = validator(MANIFEST_BODY)
    if not schema.is_valid(body):
        return _faults(schema.violations(body))
    return _faults(checks.violations("manifest", body))


def _faults(violations: Iterable[Violation]) -> tuple[Fault, ...]:
    return tuple(Fault(each.pointer, each.message) for each in list(violations)[:_MOST_FAULTS])
