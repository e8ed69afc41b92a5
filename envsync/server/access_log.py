"""The access log: one JSON line a request, without secrets.

What a person typed is not in it: a known route stands as its template with the names that follow
the API's grammar, an unknown path not at all, and of the query only the names that the API knows.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import orjson

from envsync.contract.names import is_key_id, is_manifest_name
from envsync.server.services.times import timestamp

if TYPE_CHECKING:
    from envsync.server.routes.answer import Answer
    from envsync.server.routes.call import Call
    from envsync.server.routes.table import Route

_QUERY_NAMES: Final = ("dryRun", "view")


class AccessLog:
    """Writes to ``stream``; a full disk or a closed pipe loses lines, never requests."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    @classmethod
    def open(cls, target: str) -> AccessLog:
        """``-`` is standard error, anything else a file that is appended to.

        Raises ``OSError``.
        """
        if target == "-":
            return cls(sys.stderr.buffer)
        return cls(Path(target).open("ab", buffering=0))

    def write(
        self,
        scope: Mapping[str, Any],
        call: Call,
        route: Route | None,
        answer: Answer,
        *,
        milliseconds: float,
        request_id: str,
    ) -> None:
        client = scope.get("client")
        line: dict[str, object] = {
            "time": timestamp(),
            "event": "request",
            "method": call.method if call.method.isalpha() else "",
            "route": route.path if route else _discovery_path(scope["path"]),
            "status": answer.status,
            "bytes": len(answer.body or b""),
            "ms": round(milliseconds, 3),
            "client": client[0] if client else None,
        }
        if call.caller.id:
            line["caller"] = call.caller.via
        names = [text for text in call.parameters if is_manifest_name(text) or is_key_id(text)]
        if route and names and answer.status < 500:
            line["name"] = names[0]
        query = [name for name in _QUERY_NAMES if f"{name}=" in call.query_string]
        if query:
            line["query"] = query
        if request_id:
            line["requestId"] = request_id
        try:
            self._stream.write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))
            self._stream.flush()
        except (OSError, ValueError):
            return


_DISCOVERY: Final = ("/health", "/ready", "/openapi.json", "/openapi/runtime.json")


def _discovery_path(path: str) -> str | None:
    return path if path in _DISCOVERY else None
