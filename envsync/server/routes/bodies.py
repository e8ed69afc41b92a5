"""Bodies of requests: objects of JSON, held against the manifest's schema and named checks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from envsync.contract import checks
from envsync.contract.json_types import Json, dotted, pointer_text
from envsync.contract.validator import MANIFEST_BODY, validator
from envsync.contract.violation import Violation
from envsync.server.routes.call import Call, bad_request

_MOST_FAULTS = 50
"""More than this of one body helps nobody."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with a body. ``path`` is a JSON Pointer into the manifest."""

    message: str
    path: str = ""
    shown: str = ""

    def __str__(self) -> str:
        return f"{self.shown}: {self.message}" if self.shown else self.message

    def notice(self) -> dict[str, Json]:
        """The fault as a plan's ``errors`` have it."""
        notice: dict[str, Json] = {"code": "request_rejected", "message": self.message}
        return {**notice, "path": self.path} if self.path else notice


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
    return tuple(
        Fault(each.message, pointer_text(each.pointer), dotted(each.pointer))
        for each in list(violations)[:_MOST_FAULTS]
    )
