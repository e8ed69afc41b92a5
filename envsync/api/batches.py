"""Cutting many manifests into batch plans that a server takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from envsync.api.calling import encoded
from envsync.api.views import PlanItem
from envsync.contract.features import BATCH_MAX, BODY_MAX_BYTES
from envsync.contract.json_types import Json

_HEAD, _TAIL = b'{"manifests":[', b"]}"
_ROOM = BODY_MAX_BYTES - len(_HEAD) - len(_TAIL)


class Batch(Struct, frozen=True):
    """``items`` and the request body that asks for their plans."""

    items: tuple[PlanItem, ...]
    body: bytes


def batches(items: Sequence[PlanItem]) -> Iterator[Batch]:
    """``items`` in their order, at most 1,000 and 1 MiB a batch. One that fills a body alone
    still gets a batch: the server says what it thinks of it."""
    taken: list[PlanItem] = []
    parts: list[bytes] = []
    size = 0
    for item in items:
        part = _encoded_item(item)
        full = len(taken) == BATCH_MAX or size + len(part) > _ROOM
        if taken and full:
            yield _batch(taken, parts)
            taken, parts, size = [], [], 0
        taken.append(item)
        parts.append(part)
        size += len(part) + 1
    if taken:
        yield _batch(taken, parts)


def _batch(taken: list[PlanItem], parts: list[bytes]) -> Batch:
    return Batch(tuple(taken), _HEAD + b",".join(parts) + _TAIL)


def _encoded_item(item: PlanItem) -> bytes:
    members: dict[str, Json] = {"name": item.name, "manifest": item.body}
    if item.if_match is not None:
        members["ifMatch"] = item.if_match
    return encoded(members)
