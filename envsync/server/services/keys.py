"""Keys: who may call. Only their SHA-256 is kept."""

from __future__ import annotations

import hmac
import re
import secrets
from enum import StrEnum
from hashlib import sha256
from typing import Final

from msgspec import Struct

from envsync.server.refusal import Refusal
from envsync.server.store.interface import Row, Transaction

_ID: Final = re.compile(r"[a-z][a-z0-9-]{0,31}")
_TEXT: Final = re.compile(r"[0-9a-f]{64}")
_RESERVED: Final = frozenset({"bootstrap", "studio"})


class Role(StrEnum):
    """``STUDIO`` reaches both APIs: as an application key where the route takes one."""

    APPLICATION = "application"
    MANAGEMENT = "management"
    STUDIO = "studio"


class Key(Struct, frozen=True):
    """``rotated_at`` is ``None`` while the key is the first of its id."""

    tenant: str
    id: str
    role: Role
    created_at: str
    rotated_at: str | None = None


class NewKey(Struct, frozen=True):
    """``text`` is shown once and never stored; it stays out of ``repr``."""

    key: Key
    text: str
    rotated: bool

    def __repr__(self) -> str:
        return f"NewKey(key={self.key!r}, text=<hidden>, rotated={self.rotated})"


def is_key_id(text: str) -> bool:
    """``^[a-z][a-z0-9-]{0,31}$``, and neither ``studio`` nor ``bootstrap``."""
    return _ID.fullmatch(text) is not None and text not in _RESERVED


def is_key_text(text: str) -> bool:
    """64 lower-case hexadecimal characters."""
    return _TEXT.fullmatch(text) is not None


def put_key(
    tx: Transaction, tenant: str, key_id: str, role: Role, now: str, *, text: str | None = None
) -> NewKey:
    """Makes a key, or gives the one with this role and id a new text (``rotated``).

    ``text`` takes a key that was made elsewhere. Refusal 400 ``invalid_request`` for a bad id or
    text, 409 ``request_rejected`` when another key has that text.
    """
    if not is_key_id(key_id):
        raise Refusal(
            400,
            "invalid_request",
            "A key's id is a lower-case letter, then at most 31 of a-z, 0-9 and '-';"
            " 'bootstrap' and 'studio' are taken",
        )
    if text is None:
        text = secrets.token_hex(32)
    elif not is_key_text(text):
        raise Refusal(400, "invalid_request", "A key is 64 lower-case hexadecimal characters")
    digest = _digest(text)
    _refuse_double(tx, tenant, key_id, role, digest)
    existing = tx.one("key_by_id", tenant=tenant, role=role.value, id=key_id)
    query = "add_key" if existing is None else "rotate_key"
    tx.execute(query, tenant=tenant, role=role.value, id=key_id, hash=digest, now=now)
    if existing is None:
        return NewKey(Key(tenant, key_id, role, now), text, rotated=False)
    return NewKey(Key(tenant, key_id, role, existing["created_at"], now), text, rotated=True)


def create_key(
    tx: Transaction, tenant: str, key_id: str, role: Role, now: str, *, text: str | None = None
) -> NewKey:
    """As ``put_key``, but Refusal 409 ``request_rejected`` when the id is taken."""
    if tx.one("key_by_id", tenant=tenant, role=role.value, id=key_id) is not None:
        raise Refusal(409, "request_rejected", f"There is a key {key_id} with that role already")
    return put_key(tx, tenant, key_id, role, now, text=text)


def rotate_key(tx: Transaction, tenant: str, key_id: str, role: Role, now: str) -> NewKey:
    """As ``put_key``, but Refusal 404 ``request_rejected`` when there is no such key."""
    if tx.one("key_by_id", tenant=tenant, role=role.value, id=key_id) is None:
        raise _absent(key_id, role)
    return put_key(tx, tenant, key_id, role, now)


def list_keys(tx: Transaction, tenant: str, role: Role | None = None) -> list[Key]:
    """By role, then id."""
    keys = [_key(row) for row in tx.all("keys", tenant=tenant)]
    return keys if role is None else [key for key in keys if key.role is role]


def delete_key(tx: Transaction, tenant: str, key_id: str, role: Role) -> None:
    """Refusal 404 ``request_rejected`` when there is no such key."""
    if not tx.execute("delete_key", tenant=tenant, role=role.value, id=key_id):
        raise _absent(key_id, role)


def find_key(tx: Transaction, text: str) -> Key | None:
    """The key with this text, of any tenant."""
    digest = _digest(text)
    row = tx.one("key_by_hash", hash=digest)
    if row is None or not hmac.compare_digest(row["hash"], digest):
        return None
    return _key(row)


def _refuse_double(tx: Transaction, tenant: str, key_id: str, role: Role, digest: str) -> None:
    other = tx.one("key_by_hash", hash=digest)
    if other is not None and (other["tenant"], other["id"], other["role"]) != (
        tenant,
        key_id,
        role.value,
    ):
        raise Refusal(409, "request_rejected", "Another key has this text already")


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _key(row: Row) -> Key:
    return Key(row["tenant"], row["id"], Role(row["role"]), row["created_at"], row["rotated_at"])


def _absent(key_id: str, role: Role) -> Refusal:
    return Refusal(404, "request_rejected", f"There is no {role.value} key {key_id}")
