"""The client against the real server, each in its own process."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from envsync.api.credential import Credential
from envsync.api.http_transport import HttpTransport
from envsync.api.messages import Request, Transport
from envsync.api.runtime import RuntimeReader, RuntimeWriter
from envsync.api.views import PlanItem
from envsync.contract.json_types import JsonObject
from envsync.contract.secret_text import SecretText
from envsync.errors import ApiError, NetworkError
from envsync.http.settings import HttpSettings
from envsync.http.wire_log import WireRecord
from tests.api.conftest import RunningServer
from tests.api.scripted import LosesAnswers

T = TypeVar("T")
BODY: JsonObject = {"kind": "pod", "image": "python:3.13-slim", "resources": {"memory": "2GiB"}}
OTHER: JsonObject = {**BODY, "resources": {"memory": "4GiB"}}


def with_client(
    server: RunningServer,
    work: Callable[[RuntimeReader, RuntimeWriter], Awaitable[T]],
    *,
    key: str = "",
    around: Callable[[Transport], Transport] = lambda transport: transport,
    wire_log: Callable[[WireRecord], None] | None = None,
) -> T:
    async def conversation() -> T:
        settings = HttpSettings(environment={})
        transport = around(HttpTransport(server.address, settings, wire_log=wire_log))
        credential = Credential(SecretText(key or server.key), source="env:NYLORUN_SERVER_KEY")
        reader = RuntimeReader(transport, credential)
        try:
            return await work(reader, RuntimeWriter(reader))
        finally:
            await transport.aclose()

    return asyncio.run(conversation())


def test_a_manifest_from_nothing_to_nothing(server: RunningServer) -> None:
    async def work(reader: RuntimeReader, writer: RuntimeWriter) -> None:
        health = await reader.health()
        assert health.ours
        assert health.host_id
        assert (await reader.me()).via.startswith("application:")
        assert await reader.list_manifests() == []
        assert await reader.get_manifest("box") is None

        plan = await reader.dry_run("box", BODY, 0)
        assert (plan.current_version, plan.next_version, plan.unchanged) == (None, 1, False)
        assert not plan.unreadable
        assert plan.changes
        assert await reader.get_manifest("box") is None

        saved = await writer.save_manifest("box", BODY, 0)
        assert (saved.view.version, saved.unchanged) == (1, False)
        again = await writer.save_manifest("box", BODY, 1)
        assert (again.view.version, again.unchanged) == (1, True)
        assert (await writer.save_manifest("box", OTHER, 1)).view.version == 2

        (listed,) = await reader.list_manifests()
        (summary,) = await reader.list_summaries()
        assert listed.manifest is not None
        assert summary.manifest is None
        assert (listed.hash, listed.version) == (summary.hash, 2)
        versions = await reader.versions("box")
        assert versions is not None
        assert [view.version for view in versions] == [2, 1]
        first = await reader.get_manifest("box", 1)
        assert first is not None
        assert first.hash == saved.view.hash

        deleted = await writer.delete_manifest("box", 2)
        assert (deleted.deleted, deleted.versions, deleted.atomic) == (True, 2, True)
        assert not (await writer.delete_manifest("box", 2)).deleted

    with_client(server, work)


def test_a_list_that_did_not_change_is_not_read_twice(server: RunningServer) -> None:
    async def work(reader: RuntimeReader, writer: RuntimeWriter) -> None:
        await writer.save_manifest("box", BODY, 0)
        first = await reader.list_if_changed()
        assert first is not None
        assert first.etag
        assert await reader.list_if_changed(first.etag) is None
        await writer.save_manifest("box", OTHER, 1)
        assert await reader.list_if_changed(first.etag) is not None

    with_client(server, work)


def test_a_stale_base_is_a_conflict_in_all_three_ways(server: RunningServer) -> None:
    async def work(reader: RuntimeReader, writer: RuntimeWriter) -> None:
        await writer.save_manifest("box", BODY, 0)
        await writer.save_manifest("box", OTHER, 1)
        for plan in (
            await reader.dry_run("box", BODY, 1),
            (await reader.plan_batch([PlanItem("box", BODY, 1), PlanItem("b", BODY, 0)]))[0],
        ):
            assert plan.conflict is not None
            assert plan.conflict.current_version == 2
            assert plan.conflict.saved_by.startswith("application:")
        with pytest.raises(ApiError) as caught:
            await writer.save_manifest("box", BODY, 1)
        assert (caught.value.status, caught.value.api_code) == (412, "manifest_changed")
        alike = await writer.save_manifest("box", OTHER, 1)
        assert (alike.view.version, alike.unchanged) == (2, True)

    with_client(server, work)


def test_a_batch_answers_what_single_dry_runs_answer(server: RunningServer) -> None:
    async def work(reader: RuntimeReader, writer: RuntimeWriter) -> None:
        await writer.save_manifest("box-0", BODY, 0)
        items = [PlanItem("box-0", BODY, 1)]
        items += [PlanItem(f"box-{index}", OTHER, 0) for index in range(1, 40)]
        items += [PlanItem("bad", {"kind": "virtual", "image": "a"}, 0)]
        together = await reader.plan_batch(items)
        singly = [await reader.dry_run(item.name, item.body, item.if_match) for item in items]
        assert together[:-1] == singly[:-1]
        assert together[0].unchanged
        assert together[-1].errors
        assert singly[-1].errors

    with_client(server, work)


def test_a_save_whose_answer_is_lost_is_found_and_made_once(server: RunningServer) -> None:
    def loses(request: Request) -> bool:
        return request.method == "PUT" and not request.query

    async def work(reader: RuntimeReader, writer: RuntimeWriter) -> None:
        saved = await writer.save_manifest("box", BODY, 0)
        assert (saved.view.version, saved.unchanged) == (1, False)
        assert "the answer was lost" in saved.notes[0]
        versions = await reader.versions("box")
        assert versions is not None
        assert len(versions) == 1

    with_client(server, work, around=lambda inner: LosesAnswers(inner, loses))


def test_a_delete_whose_answer_is_lost_is_found(server: RunningServer) -> None:
    async def work(reader: RuntimeReader, writer: RuntimeWriter) -> None:
        await writer.save_manifest("box", BODY, 0)
        deleted = await writer.delete_manifest("box", 1)
        assert deleted.deleted
        assert await reader.get_manifest("box") is None

    with_client(
        server,
        work,
        around=lambda inner: LosesAnswers(inner, lambda request: request.method == "DELETE"),
    )


def test_a_wrong_key_names_where_it_came_from(server: RunningServer) -> None:
    async def work(reader: RuntimeReader, writer: RuntimeWriter) -> None:
        await reader.list_manifests()

    with pytest.raises(ApiError) as caught:
        with_client(server, work, key="0" * 64)
    assert (caught.value.status, caught.value.code) == (401, "E635")
    assert "env:NYLORUN_SERVER_KEY" in caught.value.message
    assert "0" * 64 not in str(caught.value.problems)


def test_an_address_with_a_path_is_not_that_of_the_server(server: RunningServer) -> None:
    below = RunningServer(f"{server.address}/base", server.key)

    async def work(reader: RuntimeReader, writer: RuntimeWriter) -> None:
        await reader.health()

    with pytest.raises(ApiError, match="this is not a Runtime"):
        with_client(below, work)


def test_two_who_save_at_once_make_one_version_and_one_conflict(server: RunningServer) -> None:
    async def work(reader: RuntimeReader, writer: RuntimeWriter) -> None:
        bodies = [{**BODY, "resources": {"memory": f"{size}GiB"}} for size in range(1, 9)]
        results = await asyncio.gather(
            *(writer.save_manifest("box", body, 0) for body in bodies), return_exceptions=True
        )
        refused = [error for error in results if isinstance(error, ApiError)]
        assert len(refused) == 7
        assert {error.status for error in refused} == {412}

    with_client(server, work)


def test_the_wire_log_shows_requests_without_the_key(server: RunningServer) -> None:
    records: list[WireRecord] = []

    async def work(reader: RuntimeReader, writer: RuntimeWriter) -> None:
        await reader.me()

    with_client(server, work, wire_log=records.append)
    text = "\n".join(str(record) for record in records)
    assert f"GET {server.address}/v1/me -> 200" in text
    assert server.key not in text


def test_a_server_that_stopped_is_unreachable(server: RunningServer) -> None:
    gone = RunningServer("http://127.0.0.1:9", server.key)

    async def work(reader: RuntimeReader, writer: RuntimeWriter) -> None:
        await reader.health()

    with pytest.raises(NetworkError) as caught:
        with_client(gone, work)
    assert (caught.value.code, caught.value.sent) == ("E604", False)
