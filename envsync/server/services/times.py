"""Moments as the wire writes them."""

from __future__ import annotations

from datetime import UTC, datetime


def timestamp() -> str:
    """Now, as ISO 8601 in UTC with milliseconds: ``2026-01-31T09:30:00.125Z``."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
