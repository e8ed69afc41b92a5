"""What a command leaves behind: the bytes of every file, and text that is safe to show."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

_UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069]")


def footprint(root: Path) -> dict[str, str]:
    """A digest of every file below ``root``, links and names that are not UTF-8 included."""
    return {str(path): _digest(path) for path in files_below(root)}


def files_below(root: Path) -> list[Path]:
    """Every file, link and pipe below ``root``; links are not followed."""
    return [Path(folder) / name for folder, _, names in os.walk(root) for name in names]


def _digest(path: Path) -> str:
    if path.is_symlink():
        return f"-> {path.readlink()}"
    if not path.is_file():
        return "neither a file nor a link"
    return hashlib.sha256(path.read_bytes()).hexdigest()


def unsafe(text: str) -> list[str]:
    """The characters of ``text`` that could move the cursor or turn the reading direction."""
    return _UNSAFE.findall(text)
