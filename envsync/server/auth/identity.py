"""The identity file: the issuers whose tokens this server believes. YAML or JSON, read at start.

    issuers:
      - name: sso                                   # shown as issuer:sso
        issuer: https://sso.example/realms/eng      # the iss of its tokens, exactly
        audience: https://runtime.example           # must be in their aud
        jwks: https://sso.example/realms/eng/keys   # or keys: [PEM, ...]
        subject: "{sub}"                            # the person, from scalar claims
        scopes: {claim: scope}                      # or {fixed: [sessions:own]}
        allowedScopes: [agents:read, sessions:own, environments:write]
        agents: [support]                           # absent reaches every agent
        environments: ["users/{sub}/*"]             # absent reaches none

Unknown keys are ignored with a warning, so that a file of a newer server still starts this one.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NoReturn, cast
from urllib.parse import urlsplit

import yaml
from msgspec import Struct

from envsync.contract.json_types import Json
from envsync.errors import UsageError
from envsync.http.address import is_loopback
from envsync.server.auth import grants
from envsync.server.auth.caller import STUDIO, TOKEN_SCOPES
from envsync.server.auth.jwt import VerifyingKey, from_pem

MAX_STATIC_KEYS: Final = 16
ISSUER_SCOPES: Final = (*TOKEN_SCOPES, STUDIO)

_NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,31}")
_MAX_TEMPLATE: Final = 200
_ENTRY_KEYS: Final = frozenset(
    {
        "name",
        "issuer",
        "audience",
        "jwks",
        "keys",
        "subject",
        "scopes",
        "allowedScopes",
        "agents",
        "environments",
    }
)

_log: Final = logging.getLogger("envsync.server")


class IssuerConfig(Struct, frozen=True):
    """One issuer. Exactly one of ``jwks`` and ``keys``, and of ``scope_claim`` and
    ``fixed_scopes``, is meant. ``agents`` is ``None`` where every agent is reached.
    """

    name: str
    issuer: str
    audience: str
    jwks: str = ""
    keys: tuple[VerifyingKey, ...] = ()
    subject: str = "{sub}"
    scope_claim: str = "scope"
    fixed_scopes: tuple[str, ...] = ()
    allowed_scopes: tuple[str, ...] = TOKEN_SCOPES
    agents: tuple[str, ...] | None = None
    environments: tuple[str, ...] = ()


def read_identity_file(path: Path) -> tuple[IssuerConfig, ...]:
    """The issuers of a file. Raises ``UsageError`` E752 that names the issuer and the field."""
    try:
        text = path.read_bytes()
    except OSError as error:
        _fail(str(path), f"cannot be read: {error.strerror or error}")
    return parse_identity(text, str(path))


def parse_identity(text: bytes, source: str) -> tuple[IssuerConfig, ...]:
    """The issuers of a file's text. Raises ``UsageError`` E752."""
    try:
        loaded: Json = yaml.load(text, Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError) as error:
        _fail(source, f"is not YAML: {str(error).splitlines()[0] if str(error) else 'unreadable'}")
    if not isinstance(loaded, dict) or not isinstance(loaded.get("issuers"), list):
        _fail(source, "must be a mapping with a list `issuers`")
    _warn_of(source, loaded, frozenset({"issuers"}))
    issuers: list[IssuerConfig] = []
    for place, entry in enumerate(cast("Sequence[Json]", loaded["issuers"]), start=1):
        issuer = _Entry(source, place, entry).config()
        for other in issuers:
            if other.name == issuer.name:
                _fail(source, f"issuer {issuer.name}: name: another issuer has it")
            if other.issuer == issuer.issuer:
                _fail(source, f"issuer {issuer.name}: issuer: another issuer has it")
        issuers.append(issuer)
    return tuple(issuers)


def _fail(source: str, message: str) -> NoReturn:
    raise UsageError(
        "E752",
        f"the identity file {source}: {message}",
        remedy="correct the file, then start the server again",
    )


def _warn_of(where: str, mapping: Mapping[str, Json], known: frozenset[str]) -> None:
    unknown = sorted(str(key) for key in mapping if key not in known)
    if unknown:
        _log.warning("%s: ignored %s, which an identity file has not", where, ", ".join(unknown))


class _Entry:
    """One entry of ``issuers``, read field by field so that an error can name the field."""

    def __init__(self, source: str, place: int, entry: Json) -> None:
        self._source = source
        self._where = f"issuer #{place}"
        if not isinstance(entry, dict):
            self._fail("must be a mapping")
        self._entry = cast("Mapping[str, Json]", entry)
        if isinstance(self._entry.get("name"), str):
            self._where = f"issuer {self._entry['name']}"
        _warn_of(f"{source}: {self._where}", self._entry, _ENTRY_KEYS)

    def config(self) -> IssuerConfig:
        name = self._text("name")
        if not _NAME.fullmatch(name):
            self._fail("name: must match ^[a-z][a-z0-9-]{0,31}$")
        issuer = self._text("issuer")
        if issuer.startswith("urn:nylorun:"):
            self._fail("issuer: urn:nylorun: is the Runtime's own")
        if ("jwks" in self._entry) == ("keys" in self._entry):
            self._fail("give exactly one of jwks and keys")
        allowed = self._scopes("allowedScopes", self._entry.get("allowedScopes", [*TOKEN_SCOPES]))
        if not allowed:
            self._fail("allowedScopes: must name at least one scope")
        claim, fixed = self._scope_source(allowed)
        return IssuerConfig(
            name,
            issuer,
            self._text("audience"),
            self._jwks(),
            self._keys(),
            self._subject(),
            claim,
            fixed,
            allowed,
            tuple(dict.fromkeys(self._texts("agents"))) if "agents" in self._entry else None,
            self._grants(),
        )

    def _fail(self, message: str) -> NoReturn:
        _fail(self._source, f"{self._where}: {message}")

    def _text(self, name: str) -> str:
        value = self._entry.get(name)
        if not isinstance(value, str) or not value:
            self._fail(f"{name}: must be a text that is not empty")
        return value

    def _texts(self, name: str) -> tuple[str, ...]:
        value = self._entry.get(name, [])
        if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
            self._fail(f"{name}: must be a list of texts")
        return tuple(cast("Sequence[str]", value))

    def _jwks(self) -> str:
        if "jwks" not in self._entry:
            return ""
        address = self._text("jwks")
        try:
            parts = urlsplit(address)
            host = parts.hostname or ""
        except ValueError:
            self._fail("jwks: is not a web address")
        if parts.username or parts.password:
            self._fail("jwks: must not hold credentials")
        if not host or not (
            parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host))
        ):
            self._fail("jwks: must be an https address (http only on this machine)")
        return address

    def _keys(self) -> tuple[VerifyingKey, ...]:
        texts = self._texts("keys")
        if "keys" in self._entry and not 1 <= len(texts) <= MAX_STATIC_KEYS:
            self._fail(f"keys: must hold 1 to {MAX_STATIC_KEYS} PEM public keys")
        keys = []
        for place, text in enumerate(texts):
            try:
                keys.append(from_pem(text))
            except ValueError as error:
                self._fail(f"keys[{place}]: {error}")
        return tuple(keys)

    def _template(self, name: str, text: str) -> str:
        if len(text) > _MAX_TEMPLATE or not grants.is_template(text):
            self._fail(f"{name}: braces stand around claim names only, as in {{sub}}")
        return text

    def _subject(self) -> str:
        if "subject" not in self._entry:
            return "{sub}"
        template = self._template("subject", self._text("subject"))
        if not grants.references(template):
            self._fail("subject: must name a claim, or every token is the same person")
        return template

    def _grants(self) -> tuple[str, ...]:
        templates = self._texts("environments")
        if len(templates) > grants.MAX_GRANTS:
            self._fail(f"environments: at most {grants.MAX_GRANTS} grants")
        for template in templates:
            rendered = grants.render(self._template("environments", template), lambda _: "x")
            if rendered is None or not grants.is_grant(rendered):
                self._fail(f"environments: {template} makes no Environment id, nor one with /*")
        return templates

    def _scopes(self, name: str, value: Json) -> tuple[str, ...]:
        if not isinstance(value, list):
            self._fail(f"{name}: must be a list of scopes")
        for scope in value:
            if scope not in ISSUER_SCOPES:
                self._fail(f"{name}: there are {', '.join(ISSUER_SCOPES)}, not {scope}")
        return tuple(dict.fromkeys(cast("Sequence[str]", value)))

    def _scope_source(self, allowed: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        """The claim that names scopes, or else the scopes that every token has."""
        value = self._entry.get("scopes", {"claim": "scope"})
        if isinstance(value, dict) and set(value) == {"claim"}:
            claim = value["claim"]
            if isinstance(claim, str) and claim:
                return claim, ()
        if not isinstance(value, dict) or set(value) != {"fixed"}:
            self._fail("scopes: must be {claim: NAME} or {fixed: [SCOPE, ...]}")
        fixed = self._scopes("scopes.fixed", value["fixed"])
        outside = [scope for scope in fixed if scope not in allowed]
        if outside:
            self._fail(f"scopes.fixed: {', '.join(outside)} not in allowedScopes")
        return "", fixed
