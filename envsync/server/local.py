"""The server inside the program: the same app, no port, acting as the local administrator.

Whoever can open the database file has all of it, so there is nothing to authenticate. Kept apart
from ``serve`` so that a command that only wants this imports no web server.
"""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from envsync.server.app import App, build_app
from envsync.server.auth.authenticator import Local
from envsync.server.store.interface import Store
from envsync.server.store.opening import open_store


class LocalServer(Struct, frozen=True):
    """``app`` is an ASGI 3 application. Close it in the event loop that used it."""

    app: App
    store: Store

    async def aclose(self) -> None:
        """Finishes what was accepted and closes the database."""
        await self.store.aclose()


def open_local(database: Path, *, user: str) -> LocalServer:
    """The server over the SQLite file ``database``, made when it isn't there.

    What it saves is saved by ``local:<user>``. Raises ``StoreError``; so do calls of the app.
    """
    store = open_store(database)
    return LocalServer(build_app(store, authenticator=Local(user), in_process=True), store)
