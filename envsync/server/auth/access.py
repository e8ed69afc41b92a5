"""Access: which callers a route takes, and which scopes of a person or token reach it."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from envsync.server.auth.caller import TOKEN_SCOPES, Caller, CallerKind
from envsync.server.auth.challenge import challenge
from envsync.server.refusal import Refusal


class Access(Struct, frozen=True):
    """``scopes``: any one of them reaches the route; ``None`` lets every caller in, an empty
    tuple no person and no token.
    """

    application: bool
    management: bool
    scopes: tuple[str, ...] | None


READ: Final = Access(True, False, ("sessions:own", "environments:write"))
WRITE: Final = Access(True, False, ("environments:write",))
MANAGEMENT: Final = Access(False, True, ())
ANY: Final = Access(True, True, None)


def require_scopes(caller: Caller, access: Access, metadata_url: str = "") -> None:
    """Refuses a person or a token without any of the route's scopes. Keys alone have them all.

    Any one of the scopes reaches the route, but OAuth's list is of scopes that are needed
    together, so the challenge names the first one that a token can have.
    """
    if access.scopes is None or caller.kind not in (CallerKind.SUBJECT, CallerKind.TOKEN):
        return
    if any(scope in caller.scopes for scope in access.scopes):
        return
    askable = next((scope for scope in access.scopes if scope in TOKEN_SCOPES), "")
    headers: tuple[tuple[str, str], ...] = ()
    if caller.kind is CallerKind.TOKEN and askable:
        header = challenge("insufficient_scope", scope=askable, metadata_url=metadata_url)
        headers = (("www-authenticate", header),)
    message = (
        f"Scope {' or '.join(access.scopes)} required"
        if access.scopes
        else "This route is not available when acting for a person"
    )
    raise Refusal(403, "scope_required", message, {"scopes": list(access.scopes)}, headers)
