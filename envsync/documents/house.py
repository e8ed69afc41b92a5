"""A new file as envsync writes it: block style, one key a line, quotes only where they are needed.

A file that exists is never written this way; ``edits.py`` splices what changes into it.
"""

from __future__ import annotations

from typing import Final

from envsync.contract.json_types import JsonObject
from envsync.documents.phrasing import Phrasing

_PHRASING: Final = Phrasing()


def compose_text(data: JsonObject) -> bytes:
    """``data`` (not empty) as a YAML document, its keys in the order in which they come.

    Raises ValueError for what the profile can't say: an infinity, half of a surrogate pair.
    """
    return "".join(f"{line}\n" for line in _PHRASING.lines(data, 0)).encode()
