"""Opens a store: a path is SQLite, a ``postgresql://`` address is PostgreSQL."""

from __future__ import annotations

from pathlib import Path

from envsync.server.store.interface import Store
from envsync.server.store.settings import StoreSettings


def open_store(location: str | Path, settings: StoreSettings | None = None) -> Store:
    """The store at ``location``, made or migrated when it has to be.

    ``location`` is a file path or a ``postgresql://`` (``postgres://``) address. A current
    database costs one look at its version. Raises ``StoreError`` (E701 to E714).
    """
    settings = settings or StoreSettings()
    if isinstance(location, str) and location.startswith(("postgresql://", "postgres://")):
        from envsync.server.store.postgresql import PostgresqlStore

        return PostgresqlStore(location, settings)
    from envsync.server.store.sqlite import SqliteStore

    return SqliteStore(Path(location), settings)
