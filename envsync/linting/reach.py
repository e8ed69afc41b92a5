"""Reach: which hosts a manifest lets its Environments talk to."""

from __future__ import annotations

from msgspec import Struct

from envsync.contract.json_types import JsonObject


class Reach(Struct, frozen=True):
    """``hosts`` are lower case. ``wildcards`` are the parts after ``*``, such as ``.example``."""

    hosts: frozenset[str]
    wildcards: tuple[str, ...]

    @classmethod
    def of(cls, body: JsonObject) -> Reach:
        network = body.get("network")
        said = network.get("allowedHosts") if isinstance(network, dict) else None
        hosts = (
            [host.lower() for host in said if isinstance(host, str)]
            if (isinstance(said, list))
            else []
        )
        return cls(
            frozenset(host for host in hosts if not host.startswith("*.")),
            tuple(host[1:] for host in hosts if host.startswith("*.")),
        )

    @property
    def said(self) -> str:
        if not self.hosts and not self.wildcards:
            return "this manifest allows no host at all"
        return "not one of the allowed hosts"

    def allows(self, host: str) -> bool:
        """Whether ``host`` is reached: named, or below a wildcard (at any depth)."""
        host = host.lower().rstrip(".")
        return host in self.hosts or any(host.endswith(suffix) for suffix in self.wildcards)
