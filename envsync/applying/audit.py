"""One line of JSON for each outcome, for a file that is only ever appended to."""

from __future__ import annotations

import orjson
from msgspec import Struct

from envsync.applying.outcome import Outcome
from envsync.contract.json_types import Json


class AuditContext(Struct, frozen=True):
    """What all lines of a run share. ``at`` is ISO 8601 UTC; ``actor`` is who ran it, as the
    server knows them; ``server`` is the address; ``plan`` is the plan's id."""

    at: str
    project: str
    context: str
    server: str
    actor: str = ""
    plan: str = ""
    commit: str = ""


def audit_line(outcome: Outcome, context: AuditContext) -> bytes:
    """One line, with its end. Text is escaped as JSON escapes it, so that no outcome can forge a
    second line. It holds no body and no secret."""
    line: dict[str, Json] = {
        "at": context.at,
        "actor": context.actor,
        "project": context.project,
        "context": context.context,
        "server": context.server,
        "plan": context.plan,
        "commit": context.commit,
        "type": outcome.id.type,
        "name": outcome.id.name,
        "op": None if outcome.op is None else outcome.op.value,
        "result": outcome.result.value,
        "version": None if outcome.base is None else outcome.base.version,
        "hash": None if outcome.base is None else outcome.base.hash,
        "attempts": outcome.attempts,
        "uncertain": outcome.uncertain,
        "notes": list(outcome.notes),
        "error": None
        if outcome.problem is None
        else {"code": outcome.problem.code, "message": outcome.problem.message},
    }
    return orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)
