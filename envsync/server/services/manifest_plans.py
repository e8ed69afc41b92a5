"""What a save would do: the dry run of one manifest, and of many at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import orjson
from msgspec import Struct, field

from envsync.contract.json_types import Json, JsonObject
from envsync.server.refusal import Refusal
from envsync.server.services.changes import changes
from envsync.server.services.drafts import Draft, Notice
from envsync.server.services.manifest_rules import (
    MAX_MANIFESTS,
    is_stale,
    no_room,
    stale_details,
    stale_message,
)
from envsync.server.store.interface import Row, Transaction

MAX_BATCH: Final = 1_000
_FEW: Final = 20
"""So many are looked up one by one; more are read as one range of names."""


class PlanItem(Struct, frozen=True):
    """``draft`` is ``None`` when the name or the body is not well-formed: ``errors`` says why."""

    name: str
    draft: Draft | None
    if_match: int | None = None
    errors: tuple[Notice, ...] = ()


class _Held(Struct, frozen=True):
    """What the database holds of one name.

    ``last`` is the number that a deleted name had; ``environments`` counts by version.
    """

    head: Row | None = None
    last: int = 0
    environments: Mapping[int, int] = field(default_factory=dict)


def plan_manifest(
    tx: Transaction, tenant: str, name: str, draft: Draft, if_match: int | None
) -> dict[str, Json]:
    """What ``save_manifest`` would do: the body of a dry run's answer. Writes nothing.

    Refusal 412 ``manifest_changed`` when ``if_match`` is not the latest version.
    """
    held = _held(tx, tenant, name)
    if is_stale(held.head, if_match):
        raise Refusal(
            412, "manifest_changed", stale_message(name, held.head), stale_details(held.head)
        )
    return _plan(
        name,
        draft,
        held,
        _body_reader(tx, tenant),
        has_room=lambda: _has_room(tx, tenant),
    )


def plan_batch(tx: Transaction, tenant: str, items: Sequence[PlanItem]) -> bytes:
    """``{"dryRun": true, "plans": [plan]}``, one for each item, in order. Writes nothing.

    A stale ``if_match`` is the error ``manifest_changed`` in that item's plan, with the 412's
    details in ``conflict``. Refusal 400 for more than ``MAX_BATCH`` items. A heavy read.
    """
    if len(items) > MAX_BATCH:
        raise Refusal(
            400,
            "request_rejected",
            f"A batch holds at most {MAX_BATCH} manifests",
            {"max": MAX_BATCH},
        )
    known = _held_of(tx, tenant, [item.name for item in items if item.draft is not None])
    body_of = _bodies(tx, tenant, items, known)
    room: list[bool] = []

    def has_room() -> bool:
        if not room:
            room.append(_has_room(tx, tenant))
        return room[0]

    plans = [_item_plan(item, known.get(item.name, _Held()), body_of, has_room) for item in items]
    return orjson.dumps({"dryRun": True, "plans": plans})


def _item_plan(
    item: PlanItem,
    held: _Held,
    body_of: Callable[[Row], JsonObject],
    has_room: Callable[[], bool],
) -> dict[str, Json]:
    if item.draft is None:
        return _answer(item.name, held, None, errors=item.errors)
    if is_stale(held.head, item.if_match):
        notice = Notice("manifest_changed", stale_message(item.name, held.head))
        answer = _answer(item.name, held, None, errors=(notice,), warnings=item.draft.warnings)
        return {**answer, "conflict": stale_details(held.head)}
    return _plan(item.name, item.draft, held, body_of, has_room)


def _plan(
    name: str,
    draft: Draft,
    held: _Held,
    body_of: Callable[[Row], JsonObject],
    has_room: Callable[[], bool],
) -> dict[str, Json]:
    head = held.head
    if head is not None and head["hash"] == draft.hash:
        return _answer(name, held, None, unchanged=True, warnings=draft.warnings)
    errors = draft.errors
    if head is None and not has_room():
        errors = (*errors, Notice("limit_exceeded", no_room()))
    following = (held.last if head is None else head["version"]) + 1
    return _answer(
        name,
        held,
        None if errors else following,
        differing=changes({} if head is None else body_of(head), draft.manifest),
        errors=errors,
        warnings=draft.warnings,
    )


def _answer(
    name: str,
    held: _Held,
    following: int | None,
    *,
    unchanged: bool = False,
    differing: Sequence[Json] = (),
    errors: Sequence[Notice] = (),
    warnings: Sequence[Notice] = (),
) -> dict[str, Json]:
    current = None if held.head is None else held.head["version"]
    # What is older once this is done: when nothing is saved, the latest stays the latest.
    newest = following or current or 0
    older = sum(count for version, count in held.environments.items() if version < newest)
    return {
        "dryRun": True,
        "name": name,
        "currentVersion": current,
        "nextVersion": following,
        "unchanged": unchanged,
        "changes": list(differing),
        "errors": [notice.json() for notice in errors],
        "warnings": [notice.json() for notice in warnings],
        "environments": {"total": sum(held.environments.values()), "onOlderVersions": older},
    }


def _has_room(tx: Transaction, tenant: str) -> bool:
    row = tx.one("manifest_count", tenant=tenant)
    return row is None or row["manifests"] < MAX_MANIFESTS


def _held(tx: Transaction, tenant: str, name: str) -> _Held:
    head = tx.one("manifest_head", tenant=tenant, name=name)
    if head is None:
        deleted = tx.one("deleted_manifest", tenant=tenant, name=name)
        return _Held(last=0 if deleted is None else deleted["version"])
    counts = tx.all("environments_by_version", tenant=tenant, name=name)
    return _Held(head, environments={row[0]: row[1] for row in counts})


def _held_of(tx: Transaction, tenant: str, names: Sequence[str]) -> Mapping[str, _Held]:
    if len(names) <= _FEW:
        return {name: _held(tx, tenant, name) for name in set(names)}
    bounds = {"first": min(names), "last": max(names)}
    heads = {row["name"]: row for row in tx.all("manifest_heads_between", tenant=tenant, **bounds)}
    last = {row[0]: row[1] for row in tx.all("deleted_manifests_between", tenant=tenant, **bounds)}
    counts: dict[str, dict[int, int]] = defaultdict(dict)
    for name, version, count in tx.all("environments_by_version_between", tenant=tenant, **bounds):
        counts[name][version] = count
    return {
        name: _Held(heads.get(name), last.get(name, 0), counts.get(name, {})) for name in set(names)
    }


def _body_reader(tx: Transaction, tenant: str) -> Callable[[Row], JsonObject]:
    def body_of(head: Row) -> JsonObject:
        row = tx.one("manifest_version", tenant=tenant, name=head["name"], version=head["version"])
        if row is None:
            raise LookupError(f"manifest {head['name']} lacks its version {head['version']}")
        parsed: JsonObject = orjson.loads(row["body"])
        return parsed

    return body_of


def _bodies(
    tx: Transaction, tenant: str, items: Sequence[PlanItem], known: Mapping[str, _Held]
) -> Callable[[Row], JsonObject]:
    """Reads the bodies of those that differ: one by one when they are few."""
    differing = [
        item.name
        for item in items
        if item.draft is not None
        and (head := known[item.name].head) is not None
        and head["hash"] != item.draft.hash
    ]
    if len(differing) <= _FEW:
        return _body_reader(tx, tenant)
    wanted = set(differing)
    bodies = {
        name: body
        for name, body in tx.each(
            "manifest_bodies_between", tenant=tenant, first=min(wanted), last=max(wanted)
        )
        if name in wanted
    }

    def body_of(head: Row) -> JsonObject:
        parsed: JsonObject = orjson.loads(bodies[head["name"]])
        return parsed

    return body_of
