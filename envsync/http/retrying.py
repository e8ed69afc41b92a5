"""When to send again, and how long to wait before. Pure."""

from __future__ import annotations

from email.utils import parsedate_to_datetime

RETRIED_STATUSES = frozenset({429, 502, 503, 504})

_FIRST_WAIT = 0.25
_LONGEST_WAIT = 15.0


def backoff(attempt: int, chance: float) -> float:
    """Seconds to wait after ``attempt`` (1 is the first) failed: anything from 0 to a bound that
    doubles each time ("full jitter"), so that clients which failed together return apart.
    ``chance`` is a number from 0 to 1."""
    bound: float = min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** (attempt - 1))
    return bound * chance


def retry_after(value: str, now: float) -> float | None:
    """The seconds that a ``Retry-After`` header asks for: a number of seconds or an HTTP date
    (RFC 9110 section 10.2.3), compared with ``now`` (seconds since 1970). ``None`` when it is
    absent or cannot be read."""
    text = value.strip()
    if text.isascii() and text.isdigit() and len(text) <= 9:
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
        return max(0.0, moment.timestamp() - now)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
