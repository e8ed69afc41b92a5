"""One event as one line of JSON, for programs. The shape is in ``watch-event.schema.json``."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from envsync.applying.outcome import Outcome
from envsync.contract.json_types import Json, JsonObject
from envsync.planning.plan import Change
from envsync.rendering.json_output import problem_json
from envsync.resources.resource import ObjectId
from envsync.watching import events
from envsync.watching.differences import Saved

MOST_OBJECTS = 1000
"""A line names so many objects at most; the counts are always whole."""


def event_line(event: events.Event, at: datetime) -> str:
    """``event`` with the time ``at``, ending with a newline. Only ASCII leaves here."""
    said: dict[str, Json] = {"event": _name(event), "at": moment(at), **_said(event)}
    return json.dumps(said, ensure_ascii=True, allow_nan=False, separators=(", ", ": ")) + "\n"


def moment(at: datetime) -> str:
    """ISO 8601, UTC, milliseconds."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


_NAMES: dict[type, str] = {
    events.Started: "started",
    events.FilesChanged: "files-changed",
    events.FilesWrong: "files-wrong",
    events.FilesMended: "files-mended",
    events.ServerChanged: "server-changed",
    events.Planned: "planned",
    events.Withheld: "withheld",
    events.Applied: "applied",
    events.Parked: "contested",
    events.Trouble: "trouble",
    events.Recovered: "recovered",
    events.Rearmed: "rearmed",
    events.Stopped: "stopped",
}


def _name(event: events.Event) -> str:
    return _NAMES[type(event)]


def _said(event: events.Event) -> JsonObject:  # noqa: C901 - one short case an event
    match event:
        case events.Started():
            return {
                "project": event.project,
                "context": event.context,
                "server": event.server,
                "source": event.source,
                "ref": event.ref or None,
                "applies": event.applies,
                "listening": event.listening or None,
            }
        case events.FilesChanged():
            return {
                "tree": event.tree,
                "commit": event.commit or None,
                "files": event.files,
                "changed": len(event.objects),
                "objects": [_id(each) for each in event.objects[:MOST_OBJECTS]],
            }
        case events.FilesWrong():
            return {"problems": [problem_json(each) for each in event.problems]}
        case events.ServerChanged():
            return {
                "changed": len(event.saved),
                "objects": [_saved(each) for each in event.saved[:MOST_OBJECTS]],
            }
        case events.Planned():
            return _planned(event)
        case events.Withheld():
            return {"problem": problem_json(event.problem)}
        case events.Applied():
            return {
                "seconds": round(event.seconds, 3),
                "exitCode": int(event.exit_code),
                "outcomes": [_outcome(each) for each in event.outcomes],
            }
        case events.Parked():
            parked = event.contested
            return {
                **_id(parked.id),
                "flips": parked.flips,
                "savedBy": parked.saved_by or None,
            }
        case events.Trouble():
            return {
                "problem": problem_json(event.problem),
                "againIn": round(event.again_in, 3),
                "failures": event.failures,
            }
        case events.Recovered():
            return {"seconds": round(event.seconds, 3)}
        case events.Rearmed():
            return {"why": event.why, "folders": event.folders, "native": event.native}
        case events.Stopped():
            return {
                "signal": event.signal or None,
                "pending": [_id(each) for each in event.pending[:MOST_OBJECTS]],
                "exitCode": int(event.exit_code),
            }
        case events.FilesMended():
            return {}


def _planned(event: events.Planned) -> JsonObject:
    plan = event.plan
    return {
        "plan": plan.id,
        "server": plan.server.address,
        "tree": plan.tree,
        "commit": plan.commit or None,
        "seconds": round(event.seconds, 3),
        "counts": {state.value: count for state, count in sorted(event.counts.items())},
        "changed": len(plan.changes),
        "changes": [_change(each) for each in plan.changes[:MOST_OBJECTS]],
    }


def _id(object_id: ObjectId) -> JsonObject:
    return {"type": object_id.type, "name": object_id.name}


def _change(change: Change) -> JsonObject:
    return {
        **_id(change.id),
        "op": change.op.value,
        "state": change.state.value,
        "heldBack": change.held_back or None,
        "version": change.base.version if change.base else None,
        "path": change.path or None,
        "errors": [notice.message for notice in change.foreseen.errors],
    }


def _saved(saved: Saved) -> JsonObject:
    return {
        **_id(saved.id),
        "what": saved.what,
        "version": saved.version or None,
        "savedBy": saved.saved_by or None,
        "savedAt": saved.saved_at or None,
    }


def _outcome(outcome: Outcome) -> JsonObject:
    return {
        **_id(outcome.id),
        "op": outcome.op.value if outcome.op else None,
        "result": outcome.result.value,
        "version": outcome.base.version if outcome.base else None,
        "problem": problem_json(outcome.problem) if outcome.problem else None,
        "notes": list(outcome.notes),
    }
