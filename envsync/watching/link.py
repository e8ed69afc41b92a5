"""Link: one session with the server that lasts over many rounds, and the list that it last gave."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import AsyncExitStack, suppress
from typing import Final

from envsync.errors import EnvsyncError
from envsync.operations.workspace import Session, Workspace
from envsync.planning.plan import ServerIdentity
from envsync.project.config import Context
from envsync.resources.observed import observed
from envsync.resources.resource import ObjectId, Observed

LONGEST_SECONDS: Final = 240.0
"""A session is opened anew after so long: a client has a budget of time for all that it does, and
the key in a file may have been changed for another."""


class Link:
    """``listed`` is what the server held when it was last asked; empty before."""

    def __init__(self) -> None:
        self.listed: Mapping[ObjectId, Observed] = {}
        self._etag = ""
        self._context: Context | None = None
        self._identity: ServerIdentity | None = None
        self._session: Session | None = None
        self._opened = 0.0
        self._stack = AsyncExitStack()

    def doubt(self) -> None:
        """Lets the next use begin with a new session."""
        self._context = None

    async def session(self, workspace: Workspace) -> Session:
        """The open session; a new one when there is none, when the context says something else
        now, or after a while. Raises ``EnvsyncError``."""
        now = time.monotonic()
        same = self._context == workspace.context
        if self._session is not None and same and now - self._opened < LONGEST_SECONDS:
            return self._session
        await self.drop()
        stack = AsyncExitStack()
        session = await stack.enter_async_context(workspace.session())
        if not same or self._identity != session.identity:
            self._etag = ""  # a tag is another server's word for another list
        self._context, self._identity = workspace.context, session.identity
        self._stack, self._session, self._opened = stack, session, now
        return session

    async def observe(self, workspace: Workspace) -> Mapping[ObjectId, Observed]:
        """What the server holds now; asked with the tag of the last answer, so that a list that
        did not change is not sent again. Raises ``EnvsyncError``."""
        session = await self.session(workspace)
        reader = session.reader
        ask = reader.summaries_if_changed if session.health.ours else reader.list_if_changed
        listing = await ask(self._etag)
        if listing is not None:
            self.listed = {each.id: each for each in map(observed, listing.manifests)}
            self._etag = listing.etag
        return self.listed

    async def drop(self) -> None:
        """Closes the session: the next one begins with a look at who answers."""
        stack, self._stack, self._session = self._stack, AsyncExitStack(), None
        with suppress(EnvsyncError, OSError):
            await stack.aclose()
