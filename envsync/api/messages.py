"""Request and Response: what both transports speak, whether a port lies between or not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from msgspec import Struct, field

from envsync.contract.json_types import Json


class Request(Struct, frozen=True):
    """``path`` starts with ``/`` and is percent-encoded already; ``query`` is not.

    ``repeatable`` says that sending it twice does no harm (GET, a PUT with a precondition, a dry
    run); only such a request is ever retried after bytes have left.
    """

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    repeatable: bool = True


class Response(Struct, frozen=True):
    """``headers`` has lower-case names.

    ``resent`` says that an earlier attempt of the same request may have reached the server, so
    that a refusal may be about what that attempt has done.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    resent: bool = False

    def json(self) -> Json:
        """The decoded body. Raises ``ValueError`` when it is not JSON."""
        import orjson

        value: Json = orjson.loads(self.body)
        return value


class Transport(Protocol):
    """Carries a request to a server. ``address`` names that server to a person."""

    @property
    def address(self) -> str: ...

    async def send(self, request: Request) -> Response:
        """Raises ``NetworkError`` when there is no answer that can be trusted."""
        ...

    async def aclose(self) -> None: ...
