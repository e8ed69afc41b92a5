"""What one look at the files leaves for the next one of the same process."""

from __future__ import annotations

from dataclasses import dataclass

from envsync.project.files import Scan
from envsync.resources.cache import Cache


@dataclass(slots=True)
class Memory:
    """Handed to ``declare`` again and again, by a program that stays: then a file that is as it
    was is neither read nor parsed, and nothing of the cache is read or written either.

    ``found`` is the last scan, ``cache`` what the last look knew, whatever key it has.
    """

    found: Scan | None = None
    cache: Cache | None = None
