"""HttpTransport: requests to a server behind an address. Imports the network library when made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from envsync import __version__
from envsync.api.messages import Request, Response
from envsync.http.address import parse_address
from envsync.http.settings import HttpSettings

if TYPE_CHECKING:
    from envsync.http.client import HttpClient
    from envsync.http.wire_log import WireLog


class HttpTransport:
    """A ``Transport`` over HTTP. Raises ``AddressError`` when made with an unusable address.

    ``wire_log`` gets one record for each attempt; it never holds headers or bodies.
    """

    def __init__(
        self,
        address: str,
        settings: HttpSettings | None = None,
        *,
        wire_log: WireLog | None = None,
        client: HttpClient | None = None,
    ) -> None:
        from envsync.http.client import HttpClient

        self._address = parse_address(address)
        self._client = client or HttpClient(
            settings, user_agent=f"envsync/{__version__}", wire_log=wire_log
        )

    @property
    def address(self) -> str:
        return str(self._address)

    async def send(self, request: Request) -> Response:
        answer = await self._client.send(
            request.method,
            self._address.url(request.path, request.query),
            request.headers,
            request.body,
            repeatable=request.repeatable,
        )
        return Response(answer.status, answer.headers, answer.body, answer.resent)

    async def aclose(self) -> None:
        await self._client.aclose()
