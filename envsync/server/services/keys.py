"""Keys: who may call. Only their SHA-256 is kept."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from envsync.server.store.interface import Transaction


class Role(StrEnum):
    APPLICATION = "application"
    MANAGEMENT = "management"


@dataclass(frozen=True, slots=True)
class Key:
    """``rotated_at`` is ``None`` while the key is the first of its id."""

    tenant: str
    id: str
    role: Role
    created_at: str
    rotated_at: str | None = None


@dataclass(frozen=True, slots=True)
class NewKey:
    """``text`` is shown once and never stored; it stays out of ``repr``."""

    key: Key
    text: str
    rotated: bool

    def __repr__(self) -> str:
        return f"NewKey(key={self.key!r}, text=<hidden>, rotated={self.rotated})"


def is_key_id(text: str) -> bool:
    """``^[a-z][a-z0-9-]{0,31}$``, and neither ``studio`` nor ``bootstrap``."""
    raise NotImplementedError


def is_key_text(text: str) -> bool:
    """64 lower-case hexadecimal characters."""
    raise NotImplementedError


def put_key(
    tx: Transaction, tenant: str, key_id: str, role: Role, now: str, *, text: str | None = None
) -> NewKey:
    """Makes a key, or gives the one with this role and id a new text (``rotated``).

    ``text`` takes a key that was made elsewhere. Refusal 400 ``invalid_request`` for a bad id or
    text, 409 ``request_rejected`` when another key has that text.
    """
    raise NotImplementedError


def create_key(
    tx: Transaction, tenant: str, key_id: str, role: Role, now: str, *, text: str | None = None
) -> NewKey:
    """As ``put_key``, but Refusal 409 ``request_rejected`` when the id is taken."""
    raise NotImplementedError


def rotate_key(tx: Transaction, tenant: str, key_id: str, role: Role, now: str) -> NewKey:
    """As ``put_key``, but Refusal 404 ``request_rejected`` when there is no such key."""
    raise NotImplementedError


def list_keys(tx: Transaction, tenant: str, role: Role | None = None) -> list[Key]:
    """By role, then id."""
    raise NotImplementedError


def delete_key(tx: Transaction, tenant: str, key_id: str, role: Role) -> None:
    """Refusal 404 ``request_rejected`` when there is no such key."""
    raise NotImplementedError


def find_key(tx: Transaction, text: str) -> Key | None:
    """The key with this text, of any tenant."""
    raise NotImplementedError
