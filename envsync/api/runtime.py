"""The two clients of a Runtime: one that can only read, and one that writes."""

from __future__ import annotations

from envsync.api.reader import RuntimeReader
from envsync.api.writer import RuntimeWriter

__all__ = ["RuntimeReader", "RuntimeWriter"]
