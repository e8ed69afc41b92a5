"""Trusted issuers: a token is believed when one of them signed it for this server."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from envsync.contract.json_types import Json
from envsync.contract.names import RESERVED_SUBJECTS, is_subject
from envsync.server.auth.caller import Caller, CallerKind
from envsync.server.auth.challenge import credential_invalid, issuer_unavailable, token_expired
from envsync.server.auth.fetching import fetch_jwks
from envsync.server.auth.grants import grants_of, render, scalar
from envsync.server.auth.identity import IssuerConfig
from envsync.server.auth.issuer_keys import Fetch, IssuerKeys, KeysUnavailableError
from envsync.server.auth.jwt import Token, read
from envsync.server.refusal import Refusal

SKEW_SECONDS: Final = 30

_log: Final = logging.getLogger("envsync.server")


class TrustedIssuers:
    """``now`` gives seconds since the epoch, ``clock`` seconds that only grow."""

    def __init__(
        self,
        configs: Sequence[IssuerConfig],
        *,
        fetch: Fetch = fetch_jwks,
        now: Callable[[], float] = time.time,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._now = now
        self._by_issuer = {
            config.issuer: (config, IssuerKeys(config, fetch, clock)) for config in configs
        }

    async def caller_of(self, text: str, metadata_url: str = "") -> Caller:
        """The caller that a token stands for. Raises ``Refusal`` 401.

        The token's own ``iss`` says which issuer is asked, and only that issuer's keys verify it.
        The reason of a refusal goes to the log; an expiry is told only of a signed token.
        """

        def refused(reason: str, issuer: str = "") -> Refusal:
            _log.info("token refused (issuer %s): %s", issuer or "unknown", reason)
            return credential_invalid(metadata_url)

        try:
            token = read(text)
        except ValueError as error:
            raise refused(str(error)) from None
        issuer = token.claims.get("iss")
        known = self._by_issuer.get(issuer) if isinstance(issuer, str) else None
        if known is None:
            raise refused("issuer is not trusted")
        config, keys = known
        try:
            candidates = await keys.candidates(token.algorithm, token.kid)
        except KeysUnavailableError:
            raise issuer_unavailable(config.name, metadata_url) from None
        if not any(key.verifies(token) for key in candidates):
            raise refused("no key of the issuer signed it", config.name)
        fault = _claims_fault(token.claims, config, self._now())
        if fault == _EXPIRED:
            raise token_expired(metadata_url)
        if fault:
            raise refused(fault, config.name)
        return _caller(token, config) or _raise(refused("subject cannot be made", config.name))


_EXPIRED: Final = "expired"


def _raise(refusal: Refusal) -> Caller:
    raise refusal


def _claims_fault(claims: Mapping[str, Json], config: IssuerConfig, now: float) -> str:
    """What is wrong with the claims of a token that the issuer signed; empty when nothing is."""
    audience = claims.get("aud")
    named = audience if isinstance(audience, list) else [audience]
    if config.audience not in named:
        return "made for another audience"
    expires = _moment(claims, "exp")
    if expires is None:
        return "exp is missing or not a number"
    if expires <= now - SKEW_SECONDS:
        return _EXPIRED
    for name in ("iat", "nbf"):
        if name in claims:
            moment = _moment(claims, name)
            if moment is None:
                return f"{name} is not a number"
            if moment > now + SKEW_SECONDS:
                return f"{name} is in the future"
    return ""


def _moment(claims: Mapping[str, Json], name: str) -> float | None:
    value = claims.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def _caller(token: Token, config: IssuerConfig) -> Caller | None:
    subject = render(config.subject, lambda name: scalar(token.claims, name))
    if subject is None or not is_subject(subject) or subject in RESERVED_SUBJECTS:
        return None
    return Caller(
        CallerKind.TOKEN,
        config.name,
        subject=subject,
        scopes=_scopes(token.claims, config),
        agents=config.agents,
        environments=grants_of(config.environments, token.claims),
    )


def _scopes(claims: Mapping[str, Json], config: IssuerConfig) -> frozenset[str]:
    """What the token asks for, cut to what its issuer may give."""
    asked: object = config.fixed_scopes
    if config.scope_claim:
        asked = claims.get(config.scope_claim)
    if isinstance(asked, str):
        asked = asked.split(" ")
    names = asked if isinstance(asked, list | tuple) else ()
    return frozenset(scope for scope in config.allowed_scopes if scope in names)
