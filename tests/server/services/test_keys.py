"""Keys: shown once, kept as a hash."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from envsync.server.refusal import Refusal
from envsync.server.services import keys
from envsync.server.services.keys import Role

if TYPE_CHECKING:
    from .conftest import Tenant

NOW, LATER = "2026-01-02T03:04:05.678Z", "2026-02-02T03:04:05.678Z"


def make(tenant: Tenant, key_id: str, role: Role = Role.APPLICATION, **more: str) -> keys.NewKey:
    return tenant.write(lambda tx: keys.create_key(tx, tenant.id, key_id, role, NOW, **more))


def put(tenant: Tenant, key_id: str, role: Role = Role.APPLICATION, **more: str) -> keys.NewKey:
    return tenant.write(lambda tx: keys.put_key(tx, tenant.id, key_id, role, LATER, **more))


def test_a_new_key_is_found_by_its_text_alone(tenant: Tenant) -> None:
    made = make(tenant, "ci")
    assert keys.is_key_text(made.text)
    assert made.text not in repr(made)
    found = tenant.read(lambda tx: keys.find_key(tx, made.text))
    assert found == made.key == keys.Key(tenant.id, "ci", Role.APPLICATION, NOW)
    assert tenant.read(lambda tx: keys.find_key(tx, made.text.upper())) is None
    assert tenant.read(lambda tx: keys.find_key(tx, "\ud800")) is None


def test_only_the_hash_of_a_key_is_kept(tenant: Tenant) -> None:
    made = make(tenant, "ci")
    (row,) = tenant.read(lambda tx: tx.all("backup_keys"))
    assert row["hash"] == sha256(made.text.encode()).hexdigest()
    assert made.text not in [str(value) for value in row]


def test_a_rotated_key_replaces_the_old_one(tenant: Tenant) -> None:
    old = make(tenant, "ci")
    new = tenant.write(lambda tx: keys.rotate_key(tx, tenant.id, "ci", Role.APPLICATION, LATER))
    assert new.rotated
    assert new.text != old.text
    assert (new.key.created_at, new.key.rotated_at) == (NOW, LATER)
    assert tenant.read(lambda tx: keys.find_key(tx, old.text)) is None
    assert tenant.read(lambda tx: keys.find_key(tx, new.text)) == new.key


def test_put_makes_or_rotates(tenant: Tenant) -> None:
    assert [put(tenant, "ci").rotated, put(tenant, "ci").rotated] == [False, True]


def test_the_roles_have_names_of_their_own(tenant: Tenant) -> None:
    make(tenant, "ci")
    make(tenant, "ci", Role.MANAGEMENT)
    make(tenant, "aa", Role.MANAGEMENT)
    listed = tenant.read(lambda tx: keys.list_keys(tx, tenant.id))
    assert [(key.role, key.id) for key in listed] == [
        (Role.APPLICATION, "ci"),
        (Role.MANAGEMENT, "aa"),
        (Role.MANAGEMENT, "ci"),
    ]
    (only,) = tenant.read(lambda tx: keys.list_keys(tx, tenant.id, Role.APPLICATION))
    assert only.role is Role.APPLICATION


def test_a_deleted_key_opens_nothing(tenant: Tenant) -> None:
    made = make(tenant, "ci")
    tenant.write(lambda tx: keys.delete_key(tx, tenant.id, "ci", Role.APPLICATION))
    assert tenant.read(lambda tx: keys.find_key(tx, made.text)) is None
    with pytest.raises(Refusal) as caught:
        tenant.write(lambda tx: keys.delete_key(tx, tenant.id, "ci", Role.APPLICATION))
    assert caught.value.status == 404


def test_a_key_that_was_made_elsewhere_can_be_taken(tenant: Tenant) -> None:
    text = "0123456789abcdef" * 4
    assert make(tenant, "ci", text=text).text == text
    assert put(tenant, "ci", text=text).rotated, "the same again is no conflict"
    with pytest.raises(Refusal) as caught:
        make(tenant, "other", text=text)
    assert caught.value.status == 409
    for wrong in ("", "abc", text.upper(), text + "0", "g" * 64):
        with pytest.raises(Refusal) as caught:
            make(tenant, "x", text=wrong)
        assert (caught.value.status, caught.value.code) == (400, "invalid_request")
        assert not wrong or wrong not in caught.value.message


def test_a_taken_id_and_an_absent_one_are_refused(tenant: Tenant) -> None:
    make(tenant, "ci")
    with pytest.raises(Refusal) as caught:
        make(tenant, "ci")
    assert caught.value.status == 409
    with pytest.raises(Refusal) as caught:
        tenant.write(lambda tx: keys.rotate_key(tx, tenant.id, "ci", Role.MANAGEMENT, NOW))
    assert caught.value.status == 404


@pytest.mark.parametrize("key_id", ["a", "ci", "a-b", "a0", "z" * 32])
def test_ids_in_the_grammar(key_id: str) -> None:
    assert keys.is_key_id(key_id)


@pytest.mark.parametrize(
    "key_id", ["", "A", "0a", "-a", "a_b", "a.b", "z" * 33, "é", "a\n", "studio", "bootstrap"]
)
def test_ids_outside_the_grammar(tenant: Tenant, key_id: str) -> None:
    assert not keys.is_key_id(key_id)
    with pytest.raises(Refusal) as caught:
        put(tenant, key_id)
    assert (caught.value.status, caught.value.code) == (400, "invalid_request")
