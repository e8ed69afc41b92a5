from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from envsync.http.client import HttpClient, RawAnswer
from envsync.http.settings import HttpSettings
from tests.http.authority import Authority, make_authority
from tests.http.clock import StillClock

Send = Callable[..., RawAnswer]


@pytest.fixture
def clock() -> StillClock:
    return StillClock()


@pytest.fixture
def send(clock: StillClock) -> Send:
    """Send one request with a client of its own, with settings given as keywords."""

    def send_one(
        url: str,
        method: str = "GET",
        content: bytes | None = None,
        *,
        repeatable: bool = True,
        headers: Mapping[str, str] | None = None,
        **settings: object,
    ) -> RawAnswer:
        async def conversation() -> RawAnswer:
            chosen = HttpSettings(**{"environment": {}, **settings})  # type: ignore[arg-type]
            client = HttpClient(chosen, clock=clock)
            try:
                return await client.send(method, url, headers or {}, content, repeatable=repeatable)
            finally:
                await client.aclose()

        return asyncio.run(conversation())

    return send_one


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return make_authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def other_authority(tmp_path: Path) -> Authority:
    return make_authority(tmp_path)
