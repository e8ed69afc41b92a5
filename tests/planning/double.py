"""A server in memory, for planning and applying: ours, or a foreign one with its own defaults.

It is as strict as the real one about versions, and it can be made to misbehave between any two
steps: ``before`` and ``after`` of each request are called with the request's words.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

from envsync.api.views import Conflict, Deleted, DryRun, ManifestView, Saved
from envsync.contract.canonical import digest
from envsync.contract.json_types import JsonObject
from envsync.contract.normalise import normalise
from envsync.contract.states import State
from envsync.errors import ApiError
from envsync.planning.drift import Standing
from envsync.planning.plan import Plan
from envsync.planning.planner import (
    Comparison,
    Findings,
    Wishes,
    answered,
    build_plan,
    compare,
    draft,
    learned,
    precondition,
    settle,
)
from envsync.resources.observed import observed
from envsync.resources.resource import ObjectId, Observed
from tests.planning.samples import SERVER, TREE, declared, desired

Hook = Callable[[str, str], None]


def _nothing(step: str, name: str) -> None:
    return None


class ServerDouble:
    """``steps`` are the requests so far, as ``get a``, ``save a``, ``plan a``, ``delete a``.

    ``foreign`` fills another harness and other resources than we would, and has its own hashes.
    """

    def __init__(self, *, foreign: bool = False) -> None:
        self.foreign = foreign
        self.latest: dict[str, ManifestView] = {}
        self.numbers: dict[str, int] = {}
        self.steps: list[str] = []
        self.before: Hook = _nothing
        self.after: Hook = _nothing
        self.flying = self.most_flying = 0
        self._hashes = itertools.count(1)

    # What others do, which no test counts as a request.

    def put(self, name: str, body: JsonObject, by: str = "subject:carol") -> ManifestView:
        """Saves, whoever did what before."""
        stored = self._stored(body)
        now = self.latest.get(name)
        if now is not None and now.manifest == stored:
            return now
        number = self.numbers.get(name, 0) + 1
        self.numbers[name] = number
        given = f"etag-{next(self._hashes)}" if self.foreign else digest(stored)
        view = ManifestView(
            name,
            number,
            given,
            str(stored["kind"]),
            stored,
            "2026-11-28T17:04:00.000Z",
            by,
            environments=0,
        )
        self.latest[name] = view
        return view

    def drop(self, name: str) -> None:
        self.latest.pop(name, None)

    def holds(self, name: str, body: JsonObject) -> bool:
        view = self.latest.get(name)
        return view is not None and view.manifest == self._stored(body)

    # What planning and applying ask.

    def listed(self) -> dict[ObjectId, Observed]:
        return {each.id: each for each in map(observed, self.latest.values())}

    async def get_manifest(self, name: str, version: int | None = None) -> ManifestView | None:
        return await self._step("get", name, lambda: self.latest.get(name))

    async def dry_run(self, name: str, body: JsonObject, if_match: int | None) -> DryRun:
        return await self._step("plan", name, lambda: self.foresee(name, body, if_match))

    async def save_manifest(self, name: str, body: JsonObject, if_match: int | None) -> Saved:
        return await self._step("save", name, lambda: self._save(name, body, if_match))

    async def delete_manifest(self, name: str, if_match: int | None) -> Deleted:
        return await self._step("delete", name, lambda: self._delete(name, if_match))

    def foresee(self, name: str, body: JsonObject, if_match: int | None) -> DryRun:
        now = self.latest.get(name)
        version = now.version if now else 0
        if if_match is not None and if_match != version:
            return DryRun(name, conflict=Conflict(version or None))
        unchanged = now is not None and now.manifest == self._stored(body)
        return DryRun(
            name,
            current_version=version or None,
            next_version=None if unchanged else self.numbers.get(name, 0) + 1,
            unchanged=unchanged,
            environments_total=1 if now else 0,
            environments_on_older=0,
        )

    async def _step(self, kind: str, name: str, act: Callable[[], Any]) -> Any:
        import asyncio

        self.steps.append(f"{kind} {name}")
        self.flying += 1
        self.most_flying = max(self.most_flying, self.flying)
        try:
            await asyncio.sleep(0)
            self.before(kind, name)
            result = act()
            self.after(kind, name)
            await asyncio.sleep(0)
        finally:
            self.flying -= 1
        return result

    def _save(self, name: str, body: JsonObject, if_match: int | None) -> Saved:
        now = self.latest.get(name)
        if if_match is not None and if_match != (now.version if now else 0):
            raise ApiError("E641", "the manifest changed", status=412, api_code="manifest_changed")
        view = self.put(name, body, by="application:ci")
        return Saved(view, unchanged=view is now)

    def _delete(self, name: str, if_match: int | None) -> Deleted:
        now = self.latest.get(name)
        if now is None:
            return Deleted(name, False, 0, not self.foreign)
        if not self.foreign and if_match is not None and if_match != now.version:
            raise ApiError("E641", "the manifest changed", status=412, api_code="manifest_changed")
        self.drop(name)
        return Deleted(name, True, now.version, not self.foreign)

    def _stored(self, body: JsonObject) -> dict[str, Any]:
        if not self.foreign:
            return normalise("manifest", body)
        given = {**body}
        given.setdefault("harness", "foreign-harness")
        given["resources"] = {"cpus": 8, "memory": "512MiB", **given.get("resources", {})}
        return normalise("manifest", given)


def plan_for(server: ServerDouble, files: Mapping[str, JsonObject], **options: Any) -> Plan:
    """The plan of ``files`` (bodies by name) against ``server``, all three steps of it."""
    ignore = options.pop("ignore", ())
    prunable = options.pop("prunable", ())
    comparison: Comparison = compare(
        [declared(name, files[name]) for name in sorted(files)],
        server.listed(),
        comparable=not server.foreign,
        ignore=ignore,
        **options,
    )
    wanted = {each: desired(each.name, files[each.name]) for each in comparison.needs_desired}
    drafts = draft(comparison, wanted, ignore=ignore)
    answers = {
        change.id: server.foresee(change.id.name, change.body or {}, precondition(change.base))
        for change in drafts.asks
    }
    remembered = options.get("remembered")
    if isinstance(remembered, set):
        remembered |= learned(drafts, answers)
    drafts = answered(drafts, answers)
    gone = Standing(State.GONE, here=True)
    findings = Findings(dict.fromkeys(prunable, gone))
    drafts = settle(drafts, server.listed(), findings, Wishes(prune=True))
    return build_plan(drafts, project="acme", context="production", server=SERVER, tree=TREE)
