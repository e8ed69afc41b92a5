"""How a run is asked to end early."""

from __future__ import annotations


class StopSignal:
    """Set by a signal handler. What is in flight is finished, nothing new is begun.

    Safe to call from a handler at any moment: it only sets a number.
    """

    def __init__(self) -> None:
        self._number: int | None = None

    def stop(self, number: int) -> None:
        """``number`` is the signal's (2 for Ctrl-C, 15 for a termination). The first one counts."""
        if self._number is None:
            self._number = number

    @property
    def number(self) -> int | None:
        """The signal that asked to stop, or ``None``."""
        return self._number

    @property
    def is_set(self) -> bool:
        return self._number is not None
