"""Saving, reading, listing and deleting manifests, on either database."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest

from envsync.contract.canonical import canonical_json
from envsync.contract.json_types import JsonObject
from envsync.contract.normalise import normalise
from envsync.server.refusal import Refusal
from envsync.server.services import manifest_plans, manifest_rules, manifests
from envsync.server.services.abilities import Abilities
from envsync.server.services.drafts import draft

if TYPE_CHECKING:
    from .conftest import Tenant

BOX: JsonObject = {
    "kind": "pod",
    "image": "python:3.13",
    "network": {"allowedHosts": ["B.example.com", "a.example.com"]},
}
OTHER: JsonObject = {"kind": "virtual", "resources": {"cpus": 4}}


def refused(work: Any, *arguments: object) -> Refusal:
    with pytest.raises(Refusal) as caught:
        work(*arguments)
    return caught.value


def test_a_first_save_is_version_one(tenant: Tenant) -> None:
    saved = tenant.save("box", BOX, actor="application:ci")
    normalised = normalise("manifest", BOX)
    assert saved == {
        "name": "box",
        "version": 1,
        "hash": sha256(canonical_json(normalised)).hexdigest(),
        "kind": "pod",
        "manifest": normalised,
        "savedAt": "2026-01-02T03:04:05.678Z",
        "savedBy": "application:ci",
        "environments": 0,
        "unchanged": False,
    }
    del saved["unchanged"]
    assert tenant.get("box") == saved == tenant.get("box", 1)
    assert tenant.listed() == {"manifests": [saved]}
    assert tenant.versions("box") == {"name": "box", "versions": [saved]}


def test_a_save_of_the_same_makes_no_version(tenant: Tenant) -> None:
    first = tenant.save("box", BOX)
    again = tenant.save("box", {**BOX, "lifecycle": {}}, actor="local:somebody-else")
    assert again == {**first, "unchanged": True}
    assert len(tenant.versions("box")["versions"]) == 1


def test_a_save_of_something_else_is_the_next_version(tenant: Tenant) -> None:
    tenant.save("box", BOX)
    assert tenant.save("box", OTHER)["version"] == 2
    assert tenant.save("box", BOX)["version"] == 3
    numbers = [each["version"] for each in tenant.versions("box")["versions"]]
    assert numbers == [3, 2, 1]
    assert tenant.get("box", 2)["kind"] == "virtual"


def test_names_of_who_saved_may_hold_anything(tenant: Tenant) -> None:
    actor = 'issuer:corp:Zoë "the\\cat" \n\U0001f600'
    tenant.save("box", BOX, actor=actor)
    assert tenant.get("box")["savedBy"] == actor
    assert tenant.listed(summary=True)["manifests"][0]["savedBy"] == actor


def test_a_manifest_may_hold_any_text(tenant: Tenant) -> None:
    body = {"setup": [{"command": 'echo "é\\n\u0001\u2028\U0001f600" %s :name %(x)s'}]}
    tenant.save("box", body)
    assert tenant.get("box")["manifest"]["setup"] == body["setup"]


@pytest.mark.parametrize(("saves", "if_match"), [(0, 0), (1, 1), (2, 2)])
def test_a_save_onto_the_version_that_was_read(tenant: Tenant, saves: int, if_match: int) -> None:
    for number in range(saves):
        tenant.save("box", {"resources": {"cpus": number + 1}})
    assert tenant.save("box", BOX, if_match)["version"] == saves + 1


def test_a_save_onto_another_version_is_refused_with_what_there_is(tenant: Tenant) -> None:
    tenant.save("box", OTHER)
    current = tenant.save("box", BOX, actor="application:ci")
    for stale in (0, 1, 3):
        refusal = refused(tenant.save, "box", OTHER, stale)
        assert (refusal.status, refusal.code) == (412, "manifest_changed")
        assert refusal.details == {
            "currentVersion": 2,
            "currentHash": current["hash"],
            "savedBy": "application:ci",
            "savedAt": "2026-01-02T03:04:05.678Z",
        }
    assert tenant.get("box")["version"] == 2


def test_a_save_onto_a_version_that_is_gone_is_refused(tenant: Tenant) -> None:
    refusal = refused(tenant.save, "box", BOX, 3)
    assert (refusal.status, refusal.code) == (412, "manifest_changed")
    assert refusal.details == {
        "currentVersion": None,
        "currentHash": None,
        "savedBy": None,
        "savedAt": None,
    }


def test_a_stale_save_of_the_same_content_is_refused_too(tenant: Tenant) -> None:
    tenant.save("box", OTHER)
    tenant.save("box", BOX)
    assert refused(tenant.save, "box", BOX, 1).status == 412


def test_what_goes_beyond_a_limit_is_refused_with_every_reason(tenant: Tenant) -> None:
    body = {
        "resources": {"cpus": 1000},
        "files": [{"artifactId": "af_01h0000000000000000000000a", "version": 1, "path": "x"}],
    }
    refusal = refused(tenant.save, "box", body)
    assert (refusal.status, refusal.code) == (400, "request_rejected")
    assert isinstance(refusal.details, dict)
    errors: Any = refusal.details["errors"]
    assert [error["path"] for error in errors] == ["/resources/cpus", "/files/0/artifactId"]
    assert all(error["message"] in refusal.message for error in errors)
    assert refused(tenant.get, "box").status == 404


def test_numbers_continue_after_a_delete(tenant: Tenant) -> None:
    tenant.save("box", BOX)
    tenant.save("box", OTHER)
    assert tenant.delete("box") == {"name": "box", "deleted": True, "versions": 2}
    assert refused(tenant.get, "box").status == 404
    assert tenant.listed() == {"manifests": []}
    assert tenant.plan("box", BOX, 0)["nextVersion"] == 3
    assert tenant.save("box", BOX, 0)["version"] == 3
    assert refused(tenant.get, "box", 1).status == 404
    tenant.delete("box")
    assert tenant.save("box", BOX)["version"] == 4


def test_a_delete_of_nothing_is_fine(tenant: Tenant) -> None:
    assert tenant.delete("box") == {"name": "box", "deleted": False, "versions": 0}
    assert tenant.delete("box", 0) == {"name": "box", "deleted": False, "versions": 0}


def test_a_delete_honours_the_version_that_was_read(tenant: Tenant) -> None:
    tenant.save("box", BOX)
    tenant.save("box", OTHER)
    assert refused(tenant.delete, "box", 1).code == "manifest_changed"
    assert refused(tenant.delete, "box", 0).code == "manifest_changed"
    assert refused(tenant.delete, "absent", 1).code == "manifest_changed"
    assert tenant.delete("box", 2)["deleted"]


def test_a_manifest_in_use_is_not_deleted(tenant: Tenant) -> None:
    tenant.save("box", BOX)
    tenant.save("box", OTHER)
    for number in range(23):
        tenant.make_environment(f"users/{number:02}", "box", 1 + number % 2)
    refusal = refused(tenant.delete, "box")
    assert (refusal.status, refusal.code) == (409, "manifest_in_use")
    assert refusal.details == {
        "environments": [f"users/{number:02}" for number in range(20)],
        "total": 23,
    }
    assert tenant.get("box")["environments"] == 23


def test_environments_are_counted_of_all_versions_and_of_each(tenant: Tenant) -> None:
    tenant.save("box", BOX)
    tenant.save("box", OTHER)
    tenant.save("unused", OTHER)
    for name, version in (("a", 1), ("b", 1), ("c", 2)):
        tenant.make_environment(name, "box", version)
    tenant.make_environment("inline", None, None)
    assert [each["environments"] for each in tenant.listed()["manifests"]] == [3, 0]
    assert [each["environments"] for each in tenant.versions("box")["versions"]] == [1, 2]
    assert tenant.get("box")["environments"] == 3
    assert tenant.get("box", 1)["environments"] == 2
    assert tenant.save("box", OTHER)["environments"] == 3


def test_another_tenants_manifests_are_out_of_sight(tenant: Tenant) -> None:
    tenant.save("box", BOX)
    mine, tenant.id = tenant.id, "tn_other"
    assert refused(tenant.get, "box").status == 404
    assert tenant.listed() == {"manifests": []}
    assert tenant.save("box", OTHER)["version"] == 1
    assert tenant.delete("box")["versions"] == 1
    tenant.id = mine
    assert tenant.get("box")["kind"] == "pod"


def test_a_summary_is_the_list_without_the_manifests(tenant: Tenant) -> None:
    for name in ("b", "a", "Z", "a-b", "a.b"):
        tenant.save(name, BOX)
    full = tenant.listed()["manifests"]
    assert [each["name"] for each in full] == ["Z", "a", "a-b", "a.b", "b"]
    for each in full:
        del each["manifest"]
    assert tenant.listed(summary=True) == {"view": "summary", "manifests": full}


def test_the_lists_tag_changes_with_what_it_covers(tenant: Tenant) -> None:
    def tag() -> str:
        return tenant.read(lambda tx: manifests.list_manifests(tx, tenant.id)).etag

    def body_for(known: str) -> bytes | None:
        return tenant.read(
            lambda tx: manifests.list_manifests(tx, tenant.id, if_none_match=known)
        ).body

    seen = [tag()]
    tenant.save("box", BOX)
    seen.append(tag())
    tenant.save("box", OTHER)
    seen.append(tag())
    tenant.make_environment("e", "box", 2)
    seen.append(tag())
    tenant.save("another", BOX)
    seen.append(tag())
    assert len(set(seen)) == len(seen)
    assert all(each.startswith('W/"') for each in seen)
    assert body_for(seen[-1]) is None
    assert body_for(seen[-2]) is not None
    tenant.save("another", BOX)
    assert body_for(seen[-1]) is None, "a save that changes nothing changes no tag"


def test_old_versions_go_but_for_those_in_use(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manifests, "MAX_VERSIONS", 5)
    for number in range(1, 6):
        tenant.save("box", {"resources": {"cpus": number}})
    tenant.make_environment("old", "box", 2)
    for number in range(6, 10):
        tenant.save("box", {"resources": {"cpus": number}})
    numbers = [each["version"] for each in tenant.versions("box")["versions"]]
    assert numbers == [9, 8, 7, 6, 2]
    assert tenant.save("box", BOX)["version"] == 10
    assert tenant.delete("box.not")["deleted"] is False
    with pytest.raises(Refusal):
        tenant.delete("box")


def test_a_server_has_room_for_so_many_manifests(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manifests, "MAX_MANIFESTS", 3)
    monkeypatch.setattr(manifest_plans, "MAX_MANIFESTS", 3)
    monkeypatch.setattr(manifest_rules, "MAX_MANIFESTS", 3)
    for name in "abc":
        tenant.save(name, BOX)
    refusal = refused(tenant.save, "d", BOX)
    assert (refusal.status, refusal.code) == (409, "limit_exceeded")
    assert refusal.details == {"limit": "manifests", "max": 3}
    plan = tenant.plan("d", BOX)
    assert plan["nextVersion"] is None
    assert [error["code"] for error in plan["errors"]] == ["limit_exceeded"]
    assert tenant.save("a", OTHER)["version"] == 2
    tenant.delete("b")
    assert tenant.save("d", BOX)["version"] == 1


def test_a_name_outside_the_grammar_never_gets_in(tenant: Tenant) -> None:
    assert refused(tenant.save, 'x","version":9', BOX).status == 400


def test_what_is_stored_is_what_is_hashed(tenant: Tenant) -> None:
    drafted = draft({**BOX, "resources": {"cpus": 0.5, "memory": "2GiB"}}, Abilities())
    saved = tenant.save("box", drafted)
    raw = tenant.read(lambda tx: manifests.get_manifest(tx, tenant.id, "box"))
    assert drafted.text.encode() in raw
    assert saved["hash"] == sha256(drafted.text.encode()).hexdigest() == drafted.hash
    assert canonical_json(json.loads(raw)["manifest"]).decode() == drafted.text
