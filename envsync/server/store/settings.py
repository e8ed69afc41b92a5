"""What an operator may tune of a store."""

from __future__ import annotations

from msgspec import Struct


class StoreSettings(Struct, frozen=True):
    """``lock_timeout``: seconds to wait for another process's lock.

    ``batch``: most works that share one commit. ``connections`` and ``writers``: most PostgreSQL
    connections that read, and that write.
    ``max_pages``: most pages that a SQLite file may have, ``None`` for no bound of ours.
    """

    lock_timeout: float = 10.0
    batch: int = 200
    connections: int = 8
    writers: int = 2
    max_pages: int | None = None
