"""Which proxy stands between us and a server, as the environment says.

``HTTPS_PROXY``, ``HTTP_PROXY`` and ``ALL_PROXY`` name it (lower case wins, as with curl);
``NO_PROXY`` lists what is reached without: a host name also covers what is below it, ``*`` covers
everything, addresses may be networks (``10.0.0.0/8``), and ``host:port`` covers that port only.
The loopback is never reached through a proxy.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from urllib.parse import urlsplit

from msgspec import Struct

from envsync.errors import NetworkError
from envsync.http.address import Address


class ProxyChoice(Struct, frozen=True):
    """``url`` is empty when the server is reached directly; ``reason`` says why, for a person.

    ``url`` may hold the proxy's credentials: show ``shown`` instead.
    """

    url: str
    reason: str

    @property
    def shown(self) -> str:
        """The proxy's address without its credentials, or an empty text."""
        if not self.url:
            return ""
        split = urlsplit(self.url)
        return f"{split.scheme}://{split.netloc.rpartition('@')[2]}"

    def __repr__(self) -> str:
        return f"ProxyChoice({self.shown!r}, {self.reason!r})"


def proxy_for(address: Address, environment: Mapping[str, str]) -> ProxyChoice:
    """The proxy for ``address``. Raises ``NetworkError`` for a proxy that cannot be used."""
    if address.is_loopback:
        return ProxyChoice("", "loopback addresses are reached directly")
    name, value = _first(environment, f"{address.scheme}_proxy", "all_proxy")
    if not value:
        return ProxyChoice("", "no proxy is set")
    excluding, exceptions = _first(environment, "no_proxy")
    for entry in exceptions.replace(",", " ").split():
        if _covers(entry.lower(), address):
            return ProxyChoice("", f"{excluding} covers it with {entry}")
    return ProxyChoice(_usable(name, value), f"{name} is set")


def _first(environment: Mapping[str, str], *names: str) -> tuple[str, str]:
    for name in names:
        for spelling in (name, name.upper()):
            value = environment.get(spelling, "").strip()
            if value:
                return spelling, value
    return names[0].upper(), ""


def _usable(name: str, value: str) -> str:
    url = value if "://" in value else f"http://{value}"
    try:
        split = urlsplit(url)
        usable = split.scheme in {"http", "https"} and bool(split.hostname) and split.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise NetworkError(
            "E616",
            f"{name} does not name a proxy that can be used",
            remedy=f"set {name} to http://HOST:PORT or https://HOST:PORT, or take it away",
        )
    return url


def _covers(entry: str, address: Address) -> bool:
    if entry == "*":
        return True
    host, port = _host_and_port(entry)
    if port is not None and port != address.port:
        return False
    if _is_in_network(address.host, host):
        return True
    suffix = host.removeprefix("*").lstrip(".")
    return bool(suffix) and (address.host == suffix or address.host.endswith("." + suffix))


def _host_and_port(entry: str) -> tuple[str, int | None]:
    if entry.startswith("["):
        host, _, rest = entry[1:].partition("]")
        port = rest.removeprefix(":")
    elif entry.count(":") == 1:
        host, _, port = entry.partition(":")
    else:
        host, port = entry, ""
    return host, int(port) if port.isascii() and port.isdigit() else None


def _is_in_network(host: str, network: str) -> bool:
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(network, strict=False)
    except ValueError:
        return False
