"""What ``--debug`` shows of the wire."""

from __future__ import annotations

import asyncio

import pytest

from envsync.errors import NetworkError
from envsync.http.client import HttpClient
from envsync.http.settings import HttpSettings
from envsync.http.wire_log import WireRecord
from tests.http.clock import StillClock
from tests.http.faulty_server import FaultyServer, answer, resets


def logged(server: FaultyServer, attempts: int = 5) -> list[WireRecord]:
    records: list[WireRecord] = []

    async def conversation() -> None:
        client = HttpClient(
            HttpSettings(environment={}, attempts=attempts),
            wire_log=records.append,
            clock=StillClock(),
        )
        try:
            await client.send(
                "PUT",
                f"{server.url}/v1/x?dryRun=true",
                {"authorization": "Bearer canary"},
                b'{"value": "canary"}',
                repeatable=True,
            )
        finally:
            await client.aclose()

    asyncio.run(conversation())
    return records


def test_each_attempt_is_one_line_without_headers_and_bodies() -> None:
    script = (resets, answer(503), answer(200, b'"canary"', {"set-cookie": "canary"}))
    with FaultyServer(*script) as server:
        records = logged(server)
    assert [record.status for record in records] == [0, 503, 200]
    lines = [str(record) for record in records]
    assert lines[2] == (
        f"PUT {server.url}/v1/x?dryRun=true -> 200, 0.0 ms, 19 B out, 8 B in, attempt 3"
    )
    assert "no answer" in lines[0]
    assert "canary" not in "".join(lines) + repr(records)


def test_a_failed_request_is_logged_too() -> None:
    with FaultyServer(resets) as server, pytest.raises(NetworkError):
        logged(server, attempts=1)
