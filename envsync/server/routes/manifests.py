"""The environment manifest routes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from envsync.contract.features import BATCH_MAX
from envsync.contract.json_types import Json
from envsync.contract.names import is_manifest_name
from envsync.server.auth.access import READ, WRITE
from envsync.server.refusal import Refusal
from envsync.server.routes.answer import Answer, json_answer
from envsync.server.routes.bodies import Fault, faults_of, object_of
from envsync.server.routes.call import Call, bad_request
from envsync.server.routes.table import Route
from envsync.server.services import manifests
from envsync.server.services.abilities import Abilities
from envsync.server.services.drafts import Draft, draft
from envsync.server.services.preconditions import if_match_version
from envsync.server.store.interface import Transaction

_MAX_VERSION = 2**53 - 1
_NAME_RULE = (
    "An environment manifest's name is 1-64 letters, digits, '.', '_' and '-', starting with a "
    "letter or digit"
)


@dataclass(frozen=True, slots=True)
class _Save:
    name: str
    draft: Draft
    if_match: int | None
    dry_run: bool


@dataclass(frozen=True, slots=True)
class _Batch:
    """``refused`` are the plans of items that are not well-formed, by their place."""

    items: tuple[manifests.PlanItem, ...]
    refused: tuple[tuple[int, dict[str, Json]], ...]


def manifest_routes(abilities: Abilities) -> tuple[Route, ...]:
    """The routes, for a server with ``abilities``."""

    def prepare_save(call: Call) -> _Save:
        # The order is the contract's: name, body, If-Match; dryRun changes none of it.
        name = _name(call)
        body = object_of(call)
        faults = faults_of(body)
        if faults:
            raise _malformed(faults)
        if_match = if_match_version(call.header("if-match"))
        dry_run = _choice(call, "dryRun", ("true", "false"), "false") == "true"
        return _Save(name, draft(body, abilities), if_match, dry_run)

    def prepare_batch(call: Call) -> _Batch:
        return _batch(_batch_items(object_of(call)), abilities)

    return (
        Route("GET", "/v1/environment-manifests", READ, _list, prepare=_wants_summary, heavy=True),
        Route(
            "POST",
            "/v1/environment-manifests:plan",
            WRITE,
            _plan_batch,
            prepare=prepare_batch,
            takes_body=True,
            heavy=True,
        ),
        Route("GET", "/v1/environment-manifests/{}", READ, _get, prepare=_name),
        Route(
            "PUT",
            "/v1/environment-manifests/{}",
            WRITE,
            _save,
            prepare=prepare_save,
            takes_body=True,
            writes=lambda prepared: not prepared.dry_run,
        ),
        Route(
            "DELETE",
            "/v1/environment-manifests/{}",
            WRITE,
            _delete,
            prepare=_deletion,
            writes=lambda _: True,
        ),
        Route(
            "GET",
            "/v1/environment-manifests/{}/versions",
            READ,
            _versions,
            prepare=_name,
            heavy=True,
        ),
        Route(
            "GET", "/v1/environment-manifests/{}/versions/{}", READ, _version, prepare=_name_version
        ),
    )


def _name(call: Call) -> str:
    name = call.parameters[0]
    if not is_manifest_name(name):
        raise bad_request(_NAME_RULE)
    return name


def _name_version(call: Call) -> tuple[str, int]:
    name, text = _name(call), call.parameters[1]
    version = int(text) if text.isascii() and text.isdigit() and len(text) < 17 else 0
    if not 1 <= version <= _MAX_VERSION:
        raise bad_request("version is a positive integer")
    return name, version


def _choice(call: Call, name: str, values: tuple[str, ...], default: str) -> str:
    value = call.query(name)
    if value is None:
        return default
    if value not in values:
        raise bad_request(f"{name} is {' or '.join(values)}")
    return value


def _wants_summary(call: Call) -> bool:
    return _choice(call, "view", ("full", "summary"), "full") == "summary"


def _deletion(call: Call) -> tuple[str, int | None]:
    return _name(call), if_match_version(call.header("if-match"))


def _malformed(faults: Sequence[Fault]) -> Refusal:
    """All that is wrong with a body, in one message and one by one in ``details``."""
    message = "; ".join(str(fault) for fault in faults)
    return Refusal(400, "request_rejected", message, {"errors": [each.notice() for each in faults]})


def _list(tx: Transaction, call: Call, summary: bool) -> Answer:
    found = manifests.list_manifests(
        tx, call.tenant, summary=summary, if_none_match=call.header("if-none-match")
    )
    headers = (("etag", found.etag),)
    return Answer(304, None, headers) if found.body is None else Answer(200, found.body, headers)


def _get(tx: Transaction, call: Call, name: str) -> Answer:
    return Answer(200, manifests.get_manifest(tx, call.tenant, name))


def _version(tx: Transaction, call: Call, wanted: tuple[str, int]) -> Answer:
    return Answer(200, manifests.get_manifest(tx, call.tenant, *wanted))


def _versions(tx: Transaction, call: Call, name: str) -> Answer:
    return Answer(200, manifests.get_versions(tx, call.tenant, name))


def _save(tx: Transaction, call: Call, save: _Save) -> Answer:
    if save.dry_run:
        return json_answer(
            manifests.plan_manifest(tx, call.tenant, save.name, save.draft, save.if_match)
        )
    saved = manifests.save_manifest(
        tx, call.tenant, save.name, save.draft, save.if_match, call.caller.saved_by, call.now
    )
    return Answer(200, saved.body)


def _delete(tx: Transaction, call: Call, wanted: tuple[str, int | None]) -> Answer:
    return json_answer(manifests.delete_manifest(tx, call.tenant, *wanted))


def _plan_batch(tx: Transaction, call: Call, batch: _Batch) -> Answer:
    planned = manifests.plan_batch(tx, call.tenant, batch.items)
    if not batch.refused:
        return Answer(200, planned)
    plans: list[Json] = orjson.loads(planned)["plans"]
    for place, plan in batch.refused:
        plans.insert(place, plan)
    return json_answer({"plans": plans})


def _batch_items(body: dict[str, Json]) -> list[dict[str, Json]]:
    """The items of a batch, each an object with a name and a manifest."""
    items = body.get("manifests")
    if not isinstance(items, list) or set(body) != {"manifests"}:
        raise bad_request("The body is an object with the one member manifests, a list")
    if len(items) > BATCH_MAX:
        raise bad_request(f"At most {BATCH_MAX} manifests fit into one batch, not {len(items)}")
    for place, item in enumerate(items):
        if not isinstance(item, dict) or not {"name", "manifest"} <= set(item) <= {
            "name",
            "manifest",
            "ifMatch",
        }:
            raise bad_request(
                f"manifests[{place}] is an object with name, manifest and, if wanted, ifMatch"
            )
        if not isinstance(item["name"], str) or not isinstance(item["manifest"], dict):
            raise bad_request(f"manifests[{place}]: name is a string, and manifest an object")
        base = item.get("ifMatch", 0)
        if isinstance(base, bool) or not isinstance(base, int) or not 0 <= base <= _MAX_VERSION:
            raise bad_request(f"manifests[{place}]: ifMatch is a whole number, 0 for none yet")
    return items


def _batch(items: Sequence[dict[str, Json]], abilities: Abilities) -> _Batch:
    good: list[manifests.PlanItem] = []
    refused: list[tuple[int, dict[str, Json]]] = []
    for place, item in enumerate(items):
        name, body, base = str(item["name"]), item["manifest"], item.get("ifMatch")
        assert isinstance(body, dict)
        faults = faults_of(body) if is_manifest_name(name) else (Fault(_NAME_RULE),)
        if faults:
            refused.append((place, _refused_plan(name, faults)))
        else:
            assert base is None or isinstance(base, int)
            good.append(manifests.PlanItem(name, draft(body, abilities), base))
    return _Batch(tuple(good), tuple(refused))


def _refused_plan(name: str, faults: Sequence[Fault]) -> dict[str, Json]:
    """The plan of an item whose save would be 400: nothing is known of its manifest."""
    return {
        "dryRun": True,
        "name": name,
        "currentVersion": None,
        "nextVersion": None,
        "unchanged": False,
        "changes": [],
        "errors": [fault.notice() for fault in faults],
        "warnings": [],
        "environments": {"total": 0, "onOlderVersions": 0},
    }
