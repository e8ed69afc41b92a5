"""Answer: status, headers and the bytes of a body."""

from __future__ import annotations

import orjson
from msgspec import Struct

from envsync.contract.features import FEATURES, PROTOCOL_MAX, PROTOCOL_MIN
from envsync.contract.json_types import Json
from envsync.server.refusal import Refusal

Headers = tuple[tuple[str, str], ...]


class Answer(Struct, frozen=True):
    """``body`` is compact JSON, or ``None`` for a status that has no body (204, 304)."""

    status: int
    body: bytes | None = None
    headers: Headers = ()


def json_answer(body: Json, status: int = 200, headers: Headers = ()) -> Answer:
    return Answer(status, orjson.dumps(body), headers)


def rejected(refusal: Refusal, request_id: str = "") -> Answer:
    """The error body of every refusal but that of the protocol."""
    body: dict[str, Json] = {
        "status": "rejected",
        "code": refusal.code,
        "message": refusal.message,
    }
    if refusal.details is not None:
        body["details"] = refusal.details
    if request_id:
        body["requestId"] = request_id
    return json_answer(body, refusal.status, refusal.headers)


def protocol() -> dict[str, Json]:
    """The protocols that are served, with this server's extensions."""
    return {"min": PROTOCOL_MIN, "max": PROTOCOL_MAX, "features": list(FEATURES)}


def protocol_rejected() -> Answer:
    """426: another protocol, or none. Clients read the range from it, so it has no message."""
    body: Json = {"status": "rejected", "code": "protocol_unsupported", "protocol": protocol()}
    return json_answer(body, 426)
