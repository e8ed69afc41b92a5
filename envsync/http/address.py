"""A server's base address: what a person may write, checked once, before anything is sent."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from urllib.parse import SplitResult, quote, urlencode, urlsplit

from msgspec import Struct

from envsync.errors import EnvsyncError

_HOST = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*")
_DEFAULT_PORTS = {"http": 80, "https": 443}


class AddressError(EnvsyncError):
    """An address that cannot be used, and why. Nothing was sent."""


class Address(Struct, frozen=True):
    """``path`` is empty or starts with ``/`` and never ends with one; ``host`` is lower-case
    and, for IPv6, without brackets."""

    scheme: str
    host: str
    port: int
    path: str = ""

    @property
    def origin(self) -> str:
        """``https://runtime.example``, with the port only where it is not the scheme's own."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == _DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}"

    @property
    def is_loopback(self) -> bool:
        return is_loopback(self.host)

    def url(self, path: str, query: Sequence[tuple[str, str]] = ()) -> str:
        """The URL of ``path`` (percent-encoded already, starts with ``/``) below this address."""
        text = f"{self.origin}{self.path}{path}"
        return f"{text}?{urlencode(query, quote_via=quote)}" if query else text

    def __str__(self) -> str:
        return self.origin + self.path


def is_loopback(host: str) -> bool:
    """Whether ``host`` (a name or an IP address without brackets) is this machine itself."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def parse_address(text: str) -> Address:
    """``text`` as an ``Address``. Raises ``AddressError`` for what cannot or must not be used.

    Only ``https``, and ``http`` to the loopback: a key that travels in clear text is a key lost.
    """
    split = _split(text)
    _refuse_credentials(split)
    scheme, host = split.scheme.lower(), (split.hostname or "").rstrip(".")
    if scheme not in _DEFAULT_PORTS or not host:
        raise AddressError(
            "E601",
            f"{_without_credentials(text)!r} is not an address of a server",
            remedy="write it as https://HOST or https://HOST:PORT",
        )
    if not split.path.isascii():
        raise AddressError(
            "E601",
            "the path of the address has characters that are not ASCII",
            remedy="write them percent-encoded",
        )
    if split.query or split.fragment:
        raise AddressError(
            "E601",
            f"the address {_without_credentials(text)!r} has a query or a fragment",
            remedy=f"write {scheme}://{split.netloc}{split.path.rstrip('/')}",
        )
    address = Address(
        scheme, _ascii(host), _port(split) or _DEFAULT_PORTS[scheme], split.path.rstrip("/")
    )
    if scheme == "http" and not address.is_loopback:
        raise AddressError(
            "E602",
            f"{address} is not encrypted: a key sent there could be read on the way",
            remedy=f"write https://{host}, or use http only for a server on this machine",
        )
    return address


def _split(text: str) -> SplitResult:
    if any(character.isspace() or not character.isprintable() for character in text):
        raise AddressError(
            "E601",
            "the address has blanks or control characters in it",
            remedy="write it as https://HOST",
        )
    try:
        return urlsplit(text)
    except ValueError as error:
        raise AddressError(
            "E601", f"the address cannot be read: {error}", remedy="write it as https://HOST"
        ) from None


def _port(split: SplitResult) -> int | None:
    try:
        port = split.port
    except ValueError:
        port = 0
    if port == 0:
        raise AddressError(
            "E601",
            "the address has a port that is not 1 to 65535",
            remedy="write https://HOST:8443",
        )
    return port


def _refuse_credentials(split: SplitResult) -> None:
    if "@" in split.netloc:
        host = split.netloc.rpartition("@")[2]
        raise AddressError(
            "E603",
            f"the address of {host} holds a user name or password; addresses end up in logs",
            remedy=f"write {split.scheme}://{host}{split.path} and give the key with `key:`",
        )


def _without_credentials(text: str) -> str:
    before, at, after = text.rpartition("@")
    return f"***@{after}" if at and before else text


def _ascii(host: str) -> str:
    """The host as it goes over the wire: names of other scripts in their ASCII form."""
    try:
        ascii_host = host.lower() if host.isascii() else host.encode("idna").decode("ascii").lower()
        if ":" in ascii_host:
            return str(ipaddress.ip_address(ascii_host))
    except ValueError:
        ascii_host = ""
    if not _HOST.fullmatch(ascii_host):
        raise AddressError(
            "E601", f"{host!r} is not the name of a host", remedy="write it as https://HOST"
        )
    return ascii_host
