"""Ctrl-C and SIGTERM while something is being written: finish what is in flight, begin no more."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from envsync.applying.stop import StopSignal
from envsync.cli.console import Console
from envsync.rendering.text import line


@contextmanager
def stopping(console: Console) -> Iterator[StopSignal]:
    """A ``StopSignal`` that the first signal sets. A second one ends the command at once."""
    stop = StopSignal()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def handle(number: int, frame: FrameType | None) -> None:
        if stop.is_set:
            earlier = before[signal.Signals(number)]
            if callable(earlier):
                earlier(number, frame)
            return
        stop.stop(number)
        console.err([line("stopping: finishing what is in flight (once more to end at once)")])

    try:
        for number in before:
            signal.signal(number, handle)
    except ValueError:  # not the main thread: its owner decides about signals
        yield stop
        return
    try:
        yield stop
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)
