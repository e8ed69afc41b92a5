"""Workspace: a repository, one of its contexts, and how to reach that context's server."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from envsync.errors import UsageError
from envsync.planning.plan import ServerIdentity
from envsync.project import config as configuration
from envsync.project.config import Context, Project

if TYPE_CHECKING:
    from envsync.api.messages import Transport
    from envsync.api.runtime import RuntimeReader
    from envsync.api.views import Health

Connect = Callable[[Project, Context], "Transport"]
"""Gives the transport of a context: in process for ``embedded``, the network otherwise."""


class Session(Struct, frozen=True):
    """An open connection to the workspace's server, after a look at its ``/health``."""

    reader: RuntimeReader
    health: Health
    identity: ServerIdentity


@dataclass(frozen=True, slots=True)
class Workspace:
    """Everything that a verb needs to know of where it works. Opening one reads only files."""

    project: Project
    context: Context
    connect: Connect
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)

    @classmethod
    def open(
        cls,
        start: Path,
        context_name: str | None,
        connect: Connect,
        environ: Mapping[str, str] | None = None,
    ) -> Workspace:
        """The workspace around ``start``.

        Raises ``FileError`` when envsync.yaml is missing or wrong, and ``UsageError`` when it
        has no context of that name.
        """
        project = configuration.load(configuration.find_root(start))
        context = choose_context(project, context_name)
        return cls(project, context, connect, os.environ if environ is None else environ)

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Session]:
        """An open session; closed on the way out, whatever happens."""
        from envsync.api.credential import Credential
        from envsync.api.runtime import RuntimeReader

        key = configuration.resolve_key(self.context, self.environ)
        credential = None if key is None else Credential(key, source=str(self.context.key))
        transport = self.connect(self.project, self.context)
        try:
            reader = RuntimeReader(transport, credential)
            health = await reader.health()
            identity = ServerIdentity(transport.address, health.host_id)
            yield Session(reader, health, identity)
        finally:
            await transport.aclose()


def choose_context(project: Project, name: str | None) -> Context:
    """The context called ``name``, or the one chosen for this clone, or the default one."""
    import difflib

    contexts = project.config.contexts
    wanted = name or chosen_context(project) or project.config.default_context
    if wanted in contexts:
        return contexts[wanted]
    close = difflib.get_close_matches(wanted, list(contexts), n=1)
    known = ", ".join(contexts)
    raise UsageError(
        "E905",
        f"there is no context `{wanted}` in envsync.yaml",
        remedy=f"did you mean `{close[0]}`?" if close else f"choose one of: {known}",
    )


def chosen_context(project: Project) -> str:
    """The context that ``envsync context use`` chose for this clone, or an empty string."""
    choice = project.root / ".envsync" / "context"
    try:
        return choice.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""
