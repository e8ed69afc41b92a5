"""Authenticator: from a request's headers to a Caller, or a refusal.

Two ways in: by key, looked up in the database inside the transaction that serves the request, so
that a rotated or deleted key stops working with its next request; and by a trusted issuer's
token, which needs no database.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from envsync.server.auth import subject as subjects
from envsync.server.auth.access import Access, require_scopes
from envsync.server.auth.bearer import bearer_of, looks_like_token
from envsync.server.auth.caller import STUDIO, Caller, CallerKind
from envsync.server.auth.challenge import credential_invalid, credential_required
from envsync.server.refusal import Refusal
from envsync.server.services import keys
from envsync.server.store.interface import Transaction

if TYPE_CHECKING:
    from envsync.server.auth.issuers import TrustedIssuers
    from envsync.server.routes.call import Call


class KeyCredential(Struct, frozen=True):
    """A bearer that may be a key. ``resolve`` asks the database."""

    text: str

    def resolve(self, tx: Transaction, call: Call, access: Access, metadata_url: str) -> Caller:
        """The caller, allowed on a route of ``access``. Raises ``Refusal`` 400, 401 or 403."""
        key = keys.find_key(tx, self.text) if keys.is_key_text(self.text) else None
        if key is None:
            raise credential_invalid(metadata_url)
        # Read only now, so that an unknown caller learns nothing of these headers.
        subject = subjects.single(subjects.SUBJECT_HEADER, call.all_of("nylorun-subject"))
        scopes = subjects.single(subjects.SCOPES_HEADER, call.all_of("nylorun-scopes"))
        role = str(key.role)
        if role == keys.Role.MANAGEMENT or (role == STUDIO and not access.application):
            return _as_management(key, subject is not None or scopes is not None, access)
        if not access.application:
            raise Refusal(
                403,
                "key_role_mismatch",
                "This is the Management API: it takes a management key, not an application key",
            )
        person = subjects.parse(subject, scopes)
        if person is None:
            return Caller(CallerKind.APPLICATION, key.id, key.tenant)
        caller = Caller(CallerKind.SUBJECT, key.id, key.tenant, person[0], person[1])
        require_scopes(caller, access, metadata_url)
        return caller


def _as_management(key: keys.Key, for_a_person: bool, access: Access) -> Caller:
    if not access.management:
        raise Refusal(
            403,
            "key_role_mismatch",
            "A management key reaches only the Management API (/v1/tenant/*)",
        )
    if for_a_person:
        raise subjects.subject_invalid("A management key acts as itself, never for a person", 403)
    return Caller(CallerKind.MANAGEMENT, key.id, key.tenant)


class Authenticator(Protocol):
    """Says who calls. Two of them: by credential, and the local one that needs none."""

    async def identify(
        self, call: Call, access: Access, metadata_url: str
    ) -> Caller | KeyCredential:
        """The caller, or the key that the database has to be asked about.

        Raises ``Refusal`` 401 or 403.
        """
        ...


class ByCredential(Struct, frozen=True):
    """Every request brings a key or a token."""

    issuers: TrustedIssuers | None = None

    async def identify(
        self, call: Call, access: Access, metadata_url: str
    ) -> Caller | KeyCredential:
        bearer = bearer_of(call.header("authorization"))
        if bearer is None:
            raise credential_required(metadata_url)
        if looks_like_token(bearer):
            return await self._by_token(bearer, call, access, metadata_url)
        if call.header("origin") is not None:
            # Keys are secrets of servers: refused from a browser before they are looked up.
            raise Refusal(403, "origin_rejected", "Keys are not accepted from browsers")
        return KeyCredential(bearer)

    async def _by_token(self, bearer: str, call: Call, access: Access, metadata_url: str) -> Caller:
        if self.issuers is None:
            raise credential_invalid(metadata_url)
        caller = await self.issuers.caller_of(bearer, metadata_url)
        if call.all_of("nylorun-subject") or call.all_of("nylorun-scopes"):
            raise Refusal(
                403, "request_rejected", "An issuer's token cannot act for another person"
            )
        require_scopes(caller, access, metadata_url)
        return caller


class Local(Struct, frozen=True):
    """In-process use: whoever can open the database has all of it."""

    user: str

    async def identify(
        self, call: Call, access: Access, metadata_url: str
    ) -> Caller | KeyCredential:
        return Caller(CallerKind.LOCAL, self.user)
