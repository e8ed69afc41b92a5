"""Application keys, managed with a management key (the management API)."""

from __future__ import annotations

from envsync.contract.json_types import Json
from envsync.server.auth.access import MANAGEMENT
from envsync.server.refusal import Refusal
from envsync.server.routes.answer import Answer, json_answer
from envsync.server.routes.call import Call
from envsync.server.routes.table import Route
from envsync.server.services import keys
from envsync.server.store.interface import Transaction


def key_routes() -> tuple[Route, ...]:
    return (
        Route("GET", "/v1/tenant/keys", MANAGEMENT, _list),
        Route("GET", "/v1/tenant/keys/{}", MANAGEMENT, _get, prepare=_key_id),
        Route(
            "PUT",
            "/v1/tenant/keys/{}",
            MANAGEMENT,
            _put,
            prepare=_key_id,
            writes=lambda _: True,
        ),
        Route(
            "DELETE",
            "/v1/tenant/keys/{}",
            MANAGEMENT,
            _delete,
            prepare=_key_id,
            writes=lambda _: True,
        ),
    )


def _key_id(call: Call) -> str:
    key_id = call.parameters[0]
    if not keys.is_key_id(key_id):
        raise Refusal(
            400,
            "invalid_request",
            "A key's id is a lower-case letter, then up to 31 lower-case letters, digits and '-'; "
            "studio and bootstrap are reserved",
        )
    return key_id


def _view(key: keys.Key) -> dict[str, Json]:
    return {"id": key.id, "role": str(key.role), "createdAt": key.created_at}


def _list(tx: Transaction, call: Call, _: None) -> Answer:
    found = sorted(keys.list_keys(tx, call.tenant), key=lambda key: (key.id, key.role))
    return json_answer({"keys": [_view(key) for key in found]})


def _get(tx: Transaction, call: Call, key_id: str) -> Answer:
    found = [key for key in keys.list_keys(tx, call.tenant) if key.id == key_id]
    if not found:
        raise Refusal(404, "request_rejected", f"No key {key_id}")
    return json_answer({"keys": [_view(key) for key in found]})


def _put(tx: Transaction, call: Call, key_id: str) -> Answer:
    made = keys.put_key(tx, call.tenant, key_id, keys.Role.APPLICATION, call.now)
    body = {**_view(made.key), "key": made.text, "rotated": made.rotated}
    return json_answer(body, headers=(("cache-control", "no-store"),))


def _delete(tx: Transaction, call: Call, key_id: str) -> Answer:
    keys.delete_key(tx, call.tenant, key_id, keys.Role.APPLICATION)
    return json_answer({"id": key_id, "deleted": True})
