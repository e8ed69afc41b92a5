"""Environment manifests: list, read, plan, save, delete.

Answers are the bytes of JSON bodies: stored canonical JSON is spliced in, never parsed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from envsync.contract.json_types import Json
from envsync.server.services.drafts import Draft
from envsync.server.store.interface import Transaction

MAX_MANIFESTS = 10_000
MAX_VERSIONS = 1_000
MAX_BATCH = 1_000


@dataclass(frozen=True, slots=True)
class ManifestList:
    """``etag`` is weak, over name, version, hash and environments of each manifest.

    ``body`` is ``None`` when the caller has this list already (304).
    """

    etag: str
    body: bytes | None


@dataclass(frozen=True, slots=True)
class SaveAnswer:
    """``body`` is the ManifestView with ``"unchanged"``."""

    body: bytes
    version: int
    hash: str
    unchanged: bool


@dataclass(frozen=True, slots=True)
class PlanItem:
    name: str
    draft: Draft
    if_match: int | None = None


def list_manifests(
    tx: Transaction, tenant: str, *, summary: bool = False, if_none_match: str | None = None
) -> ManifestList:
    """``{"manifests": [ManifestView]}``, the latest of each, by name in byte order.

    ``summary`` leaves ``manifest`` out. A heavy read.
    """
    raise NotImplementedError


def get_manifest(tx: Transaction, tenant: str, name: str, version: int | None = None) -> bytes:
    """The ManifestView of the latest version, or of ``version``.

    ``environments`` counts those made from any version for the latest, from that very version
    when one is named. Refusal 404 ``request_rejected`` when there is none.
    """
    raise NotImplementedError


def get_versions(tx: Transaction, tenant: str, name: str, *, summary: bool = False) -> bytes:
    """``{"name", "versions": [ManifestView]}``, newest first; ``environments`` per version.

    Refusal 404 ``request_rejected`` when there is none.
    """
    raise NotImplementedError


def plan_manifest(
    tx: Transaction, tenant: str, name: str, draft: Draft, if_match: int | None
) -> dict[str, Json]:
    """What ``save_manifest`` would do: the body of a dry run's answer. Writes nothing.

    Refusal 412 ``manifest_changed`` when ``if_match`` is not the latest version.
    """
    raise NotImplementedError


def plan_batch(tx: Transaction, tenant: str, items: Sequence[PlanItem]) -> bytes:
    """``{"plans": [plan]}``, one for each item, in their order. Writes nothing.

    A stale ``if_match`` is an error ``manifest_changed`` in that item's plan, with ``details`` as
    in the 412. Refusal 400 for more than ``MAX_BATCH`` items. A heavy read.
    """
    raise NotImplementedError


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
    raise NotImplementedError


def delete_manifest(
    tx: Transaction, tenant: str, name: str, if_match: int | None = None
) -> dict[str, Json]:
    """``{"name", "deleted", "versions"}``: how many versions went. Fine when there was none.

    Refusals: 409 ``manifest_in_use`` with ``{"environments": [at most 20], "total"}``, 412
    ``manifest_changed`` when ``if_match`` is not the latest (``0``: none).
    """
    raise NotImplementedError
