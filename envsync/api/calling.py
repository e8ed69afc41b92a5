"""Calling a Runtime: the headers of every request, the protocol, and refusals as errors."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from urllib.parse import quote

from envsync.api.credential import Credential
from envsync.api.messages import Request, Response, Transport
from envsync.api.reading import is_object, read_health, whole
from envsync.api.refusals import Asked, error_of, protocol_error
from envsync.api.views import Health
from envsync.contract.features import PROTOCOL
from envsync.contract.json_types import Json, JsonObject
from envsync.errors import ApiError

MANIFESTS = "/v1/environment-manifests"


def manifest_path(name: str, *more: str) -> str:
    """The path of a manifest; every part is percent-encoded as one segment."""
    return "/".join((MANIFESTS, *(quote(part, safe="") for part in (name, *more))))


def encoded(body: JsonObject) -> bytes:
    """``body`` as it goes over the wire."""
    import orjson

    return orjson.dumps(body)


class Calls:
    """One server and one credential (``None`` where the transport itself is trusted)."""

    def __init__(self, transport: Transport, credential: Credential | None) -> None:
        self.transport = transport
        self._key_source = credential.source if credential else ""
        self._headers = {"accept": "application/json", "nylorun-protocol": str(PROTOCOL)}
        if credential:
            self._headers.update(credential.headers())
        self._health: Health | None = None

    async def health(self) -> Health:
        """What ``/health`` says, asked once. Raises ``ApiError`` for a server that is not a
        Runtime, and for one that does not serve our protocol."""
        if self._health is None:
            request = Request("GET", "/health", headers={"accept": "application/json"})
            response = await self.transport.send(request)
            if response.status == 429 or response.status >= 500:
                raise self.refused(response)
            health = read_health(response)
            said = health.protocol_max > 0
            if said and not health.protocol_min <= PROTOCOL <= health.protocol_max:
                raise protocol_error(health.protocol_min, health.protocol_max, status=200)
            self._health = health
        return self._health

    async def send(
        self,
        method: str,
        path: str,
        *,
        query: tuple[tuple[str, str], ...] = (),
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        repeatable: bool = True,
    ) -> Response:
        """The answer, whatever its status but for 426.

        A 426 is checked once against ``/health``: a server that was just updated is asked again
        (a POST is not: it is never sent twice).
        """
        sent = {**self._headers, **(headers or {})}
        if body is not None:
            sent["content-type"] = "application/json"
        request = Request(method, path, query, sent, body, repeatable)
        response = await self.transport.send(request)
        if response.status != 426:
            return response
        self._health = None
        await self.health()
        if method != "POST":
            response = await self.transport.send(request)
        if response.status == 426:
            raise protocol_error(*_range_in(response))
        return response

    async def expect(
        self,
        method: str,
        path: str,
        *,
        subject: str = "",
        accepted: Collection[int] = (200,),
        query: tuple[tuple[str, str], ...] = (),
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """As ``send``, for reads; any status that is not ``accepted`` raises ``ApiError``."""
        response = await self.send(method, path, query=query, headers=headers)
        if response.status not in accepted:
            raise self.refused(response, subject)
        return response

    def refused(self, response: Response, subject: str = "") -> ApiError:
        return error_of(response, Asked(subject, self._key_source))


def _range_in(response: Response) -> tuple[int, int]:
    try:
        value: Json = response.json()
    except ValueError:
        return 0, 0
    protocol = value.get("protocol") if is_object(value) else None
    if not is_object(protocol):
        return 0, 0
    return whole(protocol.get("min")) or 0, whole(protocol.get("max")) or 0
