"""Transports for tests: one that answers as told, and one that loses answers on the way."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from envsync.api.messages import Request, Response, Transport
from envsync.contract.json_types import Json
from envsync.errors import NetworkError

Answering = Callable[[Request], Response]


def answered(
    status: int = 200, body: Json | bytes = None, headers: Mapping[str, str] | None = None
) -> Response:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Response(status, headers or {}, data)


def health(features: list[str] | None = None, low: int = 14, high: int = 14) -> Response:
    protocol = {"min": low, "max": high, "features": features or []}
    return answered(200, {"status": "ok", "service": "nylorun-runtime", "protocol": protocol})


OURS = ["envsync-batch-plan", "envsync-list-summary"]


class Scripted:
    """Answers by method and path; ``/health`` is that of a foreign server unless told otherwise.

    An answer is a response, a list of them for one request after the other, or a function.
    """

    def __init__(self, answers: Mapping[str, Response | list[Response] | Answering]) -> None:
        self._answers = dict(answers)
        self._answers.setdefault("GET /health", health())
        self.requests: list[Request] = []

    @property
    def address(self) -> str:
        return "https://runtime.example"

    def asked(self) -> list[str]:
        """What was asked, without ``/health``."""
        lines = [_line(request) for request in self.requests]
        return [line for line in lines if line != "GET /health"]

    async def send(self, request: Request) -> Response:
        self.requests.append(request)
        found = self._answers.get(_line(request))
        if found is None:
            return answered(
                404, {"status": "rejected", "code": "not_found", "message": "Not found"}
            )
        if callable(found):
            return found(request)
        if isinstance(found, list):
            return found.pop(0) if len(found) > 1 else found[0]
        return found

    async def aclose(self) -> None:
        return None


def _line(request: Request) -> str:
    query = "&".join(f"{name}={value}" for name, value in request.query)
    return f"{request.method} {request.path}" + (f"?{query}" if query else "")


def lost(*, sent: bool = True) -> Answering:
    """No answer comes; ``sent`` says whether the request may have arrived."""

    def answering(request: Request) -> Response:
        error = NetworkError("E611", "the connection was cut", remedy="try again")
        error.sent = sent
        raise error

    return answering


class LosesAnswers:
    """Carries every request to the real server, and loses the answers that ``loses`` picks."""

    def __init__(self, inner: Transport, loses: Callable[[Request], bool]) -> None:
        self._inner = inner
        self._loses = loses

    @property
    def address(self) -> str:
        return self._inner.address

    async def send(self, request: Request) -> Response:
        response = await self._inner.send(request)
        return lost()(request) if self._loses(request) else response

    async def aclose(self) -> None:
        await self._inner.aclose()
