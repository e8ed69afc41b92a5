"""RuntimeReader: everything that can be asked of a Runtime without changing it.

Whoever is handed this type cannot write. Two of its requests would look like writes on the wire,
the dry run and the batch plan; both are sent only to servers that are known to know them.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from envsync.api.batches import Batch, batches
from envsync.api.calling import MANIFESTS, Calls, encoded, manifest_path
from envsync.api.credential import Credential
from envsync.api.kinds import comes_out_right, refuses_kind, without_kind
from envsync.api.messages import Response, Transport
from envsync.api.plan_reading import (
    Meaning,
    conflict_of,
    decoded,
    meaning_of,
    read_plan,
    unreadable_plan,
)
from envsync.api.reading import (
    is_array,
    is_object,
    raw_text,
    read_caller,
    read_listing,
    read_view,
    read_views,
)
from envsync.api.refusals import read_refusal
from envsync.api.side_by_side import side_by_side
from envsync.api.views import (
    Caller,
    DryRun,
    Health,
    Listing,
    ManifestView,
    Notice,
    PlanItem,
)
from envsync.contract.features import BATCH_PLAN, LIST_SUMMARY, PROTOCOL
from envsync.contract.json_types import JsonObject
from envsync.errors import ApiError, NetworkError

DEFAULT_WIDTH = 16
"""Requests side by side; the transport may allow fewer."""

_BATCHES_AT_ONCE = 2
"""One is read by the server while the next one is on its way; more only take its memory."""

_FORESEEN = frozenset({400, 409, 413, 422})
"""Refusals of a dry run that are about the manifest: a save would be refused for the same."""


class RuntimeReader:
    """Every method raises ``NetworkError`` when there is no answer, and ``ApiError`` when it is a
    refusal or cannot be read, unless it says otherwise."""

    def __init__(
        self, transport: Transport, credential: Credential | None, *, width: int = DEFAULT_WIDTH
    ) -> None:
        self._calls = Calls(transport, credential)
        self._width = width
        self._bodies: dict[tuple[str, int, str], ManifestView] = {}

    @property
    def calls(self) -> Calls:
        """What the writer builds upon."""
        return self._calls

    @property
    def address(self) -> str:
        return self._calls.transport.address

    async def health(self) -> Health:
        """Asked once. ``ApiError`` for a server that is not a Runtime of our protocol."""
        return await self._calls.health()

    async def me(self) -> Caller:
        return read_caller(await self._calls.expect("GET", "/v1/me"))

    async def list_manifests(self) -> list[ManifestView]:
        """The latest version of each, with its body: where the list has none, each is read."""
        listing = await self.list_if_changed()
        assert listing is not None
        return list(listing.manifests)

    async def list_if_changed(self, etag: str = "") -> Listing | None:
        """As ``list_manifests``; ``None`` when the list is still the one that had ``etag``."""
        response = await self._list(etag=etag)
        if response.status == 304:
            return None
        listing = read_listing(response)
        return replace(listing, manifests=await self._completed(listing.manifests))

    async def list_summaries(self) -> list[ManifestView]:
        """The list without bodies where the server has that, else the list as it comes."""
        health = await self.health()
        query = (("view", "summary"),) if LIST_SUMMARY in health.features else ()
        return list(read_listing(await self._list(query=query)).manifests)

    async def summaries_if_changed(self, etag: str = "") -> Listing | None:
        """As ``list_summaries``; ``None`` when the list is still the one that had ``etag``."""
        health = await self.health()
        query = (("view", "summary"),) if LIST_SUMMARY in health.features else ()
        response = await self._list(query=query, etag=etag)
        return None if response.status == 304 else read_listing(response)

    async def get_manifest(self, name: str, version: int | None = None) -> ManifestView | None:
        """The latest version or the one named; ``None`` when the server has none."""
        more = () if version is None else ("versions", str(version))
        response = await self._calls.expect(
            "GET",
            manifest_path(name, *more),
            subject=f"manifest {name}",
            accepted=(200, 404),
        )
        return None if response.status == 404 else read_view(response, name)

    async def versions(self, name: str) -> list[ManifestView] | None:
        """Newest first; ``None`` when there is no such manifest."""
        response = await self._calls.expect(
            "GET",
            manifest_path(name, "versions"),
            subject=f"manifest {name}",
            accepted=(200, 404),
        )
        if response.status == 404:
            return None
        views = read_views(response, "versions", name)
        return sorted(views, key=lambda view: view.version, reverse=True)

    async def dry_run(self, name: str, body: JsonObject, if_match: int | None) -> DryRun:
        """What saving ``body`` would do. ``if_match`` is the version it starts from, 0 for none.

        A refusal that is about the manifest is among ``errors``; a stale version is ``conflict``.
        Raises ``ApiError`` when the server seems to have saved instead.
        """
        health = await self.health()
        if not health.protocol_max:
            why = f"not asked: the server does not say that it serves protocol {PROTOCOL}"
            return unreadable_plan(name, why)
        response = await self._ask(name, body, if_match)
        if response.status == 400 and not health.ours:
            refusal = read_refusal(response)
            if refuses_kind(refusal, body):
                return await self._dry_run_without_kind(name, body, if_match, refusal.message)
        return await self._foreseen(response, name, body, if_match)

    async def plan_batch(self, items: Sequence[PlanItem]) -> list[DryRun]:
        """``dry_run`` of each, in their order: in batches where the server has them."""
        if not items:
            return []
        if BATCH_PLAN not in (await self.health()).features or len(items) == 1:
            return await side_by_side(self._width, items, self._plan_item)
        found = await side_by_side(_BATCHES_AT_ONCE, batches(items), self._plan_one_batch)
        return [plan for plans in found for plan in plans]

    async def _plan_item(self, item: PlanItem) -> DryRun:
        return await self.dry_run(item.name, item.body, item.if_match)

    async def _plan_one_batch(self, batch: Batch) -> list[DryRun]:
        """One batch; where it comes to nothing, one dry run each: a POST is not sent twice."""
        try:
            response = await self._calls.send(
                "POST", f"{MANIFESTS}:plan", body=batch.body, repeatable=False
            )
        except NetworkError as error:
            if not error.sent:
                raise
            plans = None
        else:
            if response.status in (401, 403):
                raise self._calls.refused(response)
            plans = self._read_batch(response, batch)
        if plans is None:
            return await side_by_side(self._width, batch.items, self._plan_item)
        return plans

    def _read_batch(self, response: Response, batch: Batch) -> list[DryRun] | None:
        """``None`` when it was refused, or is not one plan for each item."""
        value = decoded(response)
        if response.status != 200 or meaning_of(value) is not Meaning.PLAN:
            return None
        plans = value.get("plans") if is_object(value) else None
        if not is_array(plans) or len(plans) != len(batch.items):
            return None
        named = [plan.get("name") if is_object(plan) else None for plan in plans]
        if named != [item.name for item in batch.items]:
            return None
        return [read_plan(plan, item.name) for plan, item in zip(plans, batch.items, strict=True)]

    async def _list(self, *, query: tuple[tuple[str, str], ...] = (), etag: str = "") -> Response:
        headers = {"if-none-match": etag} if etag else {}
        accepted = (200, 304) if etag else (200,)
        return await self._calls.expect(
            "GET", MANIFESTS, query=query, headers=headers, accepted=accepted
        )

    async def _completed(self, views: Sequence[ManifestView]) -> tuple[ManifestView, ...]:
        """``views`` with their bodies. One that is gone by now is left out, as it is gone."""
        lacking = [view for view in views if view.manifest is None]
        if not lacking:
            return tuple(views)

        async def read(view: ManifestView) -> ManifestView | None:
            known = self._bodies.get((view.name, view.version, view.hash))
            if known is not None:
                return known
            found = await self.get_manifest(view.name)
            if found is not None and found.hash:
                self._bodies[(found.name, found.version, found.hash)] = found
            return found

        found = await side_by_side(self._width, lacking, read)
        read_now = dict(zip((view.name for view in lacking), found, strict=True))
        completed: list[ManifestView] = []
        for view in views:
            full = read_now.get(view.name, view)
            if full is not None:
                environments = max(full.environments, view.environments)
                completed.append(replace(full, environments=environments))
        return tuple(completed)

    async def _ask(self, name: str, body: JsonObject, if_match: int | None) -> Response:
        return await self._calls.send(
            "PUT",
            manifest_path(name),
            query=(("dryRun", "true"),),
            headers={} if if_match is None else {"if-match": str(if_match)},
            body=encoded(body),
        )

    async def _foreseen(
        self, response: Response, name: str, body: JsonObject, if_match: int | None
    ) -> DryRun:
        subject = f"manifest {name}"
        if response.status == 412:
            refusal = read_refusal(response)
            return DryRun(name, conflict=conflict_of(refusal.details, refusal.message))
        if response.status in _FORESEEN:
            refusal = read_refusal(response)
            return DryRun(name, errors=(Notice(refusal.code, refusal.message),))
        if response.status != 200:
            raise self._calls.refused(response, subject)
        value = decoded(response)
        meaning = meaning_of(value)
        if meaning is Meaning.SAVE:
            raise _saved_instead(response, name)
        if meaning is Meaning.UNSAID and not await self._is_untouched(name, if_match):
            raise _saved_instead(response, name)
        return (
            unreadable_plan(name, raw_text(response)) if value is None else read_plan(value, name)
        )

    async def _is_untouched(self, name: str, if_match: int | None) -> bool:
        """Whether the server still holds the version that the dry run started from."""
        if if_match is None:
            return False
        view = await self.get_manifest(name)
        return (view.version if view is not None else 0) == if_match

    async def _dry_run_without_kind(
        self, name: str, body: JsonObject, if_match: int | None, sentence: str
    ) -> DryRun:
        bare = without_kind(body)
        plan = await self._foreseen(await self._ask(name, bare, if_match), name, bare, if_match)
        notice = Notice("kind_refused", sentence, "/kind")
        if comes_out_right(body, await self.get_manifest(name)):
            return replace(plan, without_kind=True, warnings=(notice, *plan.warnings))
        return replace(plan, without_kind=True, errors=(notice, *plan.errors))


def _saved_instead(response: Response, name: str) -> ApiError:
    return ApiError(
        "E647",
        f"a dry run of manifest {name} may have SAVED it: the server's answer does not say "
        "`dryRun`, and the manifest is not known to be as it was",
        status=response.status,
        details=raw_text(response),
        remedy=f"look at `envsync show {name}` before anything else, and do not plan against this "
        "server again: it does not keep the protocol",
        subject=f"manifest {name}",
    )
