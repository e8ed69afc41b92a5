"""Call: one request as the routes see it, independent of what carried it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

import orjson

from envsync.contract.json_types import Json
from envsync.server.auth.caller import Caller, CallerKind
from envsync.server.refusal import Refusal

_NOBODY = Caller(CallerKind.LOCAL, "")


@dataclass(slots=True)
class Call:
    """``headers`` has lower-case names, each with every value that came, in order.

    ``parameters`` are the decoded path segments that the route leaves open. ``body`` is read
    only for routes that take one, after the caller is known. ``tenant`` and ``now`` (a wire
    timestamp) are what services ask for.
    """

    method: str
    headers: Mapping[str, list[str]]
    query_string: str = ""
    scheme: str = "http"
    parameters: tuple[str, ...] = ()
    body: bytes = b""
    caller: Caller = field(default=_NOBODY)
    tenant: str = ""
    now: str = ""

    def header(self, name: str) -> str | None:
        """The header's value; several are joined, as HTTP has it. ``None`` when absent."""
        values = self.headers.get(name)
        if values is None:
            return None
        return values[0] if len(values) == 1 else ", ".join(values)

    def all_of(self, name: str) -> list[str]:
        return self.headers.get(name, [])

    def query(self, name: str) -> str | None:
        """The last value of a query parameter, or ``None``. Unknown parameters are ignored.

        Raises ``Refusal`` 400 for a query that cannot be decoded.
        """
        if not self.query_string:
            return None
        try:
            pairs = parse_qsl(
                self.query_string, keep_blank_values=True, errors="strict", max_num_fields=100
            )
        except ValueError:
            raise bad_request("The query cannot be decoded") from None
        return next((value for key, value in reversed(pairs) if key == name), None)

    def json(self) -> Json:
        """The decoded body. Raises ``Refusal`` 400."""
        try:
            value: Json = orjson.loads(self.body)
        except orjson.JSONDecodeError:
            raise bad_request("Invalid JSON") from None
        return value


def bad_request(message: str) -> Refusal:
    """The refusal of something that is not well-formed."""
    return Refusal(400, "request_rejected", message)
