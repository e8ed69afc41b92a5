"""Environment manifests: list, read, save, delete. (What a save would do: manifest_plans.)

Answers are the bytes of JSON bodies: stored canonical JSON is spliced in, never parsed.
"""

from __future__ import annotations

from msgspec import Struct

from envsync.contract.json_types import Json
from envsync.contract.names import is_manifest_name
from envsync.server.refusal import Refusal
from envsync.server.services.drafts import Draft
from envsync.server.services.manifest_plans import (
    MAX_BATCH,
    PlanItem,
    plan_batch,
    plan_manifest,
)
from envsync.server.services.manifest_rules import (
    MAX_MANIFESTS,
    MAX_VERSIONS,
    is_stale,
    no_room,
    stale_details,
    stale_message,
)
from envsync.server.services.manifest_views import etag, listed, view
from envsync.server.services.preconditions import etag_matches
from envsync.server.store.interface import Row, Transaction

__all__ = [
    "MAX_BATCH",
    "MAX_MANIFESTS",
    "MAX_VERSIONS",
    "ManifestList",
    "PlanItem",
    "SaveAnswer",
    "delete_manifest",
    "get_manifest",
    "get_versions",
    "list_manifests",
    "plan_batch",
    "plan_manifest",
    "save_manifest",
]

_NAMED_IN_USE = 20


class ManifestList(Struct, frozen=True):
    """``etag`` is weak, over name, version, hash and environments of each manifest.

    ``body`` is ``None`` when the caller has this list already (304).
    """

    etag: str
    body: bytes | None


class SaveAnswer(Struct, frozen=True):
    """``body`` is the ManifestView with ``"unchanged"``."""

    body: bytes
    version: int
    hash: str
    unchanged: bool


def list_manifests(
    tx: Transaction, tenant: str, *, summary: bool = False, if_none_match: str | None = None
) -> ManifestList:
    """``{"manifests": [ManifestView]}``, the latest of each, by name in byte order.

    ``summary`` leaves ``manifest`` out and adds ``"view": "summary"``. A heavy read.
    """
    heads = tx.all("manifest_heads", tenant=tenant)
    environments = {row[0]: row[1] for row in tx.all("environments_by_manifest", tenant=tenant)}
    tag = etag(heads, environments)
    if etag_matches(if_none_match, tag):
        return ManifestList(tag, None)
    bodies = None if summary else tx.each("manifest_bodies", tenant=tenant)
    return ManifestList(tag, listed(heads, environments, bodies))


def get_manifest(tx: Transaction, tenant: str, name: str, version: int | None = None) -> bytes:
    """The ManifestView of the latest version, or of ``version``.

    ``environments`` counts those made from any version for the latest, from that very version
    when one is named. Refusal 404 ``request_rejected`` when there is none.
    """
    row = (
        tx.one("manifest_latest", tenant=tenant, name=name)
        if version is None
        else tx.one("manifest_version", tenant=tenant, name=name, version=version)
    )
    if row is None:
        raise _absent(name, version)
    return view(row, row["environments"], row["body"]).encode()


def get_versions(tx: Transaction, tenant: str, name: str, *, summary: bool = False) -> bytes:
    """``{"name", "versions": [ManifestView]}``, newest first; ``environments`` per version.

    Refusal 404 ``request_rejected`` when there is none.
    """
    rows = tx.all("environments_by_version", tenant=tenant, name=name)
    counts = {row[0]: row[1] for row in rows}
    views = [
        view(row, counts.get(row["version"], 0), None if summary else row["body"])
        for row in tx.each("manifest_versions", tenant=tenant, name=name)
    ]
    if not views:
        raise _absent(name, None)
    return f'{{"name":"{name}","versions":[{",".join(views)}]}}'.encode()


def save_manifest(
    tx: Transaction,
    tenant: str,
    name: str,
    draft: Draft,
    if_match: int | None,
    actor: str,
    now: str,
) -> SaveAnswer:
    """Saves the next version, or answers the latest when nothing differs.

    Numbers continue after a delete. ``actor`` becomes ``savedBy``. Refusals: 412
    ``manifest_changed`` with details, 400 ``request_rejected`` for the draft's errors (all in one
    message, listed in ``details.errors``), 409 ``limit_exceeded`` past ``MAX_MANIFESTS``.
    """
    head = tx.one("manifest_head", tenant=tenant, name=name)
    _check_precondition(name, head, if_match)
    if head is not None and head["hash"] == draft.hash:
        return _saved(head, head["environments"], draft, unchanged=True)
    if draft.errors:
        raise Refusal(
            400,
            "request_rejected",
            "; ".join(str(notice) for notice in draft.errors),
            {"errors": [notice.json() for notice in draft.errors]},
        )
    saved: dict[str, str | int] = {
        "name": name,
        "version": _first_number(tx, tenant, name) if head is None else head["version"] + 1,
        "hash": draft.hash,
        "kind": draft.kind,
        "saved_at": now,
        "saved_by": actor,
    }
    tx.execute("add_manifest_version", tenant=tenant, body=draft.text, **saved)
    if head is None:
        tx.execute("add_manifest", tenant=tenant, **saved)
    else:
        tx.execute("advance_manifest", tenant=tenant, **saved)
        _retain(tx, tenant, name, head["version"] + 1, head["kept"] + 1)
    users = 0 if head is None else head["environments"]
    return _saved(saved, users, draft, unchanged=False)


def delete_manifest(
    tx: Transaction, tenant: str, name: str, if_match: int | None = None
) -> dict[str, Json]:
    """``{"name", "deleted", "versions"}``: how many versions went. Fine when there was none.

    Refusals: 409 ``manifest_in_use`` with ``{"environments": [at most 20], "total"}``, 412
    ``manifest_changed`` when ``if_match`` is not the latest (``0``: none).
    """
    head = tx.one("manifest_head", tenant=tenant, name=name)
    _check_precondition(name, head, if_match)
    if head is None:
        return {"name": name, "deleted": False, "versions": 0}
    total = head["environments"]
    if total:
        users = tx.all("environments_of_manifest", tenant=tenant, name=name, at_most=_NAMED_IN_USE)
        raise Refusal(
            409,
            "manifest_in_use",
            f"{total} Environment{'s were' if total > 1 else ' was'} made from manifest {name}",
            {"environments": [row["id"] for row in users], "total": total},
        )
    versions = tx.execute("delete_manifest_versions", tenant=tenant, name=name)
    tx.execute("delete_manifest", tenant=tenant, name=name)
    tx.execute("remember_deleted_manifest", tenant=tenant, name=name, version=head["version"])
    return {"name": name, "deleted": True, "versions": versions}


def _check_precondition(name: str, head: Row | None, if_match: int | None) -> None:
    if is_stale(head, if_match):
        raise Refusal(412, "manifest_changed", stale_message(name, head), stale_details(head))


def _first_number(tx: Transaction, tenant: str, name: str) -> int:
    """The first version of a name that holds nothing now."""
    if not is_manifest_name(name):
        raise Refusal(400, "request_rejected", "That is not a name for a manifest")
    count = tx.one("manifest_count", tenant=tenant)
    if count is not None and count["manifests"] >= MAX_MANIFESTS:
        raise Refusal(
            409, "limit_exceeded", no_room(), {"limit": "manifests", "max": MAX_MANIFESTS}
        )
    deleted = tx.one("deleted_manifest", tenant=tenant, name=name)
    return 1 if deleted is None else int(deleted["version"]) + 1


def _retain(tx: Transaction, tenant: str, name: str, latest: int, kept: int) -> None:
    """Drops the oldest versions past ``MAX_VERSIONS`` that no Environment uses."""
    if kept <= MAX_VERSIONS:
        return
    dropped = tx.execute(
        "drop_oldest_versions",
        tenant=tenant,
        name=name,
        latest=latest,
        excess=kept - MAX_VERSIONS,
    )
    tx.execute("reduce_kept_versions", tenant=tenant, name=name, dropped=dropped)


def _saved(
    row: Row | dict[str, str | int], environments: int, draft: Draft, *, unchanged: bool
) -> SaveAnswer:
    body = view(row, environments, draft.text, unchanged).encode()
    return SaveAnswer(body, int(row["version"]), draft.hash, unchanged)


def _absent(name: str, version: int | None) -> Refusal:
    what = f"manifest {name}" if version is None else f"version {version} of manifest {name}"
    return Refusal(404, "request_rejected", f"There is no {what}")
