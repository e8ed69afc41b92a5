"""The time as files say it."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> str:
    """ISO 8601 in UTC, to the second: ``2026-11-30T04:15:00Z``."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
