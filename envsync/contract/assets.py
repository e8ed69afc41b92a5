"""Where the files that ship with envsync are: schemas, problem codes, the sample repository."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


@cache
def _root() -> Path:
    """The folder that holds ``schemas/`` and ``sample-repo/``.

    A wheel carries them inside the package; in a checkout they lie beside it.
    """
    packaged = _PACKAGE / "_assets"
    return packaged if packaged.is_dir() else _PACKAGE.parent


def asset(relative: str) -> Path:
    """The path of a shipped file or folder, such as ``schemas/environment-manifest.schema.json``.

    Raises ``FileNotFoundError`` when nothing of that name ships.
    """
    path = _root() / relative
    if not path.exists():
        raise FileNotFoundError(f"envsync ships no {relative}")
    return path
