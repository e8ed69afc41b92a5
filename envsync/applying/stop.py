"""How a run is asked to end early."""

from __future__ import annotations


class StopSignal:
    """Set by a signal handler. What is in flight is finished, nothing new is begun.

    Safe to call from a handler at any moment: it only sets a number.
    """

    def __init__(self) -> None:
        self._signal: int | None = None

    def stop(self, number: int) -> None:
        """``number`` is the signal's (2 for Ctrl-C, 15 for a termination). The first one counts."""
        if self._signal is None:
            self._signal = number

    @property
    def signal(self) -> int | None:
        """The signal that asked to stop, or ``None``."""
        return self._signal

    @property
    def is_set(self) -> bool:
        return self._signal is not None
