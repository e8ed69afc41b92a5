"""Databases for the server's tests: a SQLite file, and a PostgreSQL that the tests start."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

from envsync.server.store.interface import Store
from envsync.server.store.opening import open_store
from envsync.server.store.settings import StoreSettings
from tests.postgresql import binaries, cluster

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[str]:
    """The address of a PostgreSQL server that lives as long as the tests, on a unix socket."""
    programs = binaries()
    if programs is None:
        pytest.skip("PostgreSQL is not installed")
    with cluster(programs) as address:
        yield address


@contextmanager
def _schema_of_its_own(server: str) -> Iterator[str]:
    import psycopg

    schema = f"test_{os.getpid()}_{next(_numbers)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
        yield f"{server}&options={quote(f'-csearch_path={schema}')}"
        connection.execute(f"DROP SCHEMA {schema} CASCADE")


@pytest.fixture
def postgresql_url(postgresql_server: str) -> Iterator[str]:
    """The address of an empty schema."""
    with _schema_of_its_own(postgresql_server) as url:
        yield url


@pytest.fixture
def second_postgresql_url(postgresql_server: str) -> Iterator[str]:
    """The address of another empty schema."""
    with _schema_of_its_own(postgresql_server) as url:
        yield url


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where an empty database can be made: once a SQLite path, once a PostgreSQL address."""
    if request.param == "sqlite":
        return str(tmp_path / "server.db")
    url: str = request.getfixturevalue("postgresql_url")
    return url


Opened = Callable[..., contextlib.AbstractAsyncContextManager[Store]]


@pytest.fixture
def opened(location: str) -> Opened:
    """``async with opened() as store`` on either database; again for a second process's view."""

    @asynccontextmanager
    async def open_and_close(settings: StoreSettings | None = None) -> AsyncIterator[Store]:
        store = open_store(location, settings)
        try:
            yield store
        finally:
            await store.aclose()

    return open_and_close
