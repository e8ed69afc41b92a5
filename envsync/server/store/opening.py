"""Opens a store: a path is SQLite, a ``postgresql://`` address is PostgreSQL."""

from __future__ import annotations

from pathlib import Path

from envsync.server.store import failures
from envsync.server.store.interface import Store
from envsync.server.store.settings import StoreSettings


def open_store(location: str | Path, settings: StoreSettings | None = None) -> Store:
    """The store at ``location``, made or migrated when it has to be.

    ``location`` is a file path or a ``postgresql://`` (``postgres://``) address. A current
    database costs one look at its version. Raises ``StoreError`` (E701 to E714).
    """
    settings = settings or StoreSettings()
    if isinstance(location, str) and location.startswith(("postgresql://", "postgres://")):
        return _postgresql(location, settings)
    from envsync.server.store.sqlite import SqliteStore

    return SqliteStore(Path(location), settings)


def _postgresql(url: str, settings: StoreSettings) -> Store:
    try:
        import psycopg  # noqa: F401 - whether it can be used at all
    except ImportError as error:
        raise failures.driver_missing("postgresql://") from error
    from envsync.server.store.postgresql import PostgresqlStore

    return PostgresqlStore(url, settings)
