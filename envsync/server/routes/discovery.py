"""What is said to everybody: health, readiness, the API's description, where tokens come from.

None of it needs a credential or a protocol. Browsers are refused (``Origin``), but for the OAuth
metadata that a browser reads before it signs a person in.
"""

from __future__ import annotations

import os
import re
from functools import cache
from typing import TYPE_CHECKING, Final

from envsync import __version__
from envsync.contract.json_types import Json
from envsync.errors import StoreError
from envsync.server.auth.caller import TOKEN_SCOPES
from envsync.server.refusal import Refusal
from envsync.server.routes.answer import Answer, json_answer, protocol
from envsync.server.routes.call import Call
from envsync.server.services import host

if TYPE_CHECKING:
    from envsync.server.settings import AppSettings
    from envsync.server.store.interface import Store

SERVICE: Final = "nylorun-runtime"
PROTECTED_RESOURCE: Final = "/.well-known/oauth-protected-resource"

_HOST_HEADER: Final = re.compile(r"[A-Za-z0-9.:\[\]_-]{1,255}")
_NO_CACHE: Final = (("cache-control", "no-cache"),)


class Discovery:
    """The routes outside ``/v1``. ``host`` is who this server is, read once and kept."""

    def __init__(self, store: Store, settings: AppSettings) -> None:
        self._store = store
        self._settings = settings
        self._host: host.Host | None = None
        self.closing = False

    async def host(self) -> host.Host:
        """Raises ``StoreError`` while the database cannot be read."""
        if self._host is None:
            self._host = await self._store.read(host.host)
        return self._host

    async def answer(self, path: str, call: Call) -> Answer | None:
        """The answer, or ``None`` when ``path`` is none of these routes."""
        if path == "/health" and call.method in ("GET", "HEAD"):
            return await self._health()
        if path == "/ready" and call.method in ("GET", "HEAD"):
            return await self._ready()
        if call.method != "GET":
            return None
        if path in ("/openapi.json", "/openapi/runtime.json"):
            return Answer(200, _document(management=False), _NO_CACHE)
        if path == "/openapi/management.json":
            return Answer(200, _document(management=True), _NO_CACHE)
        if is_protected_resource(path):
            return self._protected_resource(call)
        return None

    async def _health(self) -> Answer:
        return json_answer(
            {
                "status": "ok",
                "service": SERVICE,
                "version": __version__,
                "protocol": protocol(),
                "coreVersion": __version__,
                "hostId": (await self.host()).id,
                "pid": os.getpid(),
            }
        )

    async def _ready(self) -> Answer:
        try:
            await self._store.read(host.host)
            tenant = True
        except StoreError:
            tenant = False
        checks: dict[str, Json] = {"listener": not self.closing, "tenant": tenant}
        ready = all(checks.values())
        body: Json = {
            "status": "ready" if ready else "not_ready",
            "service": SERVICE,
            "checks": checks,
        }
        return json_answer(body, 200 if ready else 503)

    def _resource(self, call: Call) -> str:
        """This server as an OAuth resource; empty when the request doesn't name it cleanly."""
        if self._settings.public_url:
            return self._settings.public_url.rstrip("/")
        name = call.header("host") or ""
        return f"{call.scheme}://{name}" if _HOST_HEADER.fullmatch(name) else ""

    def metadata_url(self, call: Call) -> str:
        """Where a challenge sends a client (RFC 9728 section 3.1); empty without issuers."""
        if not self._settings.issuers:
            return ""
        scheme, found, rest = self._resource(call).partition("://")
        origin, _, path = rest.partition("/")
        return f"{scheme}://{origin}{PROTECTED_RESOURCE}{path and '/' + path}" if found else ""

    def _protected_resource(self, call: Call) -> Answer:
        issuers = self._settings.issuers
        if not issuers:
            raise Refusal(404, "not_found", "This server trusts no identity provider")
        granted = frozenset(scope for issuer in issuers for scope in issuer.allowed_scopes)
        return json_answer(
            {
                "resource": self._resource(call),
                "authorization_servers": [issuer.issuer for issuer in issuers],
                "scopes_supported": [scope for scope in TOKEN_SCOPES if scope in granted],
                "bearer_methods_supported": ["header"],
                "resource_name": "envsync Runtime API",
            },
            headers=_NO_CACHE,
        )


def is_protected_resource(path: str) -> bool:
    return path == PROTECTED_RESOURCE or path.startswith(PROTECTED_RESOURCE + "/")


@cache
def _document(*, management: bool) -> bytes:
    from envsync.server.routes.openapi import document

    return document(management=management)
