"""Dry runs: they say what a save would do, and a save then does it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from envsync.contract.json_types import JsonObject
from envsync.server.refusal import Refusal
from envsync.server.services import manifests
from envsync.server.services.abilities import Abilities
from envsync.server.services.drafts import Notice, draft
from envsync.server.services.manifests import PlanItem

if TYPE_CHECKING:
    from .conftest import Tenant

BOX: JsonObject = {"kind": "virtual", "network": {"allowedHosts": ["a.example.com"]}}
WIDER: JsonObject = {
    "kind": "virtual",
    "network": {"allowedHosts": ["b.example.com", "a.example.com"]},
}


def batch(tenant: Tenant, *items: PlanItem) -> Any:
    answer = json.loads(tenant.read(lambda tx: manifests.plan_batch(tx, tenant.id, items)))
    assert answer.pop("dryRun") is True
    assert list(answer) == ["plans"]
    return answer["plans"]


def item(name: str, body: JsonObject, if_match: int | None = None) -> PlanItem:
    return PlanItem(name, draft(body, Abilities()), if_match)


def test_a_plan_of_something_new(tenant: Tenant) -> None:
    assert tenant.plan("box", BOX, 0) == {
        "dryRun": True,
        "name": "box",
        "currentVersion": None,
        "nextVersion": 1,
        "unchanged": False,
        "changes": [
            {"op": "add", "path": "/harness", "to": "nylorun"},
            {"op": "add", "path": "/kind", "to": "virtual"},
            {"op": "add", "path": "/lifecycle", "to": {}},
            {"op": "add", "path": "/network", "to": {"allowedHosts": ["a.example.com"]}},
            {"op": "add", "path": "/resources", "to": {"cpus": 2, "memory": "1024MiB"}},
        ],
        "errors": [],
        "warnings": [],
        "environments": {"total": 0, "onOlderVersions": 0},
    }
    assert tenant.listed() == {"manifests": []}, "nothing was saved"


def test_a_plan_of_a_change(tenant: Tenant) -> None:
    tenant.save("box", BOX)
    tenant.make_environment("e", "box", 1)
    assert tenant.plan("box", WIDER, 1) == {
        "dryRun": True,
        "name": "box",
        "currentVersion": 1,
        "nextVersion": 2,
        "unchanged": False,
        "changes": [{"op": "add", "path": "/network/allowedHosts/1", "to": "b.example.com"}],
        "errors": [],
        "warnings": [],
        "environments": {"total": 1, "onOlderVersions": 1},
    }
    assert tenant.get("box")["version"] == 1, "nothing was saved"


def test_a_plan_without_changes(tenant: Tenant) -> None:
    tenant.save("box", BOX)
    tenant.save("box", WIDER)
    for name, version in (("a", 1), ("b", 2), ("c", 2)):
        tenant.make_environment(name, "box", version)
    plan = tenant.plan("box", WIDER)
    assert plan["unchanged"] is True
    assert plan["nextVersion"] is None
    assert plan["changes"] == []
    assert plan["environments"] == {"total": 3, "onOlderVersions": 1}
    assert tenant.plan("box", BOX)["environments"] == {"total": 3, "onOlderVersions": 3}


def test_a_plan_lists_every_reason_that_would_refuse_the_save(tenant: Tenant) -> None:
    tenant.save("box", BOX)
    body: JsonObject = {**WIDER, "resources": {"cpus": 1000}}
    plan = tenant.plan("box", body)
    assert plan["nextVersion"] is None
    assert plan["unchanged"] is False
    assert [error["path"] for error in plan["errors"]] == ["/resources/cpus"]
    assert {change["path"] for change in plan["changes"]} >= {"/network/allowedHosts/1"}
    with pytest.raises(Refusal):
        tenant.save("box", body)


def test_a_plan_says_which_kind_this_server_cannot_run(tenant: Tenant) -> None:
    drafted = draft({"kind": "pod"}, Abilities(pods=False))
    (error,) = tenant.plan("box", drafted)["errors"]
    assert (error["code"], error["path"]) == ("environment_unavailable", "/kind")


def test_an_image_that_is_not_the_one_named_is_warned_of(tenant: Tenant) -> None:
    body: JsonObject = {"kind": "pod", "image": "rust:1.90"}
    (warning,) = tenant.plan("box", body)["warnings"]
    assert (warning["code"], warning["path"]) == ("image_is_host", "/image")
    assert "rust:1.90" in warning["message"]
    real = draft(body, Abilities(images_are_host=False))
    assert tenant.plan("box", real)["warnings"] == []
    assert tenant.plan("box", {"kind": "pod"})["warnings"] == []


def test_a_plan_onto_another_version_is_refused_as_the_save_would_be(tenant: Tenant) -> None:
    tenant.save("box", BOX)
    for stale in (0, 2):
        with pytest.raises(Refusal) as caught:
            tenant.plan("box", WIDER, stale)
        assert (caught.value.status, caught.value.code) == (412, "manifest_changed")
        assert isinstance(caught.value.details, dict)
        assert caught.value.details["currentVersion"] == 1


@pytest.mark.parametrize("size", [3, 60])
def test_a_batch_answers_what_each_dry_run_would(tenant: Tenant, size: int) -> None:
    """A few are looked up one by one, many as a range: the answers are the same."""
    names = [f"box-{number:03}" for number in range(size)]
    for number, name in enumerate(names):
        if number % 3:
            tenant.save(name, BOX)
        if number % 6 == 1:
            tenant.make_environment(name, name, 1)
        if number % 5 == 4:
            tenant.delete(name) if number % 6 != 1 else None
    bodies = [(BOX, WIDER)[number % 2] for number in range(size)]
    wanted = [tenant.plan(name, body) for name, body in zip(names, bodies, strict=True)]
    items = [item(name, body) for name, body in zip(names, bodies, strict=True)]
    assert batch(tenant, *items) == wanted
    assert batch(tenant, *reversed(items)) == wanted[::-1], "in the order that was asked for"


def test_a_stale_item_of_a_batch_is_told_in_its_plan(tenant: Tenant) -> None:
    saved = tenant.save("box", BOX)
    good, stale, gone = batch(
        tenant, item("box", WIDER, 1), item("box", WIDER, 0), item("absent", WIDER, 4)
    )
    assert good["nextVersion"] == 2
    assert [error["code"] for error in stale["errors"]] == ["manifest_changed"]
    assert stale["nextVersion"] is None
    assert stale["conflict"] == {
        "currentVersion": 1,
        "currentHash": saved["hash"],
        "savedBy": "local:me",
        "savedAt": "2026-01-02T03:04:05.678Z",
    }
    assert gone["conflict"]["currentVersion"] is None


def test_a_malformed_item_of_a_batch_is_told_in_its_plan(tenant: Tenant) -> None:
    wrong = PlanItem("not a name", None, errors=(Notice("request_rejected", "No.", "/name"),))
    good, bad = batch(tenant, item("box", BOX), wrong)
    assert good["nextVersion"] == 1
    assert bad["errors"] == [{"code": "request_rejected", "message": "No.", "path": "/name"}]
    assert bad["nextVersion"] is None


def test_a_batch_has_a_most(tenant: Tenant) -> None:
    with pytest.raises(Refusal) as caught:
        batch(tenant, *[item("box", BOX)] * (manifests.MAX_BATCH + 1))
    assert caught.value.status == 400
    assert batch(tenant) == []
