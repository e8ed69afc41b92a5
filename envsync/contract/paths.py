"""Paths inside an Environment's disk: relative to the workspace, and never out of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from envsync.contract.advice import shown
from envsync.contract.json_types import Pointer
from envsync.contract.violation import Violation

WORKSPACE: Final = "/workspace"


def path_violations(
    pointer: Pointer, path: str, *, absolute_below: str = "", on_key: bool = False
) -> Iterator[Violation]:
    """What keeps ``path`` from being a place inside the workspace.

    ``absolute_below`` is the one absolute start that is allowed. With ``on_key`` the path stands
    as a key, and must name a file rather than a folder.
    """
    if "\0" in path:
        yield nul_violation(pointer, on_key=on_key)
        return
    inner = path
    if absolute_below and (path == absolute_below or path.startswith(f"{absolute_below}/")):
        inner = path.removeprefix(absolute_below).removeprefix("/") or "."
    if inner.startswith("/"):
        start = f"relative, or below {absolute_below}" if absolute_below else "relative"
        yield Violation(
            pointer,
            "E243",
            f"the path {shown(path)} is absolute",
            f"expected a path that is {start}",
            f'write "{_relative(path)}"',
            on_key,
        )
    elif ".." in inner.split("/"):
        yield Violation(
            pointer,
            "E243",
            f"the path {shown(path)} goes up with `..`",
            "expected a path without `..`",
            "name the folder from the workspace down",
            on_key,
        )
    elif not inner.strip("/") or (on_key and (inner.endswith("/") or inner == ".")):
        yield Violation(
            pointer,
            "E243",
            f"the path {shown(path)} names no file",
            "expected a file's path",
            "write the file's name",
            on_key,
        )


def _relative(path: str) -> str:
    inside = path == WORKSPACE or path.startswith(f"{WORKSPACE}/")
    return (path.removeprefix(WORKSPACE) if inside else path).strip("/") or "."


def nul_violation(pointer: Pointer, *, on_key: bool = False) -> Violation:
    """A text of a manifest holds no NUL character, and this one does."""
    return Violation(
        pointer,
        "E243",
        "a NUL character stands in the text",
        "expected text without NUL",
        "remove the character",
        on_key,
    )
