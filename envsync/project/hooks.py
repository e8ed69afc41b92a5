"""Hooks of a clone: installed beside what other tools have there, and taken away again."""

from __future__ import annotations

import os
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from envsync.errors import EnvsyncError, RefusedError
from envsync.project.clone import configuration
from envsync.project.git import run_git
from envsync.project.hook_script import BEFORE, TYPES, Entry, Script, recognised, script

_LEGACY = ".legacy"
"""Ends the name that the pre-commit framework gives to a hook which it found and still runs."""


class HooksFolder(Struct, frozen=True):
    """Where Git looks for the clone's hooks. ``project`` is the folder of envsync.yaml relative to
    the top of the working tree. ``tracked`` says that it lies in the working tree, so that its
    files may be committed."""

    path: Path
    project: str
    tracked: bool


class HookState(Struct, frozen=True):
    """One type of hook.

    ``state``: ``installed``; ``absent``; ``changed``, ours with somebody's edits; ``other``, a hook
    that is not ours. ``file`` is where ours is, or would be. ``entry`` is what it runs for this
    project. ``before`` is the hook that it runs first, or ``None``.
    """

    type: str
    state: str
    file: Path
    entry: Entry | None = None
    before: Path | None = None


def hooks_folder(root: Path) -> HooksFolder:
    """Where hooks of the clone around ``root`` belong.

    Raises ``EnvsyncError`` outside a clone, and ``RefusedError`` where a hook would run in every
    repository of the person, or would not last.
    """
    try:
        said = os.fsdecode(
            run_git(
                root,
                "rev-parse",
                "--path-format=absolute",
                "--show-toplevel",
                "--git-common-dir",
                "--show-prefix",
            )
        )
    except FileNotFoundError:
        raise EnvsyncError(
            "E460", "hooks are Git's, and there is no Git here", remedy="install Git"
        ) from None
    except EnvsyncError as error:
        raise EnvsyncError(
            "E460",
            f"there is no clone here that could have hooks: {error.message}",
            remedy=f"make {root} a repository: git init",
        ) from None
    top, common, prefix = said.split("\n")[:3]
    value, scope = configuration(root).get("core.hookspath", ("", ""))
    if not value:
        return HooksFolder(Path(common) / "hooks", prefix.rstrip("/"), tracked=False)
    path = Path(top) / Path(value).expanduser()
    if scope in ("global", "system"):
        raise RefusedError(
            "E471",
            f"core.hooksPath of your {scope} configuration ({value}) serves every repository",
            remedy="call envsync from the hook there: envsync validate --staged\n"
            "or give this clone hooks of its own: git config core.hooksPath "
            f"{Path(common) / 'hooks'}",
        )
    if path.name == "_" and path.parent.name == ".husky":
        raise RefusedError(
            "E471",
            f"husky writes {value} anew at every install, so that a hook there would not last",
            remedy="add a line to .husky/pre-commit: envsync validate --staged",
        )
    return HooksFolder(path, prefix.rstrip("/"), path.is_relative_to(top))


def state(folder: HooksFolder, type_: str) -> HookState:
    """How things are with the hook ``type_``."""
    file, found = _ours(folder, type_)
    before = file.with_name(f"{type_}{BEFORE}")
    kept = before if os.path.lexists(before) else None
    if found is None:
        return HookState(type_, "other" if os.path.lexists(file) else "absent", file)
    entry = next((each for each in found.entries if each.folder == folder.project), None)
    if not found.pristine:
        return HookState(type_, "changed", file, entry, kept)
    return HookState(type_, "absent" if entry is None else "installed", file, entry, kept)


def _ours(folder: HooksFolder, type_: str) -> tuple[Path, Script | None]:
    """The hook's file and our script in it; or ours where another tool keeps and runs it."""
    file = folder.path / type_
    found = _read(file)
    if found is not None:
        return file, found
    kept = folder.path / f"{type_}{_LEGACY}"
    found = _read(kept)
    return (file, None) if found is None else (kept, found)


def _read(file: Path) -> Script | None:
    try:
        return recognised(file.read_bytes())
    except (OSError, ValueError, KeyError):
        return None


def install(folder: HooksFolder, type_: str, context: str, program: str) -> tuple[HookState, bool]:
    """Installs the hook for this project; whether anything had to be written for that.

    A hook that is there is kept beside ours and runs first. Cut off at any point, installing again
    finishes it. Raises ``RefusedError`` for a hook of ours that somebody changed, and when two
    hooks are in the way of each other.
    """
    file, found = _ours(folder, type_)
    wanted = Entry(folder.project, context)
    others = () if found is None else found.entries
    entries = (*(each for each in others if each.folder != wanted.folder), wanted)
    data = script(type_, sorted(entries, key=lambda each: each.folder), program)
    if found is not None:
        _require_pristine(file, type_, found)
        if file.read_bytes() == data and os.access(file, os.X_OK):
            return state(folder, type_), False
    folder.path.mkdir(parents=True, exist_ok=True)
    if found is None and os.path.lexists(file):
        before = file.with_name(f"{type_}{BEFORE}")
        if os.path.lexists(before):
            raise RefusedError(
                "E472",
                f"{file} and {before} are two hooks of others, and only one can be kept",
                remedy=f"remove the one that is not wanted any more, or let {type_} call both",
            )
        file.rename(before)
    _write(file, data)
    return state(folder, type_), True


def _write(file: Path, data: bytes) -> None:
    """In one step, as a file that can be run: Git may look at any moment."""
    fresh = file.with_name(f"{file.name}.envsync-new")
    fresh.write_bytes(data)
    fresh.chmod(0o755)
    fresh.replace(file)


def uninstall(folder: HooksFolder, type_: str) -> tuple[HookState, bool]:
    """Takes this project's hook away; whether there was one.

    With the last project of the repository the script goes, and what was there before stands there
    again. Raises ``RefusedError`` for a hook of ours that somebody changed.
    """
    file, found = _ours(folder, type_)
    if found is None:
        return state(folder, type_), False
    _require_pristine(file, type_, found)
    left = tuple(each for each in found.entries if each.folder != folder.project)
    if len(left) == len(found.entries):
        return state(folder, type_), False
    if left:
        _write(file, _without(file.read_bytes(), type_, left))
    else:
        before = file.with_name(f"{type_}{BEFORE}")
        if os.path.lexists(before):
            before.replace(file)
        else:
            file.unlink()
    return replace(state(folder, type_), entry=None), True


def _without(data: bytes, type_: str, entries: tuple[Entry, ...]) -> bytes:
    """The script for ``entries`` alone, with the same program."""
    import shlex

    line = next(each for each in data.decode().splitlines() if each.startswith("envsync="))
    return script(type_, entries, shlex.split(line.removeprefix("envsync="))[0])


def _require_pristine(file: Path, type_: str, found: Script) -> None:
    if not found.pristine:
        raise RefusedError(
            "E472",
            f"{file} was changed after envsync wrote it, and your lines would be lost",
            remedy=f"move them into {type_}{BEFORE} beside it (it runs first), remove {file}, then "
            "run this again",
        )


__all__ = ["TYPES", "HookState", "HooksFolder", "hooks_folder", "install", "state", "uninstall"]
