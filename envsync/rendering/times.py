"""Times: relative on a terminal, ISO 8601 UTC everywhere else."""

from __future__ import annotations

from datetime import UTC, datetime

_STEPS = (
    (60, 1, "s"),
    (3600, 60, "min"),
    (86400, 3600, "h"),
    (86400 * 60, 86400, "d"),
    (86400 * 730, 86400 * 30, "months"),
)


def parse(text: str) -> datetime | None:
    """An ISO 8601 time, UTC where it doesn't say; ``None`` for what is none."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def age(text: str, now: datetime) -> str:
    """``12 s``, ``2 min``, ``5 h``, ``9 d``; the text itself where it is no time, ``-`` for none.

    A time that lies a little ahead (two clocks) is ``0 s``.
    """
    moment = parse(text)
    if moment is None:
        return text or "-"
    seconds = max(0, int((now - moment).total_seconds()))
    for limit, unit, name in _STEPS:
        if seconds < limit:
            return f"{seconds // unit} {name}"
    return f"{seconds // (86400 * 365)} years"


def ago(text: str, now: datetime) -> str:
    """``12 s ago``; the text itself where it is no time."""
    return f"{age(text, now)} ago" if parse(text) else age(text, now)
