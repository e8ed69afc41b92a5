"""Fixtures for every room."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

# Whoever starts the tests in the background of a shell has Ctrl-C ignored, and so would every
# process that the tests start and interrupt.
with suppress(ValueError):
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)

Snapshot = Callable[[str, str], None]


@pytest.fixture
def snapshot(request: pytest.FixtureRequest) -> Snapshot:
    """Compares a text with a golden one in ``snapshots/`` beside the test.

    ``UPDATE_SNAPSHOTS=1`` writes the golden texts anew; then read the difference.
    """
    folder = Path(request.path).parent / "snapshots"

    def check(name: str, text: str) -> None:
        golden = folder / f"{name}.txt"
        if os.environ.get("UPDATE_SNAPSHOTS"):
            folder.mkdir(exist_ok=True)
            golden.write_bytes(text.encode())
            return
        assert golden.exists(), f"no {golden.name}: write it with UPDATE_SNAPSHOTS=1"
        assert text == golden.read_bytes().decode()

    return check
