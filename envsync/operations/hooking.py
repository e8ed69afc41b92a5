"""hook: install, take away and list the Git hooks of a clone."""

from __future__ import annotations

from msgspec import Struct

from envsync.errors import RefusedError, UsageError
from envsync.operations.workspace import choose_context
from envsync.project import hooks
from envsync.project.config import Project
from envsync.project.hook_script import PRE_COMMIT, TYPES
from envsync.project.hooks import HooksFolder, HookState


class HookReport(Struct, frozen=True):
    """``done`` says whether anything was written for it."""

    hook: HookState
    folder: HooksFolder
    done: bool


def install(project: Project, type_: str, context: str | None, program: str) -> HookReport:
    """Installs one hook. ``program`` is the path of the command ``envsync``, which it calls.

    A hook that applies does so in one context, which must be named and not be protected. Raises
    ``UsageError`` and ``RefusedError`` otherwise, and what ``project.hooks`` raises.
    """
    name = choose_context(project, context).name if context else ""
    if type_ != PRE_COMMIT:
        _require_unprotected(project, type_, name)
    folder = hooks.hooks_folder(project.root)
    hook, done = hooks.install(folder, type_, name, program)
    return HookReport(hook, folder, done)


def _require_unprotected(project: Project, type_: str, name: str) -> None:
    if not name:
        open_ = [each.name for each in project.config.contexts.values() if not each.protected]
        raise UsageError(
            "E921",
            f"a {type_} hook applies in one context, and none was named",
            remedy=f"envsync hook install --type {type_} --context {(open_ or ['NAME'])[0]}",
        )
    if project.config.contexts[name].protected:
        raise RefusedError(
            "E473",
            f"context `{name}` is protected: nothing may be applied there without being asked",
            remedy=f"apply there by hand: envsync apply --context {name}",
        )


def uninstall(project: Project, type_: str | None) -> tuple[HookReport, ...]:
    """Takes one hook away, or all of them. What was there before is there again."""
    folder = hooks.hooks_folder(project.root)
    reports = []
    for each in _types(type_):
        hook, done = hooks.uninstall(folder, each)
        reports.append(HookReport(hook, folder, done))
    return tuple(reports)


def status(project: Project, type_: str | None) -> tuple[HookReport, ...]:
    """How things are with one hook, or with all that envsync has."""
    folder = hooks.hooks_folder(project.root)
    return tuple(
        HookReport(hooks.state(folder, each), folder, done=False) for each in _types(type_)
    )


def _types(type_: str | None) -> tuple[str, ...]:
    return TYPES if type_ is None else (type_,)
