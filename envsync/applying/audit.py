"""One line of JSON for each outcome, for a file that is only ever appended to."""

from __future__ import annotations

import orjson

from envsync.applying.outcome import Outcome
from envsync.contract.json_types import Json
from envsync.planning.plan import Plan


def audit_line(plan: Plan, outcome: Outcome, *, at: str, actor: str = "") -> bytes:
    """One line, with its end. ``at`` is ISO 8601 UTC; ``actor`` is who ran it, as the server knows
    them. Text is escaped as JSON escapes it, so that no outcome can forge a second line. It holds
    no body and no secret."""
    line: dict[str, Json] = {
        "at": at,
        "actor": actor,
        "project": plan.project,
        "context": plan.context,
        "server": plan.server.address,
        "plan": plan.id,
        "commit": plan.commit,
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
