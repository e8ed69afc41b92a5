"""One tenant in either database, and short ways to its manifests."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import pytest

from envsync.contract.json_types import JsonObject
from envsync.server.services import manifests
from envsync.server.services.abilities import Abilities
from envsync.server.services.drafts import Draft, draft
from envsync.server.services.host import host
from envsync.server.store.interface import Store, Transaction
from envsync.server.store.opening import open_store

T = TypeVar("T")
NOW = "2026-01-02T03:04:05.678Z"


class Tenant:
    """Runs one service after the other, each in a transaction of its own."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.id = asyncio.run(store.read(host)).tenant

    def read(self, work: Callable[[Transaction], T]) -> T:
        return asyncio.run(self.store.read(work))

    def write(self, work: Callable[[Transaction], T]) -> T:
        return asyncio.run(self.store.write(work))

    def save(
        self,
        name: str,
        body: JsonObject | Draft,
        if_match: int | None = None,
        actor: str = "local:me",
    ) -> Any:
        drafted = body if isinstance(body, Draft) else draft(body, Abilities())
        answer = self.write(
            lambda tx: manifests.save_manifest(tx, self.id, name, drafted, if_match, actor, NOW)
        )
        return json.loads(answer.body)

    def plan(self, name: str, body: JsonObject | Draft, if_match: int | None = None) -> Any:
        drafted = body if isinstance(body, Draft) else draft(body, Abilities())
        return self.read(lambda tx: manifests.plan_manifest(tx, self.id, name, drafted, if_match))

    def get(self, name: str, version: int | None = None) -> Any:
        return json.loads(self.read(lambda tx: manifests.get_manifest(tx, self.id, name, version)))

    def versions(self, name: str) -> Any:
        return json.loads(self.read(lambda tx: manifests.get_versions(tx, self.id, name)))

    def listed(self, *, summary: bool = False) -> Any:
        answer = self.read(lambda tx: manifests.list_manifests(tx, self.id, summary=summary))
        return json.loads(answer.body or b"null")

    def delete(self, name: str, if_match: int | None = None) -> Any:
        return self.write(lambda tx: manifests.delete_manifest(tx, self.id, name, if_match))

    def make_environment(self, name: str, manifest: str | None, version: int | None) -> None:
        self.write(
            lambda tx: tx.execute(
                "restore_environments",
                tenant=self.id,
                id=name,
                manifest_name=manifest,
                manifest_version=version,
            )
        )


@pytest.fixture
def tenant(location: str) -> Iterator[Tenant]:
    store = open_store(location)
    yield Tenant(store)
    asyncio.run(store.aclose())
