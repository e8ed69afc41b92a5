"""Sizes as manifests write them: a whole number and a binary unit, ``2GiB``."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_SIZE = re.compile(r"([0-9]+)(B|KiB|MiB|GiB|TiB)\Z")

UNITS: Final = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
MEBIBYTE: Final = 1 << 20
GIBIBYTE: Final = 1 << 30
_LARGEST: Final = (1 << 63) - 1


@lru_cache(maxsize=4096)
def parse_size(text: str) -> int:
    """The bytes that ``text`` says, from 1 up to 8 EiB. Raises ``ValueError`` for anything else."""
    match = _SIZE.match(text)
    if match is None or len(text) > 32:
        raise ValueError(f"{text!r} is not a size such as 512MiB or 2GiB")
    size = int(match[1]) * UNITS[match[2]]
    if size == 0:
        raise ValueError(f"{text!r} is not more than zero")
    if size > _LARGEST:
        raise ValueError(f"{text!r} is more than 8 EiB")
    return size


def to_mebibytes_text(size: int) -> str:
    """``size`` in bytes as whole mebibytes, rounded up: ``2048MiB``."""
    return f"{-(-size // MEBIBYTE)}MiB"


def to_gibibytes_text(size: int) -> str:
    """``size`` in bytes as whole gibibytes, rounded up: ``5GiB``."""
    return f"{-(-size // GIBIBYTE)}GiB"
