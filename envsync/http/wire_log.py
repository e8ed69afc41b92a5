"""The wire log of ``--debug``: one line an attempt, without anything that is secret.

It never holds headers or bodies, so there is nothing in it to mask.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct


class WireRecord(Struct, frozen=True):
    """One attempt. ``status`` is 0 when no answer came, and ``fault`` then says what did;
    ``sent`` and ``received`` count the bytes of the two bodies, ``received`` after decoding."""

    method: str
    url: str
    attempt: int
    status: int
    milliseconds: float
    sent: int
    received: int
    fault: str = ""

    def __str__(self) -> str:
        result = str(self.status) if self.status else f"no answer ({self.fault})"
        again = f", attempt {self.attempt}" if self.attempt > 1 else ""
        return (
            f"{self.method} {self.url} -> {result}, {self.milliseconds:.1f} ms, "
            f"{self.sent} B out, {self.received} B in{again}"
        )


WireLog = Callable[[WireRecord], None]
