"""The identity of this server: written once, when its database is made."""

from __future__ import annotations

from msgspec import Struct

from envsync.server.store.interface import Transaction


class Host(Struct, frozen=True):
    """``id`` names the database to clients (``hostId``); ``tenant`` is its one tenant."""

    id: str
    tenant: str


def host(tx: Transaction) -> Host:
    """Who this server is. Also the cheapest proof that the database answers."""
    row = tx.one("host")
    if row is None:
        raise LookupError("the database has no identity")
    return Host(row["id"], row["tenant"])
