"""Contexts: which servers envsync.yaml names, and which one this clone works with."""

from __future__ import annotations

from collections.abc import Mapping

from envsync.documents.writing import write_atomically
from envsync.errors import EnvsyncError
from envsync.operations.reports import ContextRow
from envsync.operations.workspace import choose_context, chosen_context
from envsync.project import config as configuration
from envsync.project.config import Context, Project
from envsync.project.hints import state_folder


def contexts(project: Project, environ: Mapping[str, str]) -> tuple[ContextRow, ...]:
    """Every context in the order of envsync.yaml, the current one marked."""
    current = chosen_context(project) or project.config.default_context
    return tuple(
        ContextRow(
            context.name,
            context.server,
            context.protected,
            context.name == current,
            credential(context, environ),
        )
        for context in project.config.contexts.values()
    )


def credential(context: Context, environ: Mapping[str, str]) -> str:
    """Where the key comes from and whether it is there. Never the key."""
    if context.key is None:
        return "none needed" if context.server == "embedded" else "none"
    try:
        configuration.resolve_key(context, environ)
    except EnvsyncError as error:
        return f"{context.key} ({error.message})"
    return str(context.key)


def use(project: Project, name: str) -> Context:
    """Makes ``name`` this clone's context. The choice stands in ``.envsync/context``, which Git
    ignores. Raises ``UsageError`` when there is no such context."""
    context = choose_context(project, name)
    write_atomically(state_folder(project) / "context", f"{name}\n".encode())
    return context
