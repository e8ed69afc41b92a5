"""``GET /v1/me``: who is calling."""

from __future__ import annotations

from envsync.server.auth.access import ANY
from envsync.server.routes.answer import Answer, json_answer
from envsync.server.routes.call import Call
from envsync.server.routes.table import Route
from envsync.server.store.interface import Transaction


def me_routes() -> tuple[Route, ...]:
    return (Route("GET", "/v1/me", ANY, _me),)


def _me(_tx: Transaction, call: Call, _: None) -> Answer:
    return json_answer(call.caller.described())
