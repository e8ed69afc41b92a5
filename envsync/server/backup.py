"""Backup and restore: one portable text file, from either database into either."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from envsync.server.store.interface import Store


@dataclass(frozen=True, slots=True)
class BackupReport:
    """``rows`` by table name."""

    path: Path
    rows: dict[str, int]


async def back_up(store: Store, path: Path, now: str, *, overwrite: bool = False) -> BackupReport:
    """Writes everything to ``path`` (mode 0600) while the server runs.

    Raises ``StoreError`` E711 when ``path`` exists and ``overwrite`` is false.
    """
    raise NotImplementedError


async def restore(store: Store, path: Path, *, overwrite: bool = False) -> BackupReport:
    """Fills ``store`` from a backup, all or nothing.

    Raises ``StoreError`` E711 when the store holds manifests, keys or Environments and
    ``overwrite`` is false; E712 when the file is no whole backup; E701 when it is newer.
    """
    raise NotImplementedError
