"""What ``envsync __complete KIND`` prints for a shell: one candidate a line, and never an error."""

from __future__ import annotations

from collections.abc import Sequence

from envsync.errors import EnvsyncError


def candidates(kind: str) -> Sequence[str]:
    """The names of ``kind`` (``context``, ``manifest``, ``code``) that can be told offline."""
    try:
        return _candidates(kind)
    except (EnvsyncError, OSError):
        return ()


def _candidates(kind: str) -> Sequence[str]:
    from pathlib import Path

    if kind == "code":
        from envsync.contract.codes import codes

        return list(codes())
    from envsync.project import config

    project = config.load(config.find_root(Path.cwd()))
    if kind == "context":
        return list(project.config.contexts)
    if kind == "manifest":
        from envsync.project import files

        return [source.name for source in files.find(project) if source.type == "manifest"]
    return ()
