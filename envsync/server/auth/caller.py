"""Caller: who a request comes from, after its credential was checked."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from msgspec import Struct

from envsync.contract.json_types import Json

SUBJECT_SCOPES: Final = ("agents:read", "agents:write", "sessions:own", "environments:write")
"""What an application key may do, and may let a person do, in the order they are shown."""

TOKEN_SCOPES: Final = ("agents:read", "sessions:own", "environments:write")
"""What a token of a trusted issuer may do on the Runtime API."""

STUDIO: Final = "studio"
"""The scope that only an issuer can give, and the role of the key that reaches both APIs."""

_SHOWN_ORDER: Final = (*SUBJECT_SCOPES, STUDIO)


class CallerKind(StrEnum):
    """What the routes tell apart. ``LOCAL`` is who can open the database: in-process use."""

    APPLICATION = "application"
    SUBJECT = "subject"
    TOKEN = "token"  # noqa: S105 - the kind of caller, not a credential
    MANAGEMENT = "management"
    LOCAL = "local"


class Caller(Struct, frozen=True):
    """``id`` is the key's id, the issuer's name or the local user.

    ``agents`` is ``None`` where every agent is reached. ``environments`` are the grants of a
    token; other callers have none and are not limited by any.
    """

    kind: CallerKind
    id: str
    tenant: str = ""
    subject: str = ""
    scopes: frozenset[str] = frozenset()
    agents: tuple[str, ...] | None = None
    environments: tuple[str, ...] = ()

    @property
    def saved_by(self) -> str:
        """What is kept of this caller beside each thing it saves (``savedBy``)."""
        match self.kind:
            case CallerKind.SUBJECT:
                return f"subject:{self.subject}"
            case CallerKind.TOKEN:
                return f"issuer:{self.id}:{self.subject}"
            case _:
                return f"{self.kind.value}:{self.id}"

    @property
    def via(self) -> str:
        """How the caller got here, as ``/v1/me`` and the access log say it."""
        match self.kind:
            case CallerKind.SUBJECT:
                return "subject"
            case CallerKind.TOKEN:
                return f"issuer:{self.id}"
            case _:
                return f"{self.kind.value}:{self.id}"

    def described(self) -> Mapping[str, Json]:
        """The body of ``GET /v1/me``."""
        if self.kind is CallerKind.MANAGEMENT:
            return {"scopes": [], "agents": [], "via": self.via}
        limited = self.kind in (CallerKind.SUBJECT, CallerKind.TOKEN)
        held = self.scopes if limited else frozenset(SUBJECT_SCOPES)
        body: dict[str, Json] = {"subject": self.subject} if limited else {}
        body["scopes"] = [scope for scope in _SHOWN_ORDER if scope in held]
        body["agents"] = "*" if self.agents is None else sorted(self.agents)
        if self.kind is CallerKind.TOKEN:
            body["environments"] = list(self.environments)
        body["via"] = self.via
        return body
