"""A plan as JSON and back. The shape is described by ``schemas/plan.schema.json``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from envsync.contract.json_types import Json, JsonObject, Pointer, pointer_text
from envsync.contract.normalise import normalise
from envsync.contract.states import State
from envsync.planning.plan import (
    Change,
    FieldChange,
    FieldOp,
    Foreseen,
    Held,
    Notice,
    Op,
    Plan,
    ServerIdentity,
    ThreeWay,
)
from envsync.resources.resource import Base, ObjectId

FORMAT: Final = 1
ABSENT: Final = "absent"
"""A base that says: the server held nothing of that name."""

_Object = Mapping[str, Any]
"""A part of a plan file. Its shape was checked against the schema before."""


def to_json(plan: Plan) -> dict[str, Json]:
    """The whole plan. ``canonical`` is left out: it follows from ``body``."""
    return {
        "format": FORMAT,
        "id": plan.id,
        "project": plan.project,
        "context": plan.context,
        "server": {
            "address": plan.server.address,
            "hostId": plan.server.host_id,
            "label": plan.server.label,
        },
        "tree": plan.tree,
        "commit": plan.commit,
        "createdAt": plan.created_at,
        "changes": [_change_to_json(change) for change in plan.changes],
        "held": [_held_to_json(held) for held in plan.held],
        "leftOut": list(plan.left_out),
    }


def from_json(data: _Object) -> Plan:
    """The plan that ``data`` says. ``data`` is valid by the schema."""
    server = data["server"]
    return Plan(
        id=data["id"],
        project=data["project"],
        context=data["context"],
        server=ServerIdentity(server["address"], server["hostId"], server["label"]),
        tree=data["tree"],
        changes=tuple(_change_from_json(each) for each in data["changes"]),
        held=tuple(_held_from_json(each) for each in data["held"]),
        left_out=tuple(data["leftOut"]),
        commit=data["commit"],
        created_at=data["createdAt"],
    )


def _change_to_json(change: Change) -> dict[str, Json]:
    told: dict[str, Json] = {
        "type": change.id.type,
        "name": change.id.name,
        "op": change.op.value,
        "state": change.state.value,
        "base": _base_to_json(change.base),
        "hash": change.hash,
        "path": change.path,
        "savedBy": change.saved_by,
        "savedAt": change.saved_at,
        "fields": [_field_to_json(field) for field in change.fields],
        "foreseen": _foreseen_to_json(change.foreseen),
    }
    if change.body is not None:
        told["body"] = change.body
    if change.base_canonical is not None:
        told["baseCanonical"] = change.base_canonical
    if change.three_way is not None:
        told["threeWay"] = _three_way_to_json(change.three_way)
    if change.held_back:
        told["heldBack"] = change.held_back
    if change.moved_from:
        told["movedFrom"] = change.moved_from
    return told


def _change_from_json(data: _Object) -> Change:
    body: JsonObject | None = data.get("body")
    return Change(
        ObjectId(data["type"], data["name"]),
        Op(data["op"]),
        State(data["state"]),
        base=_base_from_json(data["base"]),
        hash=data["hash"],
        body=body,
        canonical=None if body is None else normalise(data["type"], body),
        base_canonical=data.get("baseCanonical"),
        fields=tuple(_field_from_json(each) for each in data["fields"]),
        foreseen=_foreseen_from_json(data["foreseen"]),
        path=data["path"],
        saved_by=data["savedBy"],
        saved_at=data["savedAt"],
        three_way=_three_way_from_json(data["threeWay"]) if "threeWay" in data else None,
        held_back=data.get("heldBack", ""),
        moved_from=data.get("movedFrom", ""),
    )


def _three_way_to_json(three_way: ThreeWay) -> dict[str, Json]:
    told: dict[str, Json] = {
        "version": three_way.version,
        "commit": three_way.commit,
        "putBack": three_way.put_back,
    }
    if three_way.canonical is not None:
        told["canonical"] = three_way.canonical
    return told


def _three_way_from_json(data: _Object) -> ThreeWay:
    return ThreeWay(data["version"], data["commit"], data.get("canonical"), data["putBack"])


def _held_to_json(held: Held) -> dict[str, Json]:
    return {
        "type": held.id.type,
        "name": held.id.name,
        "state": held.state.value,
        "base": _base_to_json(held.base),
        "hash": held.hash,
        "path": held.path,
        "environments": held.environments,
        "savedBy": held.saved_by,
        "savedAt": held.saved_at,
    }


def _held_from_json(data: _Object) -> Held:
    return Held(
        ObjectId(data["type"], data["name"]),
        State(data["state"]),
        _base_from_json(data["base"]),
        data["hash"],
        data["path"],
        data["environments"],
        data["savedBy"],
        data["savedAt"],
    )


def _base_to_json(base: Base | None) -> Json:
    return ABSENT if base is None else {"version": base.version, "hash": base.hash}


def _base_from_json(data: Any) -> Base | None:
    return None if data == ABSENT else Base(data["version"], data["hash"])


def _field_to_json(field: FieldChange) -> dict[str, Json]:
    told: dict[str, Json] = {"op": field.op.value, "path": pointer_text(field.path)}
    if field.op is not FieldOp.ADD:
        told["from"] = field.old
    if field.op is not FieldOp.REMOVE:
        told["to"] = field.new
    indices = [at for at, part in enumerate(field.path) if isinstance(part, int)]
    if indices:
        told["indices"] = indices
    return told


def _field_from_json(data: _Object) -> FieldChange:
    return FieldChange(
        FieldOp(data["op"]),
        _pointer(data["path"], data.get("indices", ())),
        data.get("from"),
        data.get("to"),
    )


def _pointer(text: str, indices: Sequence[int]) -> Pointer:
    tokens = [part.replace("~1", "/").replace("~0", "~") for part in text[1:].split("/")]
    return tuple(
        int(token) if at in indices and token.isdecimal() else token
        for at, token in enumerate(tokens)
    )


def _foreseen_to_json(foreseen: Foreseen) -> dict[str, Json]:
    return {
        "source": foreseen.source,
        "nextVersion": foreseen.next_version,
        "errors": [_notice_to_json(each) for each in foreseen.errors],
        "warnings": [_notice_to_json(each) for each in foreseen.warnings],
        "environments": foreseen.environments,
        "onOlder": foreseen.on_older,
    }


def _foreseen_from_json(data: _Object) -> Foreseen:
    return Foreseen(
        source=data["source"],
        next_version=data["nextVersion"],
        errors=tuple(_notice_from_json(each) for each in data["errors"]),
        warnings=tuple(_notice_from_json(each) for each in data["warnings"]),
        environments=data["environments"],
        on_older=data["onOlder"],
    )


def _notice_to_json(notice: Notice) -> dict[str, Json]:
    return {"code": notice.code, "message": notice.message, "path": notice.path}


def _notice_from_json(data: _Object) -> Notice:
    return Notice(data["code"], data["message"], data["path"])
