"""A running `envsync watch`, and the events that it tells."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from typing import Any, Self

from tests.e2e.conftest import ENVSYNC, Repository

Told = dict[str, Any]
Where = Callable[[Told], bool]
PATIENCE = 25.0


def anything(told: Told) -> bool:
    return True


class Watching:
    """Ended by its process id at the end of the block, if it has not ended by then."""

    def __init__(self, repository: Repository, *arguments: str, **extra: str) -> None:
        self.process = subprocess.Popen(
            [str(ENVSYNC), "watch", "--output", "json", *arguments],
            cwd=repository.root,
            env={**os.environ, **repository.environ, **extra},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.seen: list[Told] = []
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(timeout=20)
        self._reader.join(timeout=20)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()

    def until(self, event: str, where: Where = anything) -> Told:
        """The next event of that name for which ``where`` holds."""
        ends = time.monotonic() + PATIENCE
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, ends - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no {event} came after {self.seen[-6:]}") from None
            if not line:
                raise AssertionError(f"it ended before {event}: {self._errors()}")
            told: Told = json.loads(line)
            self.seen.append(told)
            if told["event"] == event and where(told):
                return told

    def planned(self, *names: str) -> Told:
        """The next plan that changes exactly ``names``."""
        return self.until("planned", lambda told: changed(told) == set(names))

    def applied(self, *names: str) -> Told:
        """The next apply that sent exactly ``names``, each with success."""
        return self.until(
            "applied",
            lambda told: (
                {each["name"] for each in told["outcomes"]} == set(names)
                and {each["result"] for each in told["outcomes"]} <= {"applied", "unchanged"}
            ),
        )

    def kinds(self) -> list[str]:
        return [each["event"] for each in self.seen]

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ends it and gives its exit code; what it still told is in ``seen``."""
        self.process.send_signal(number)
        return self.end()

    def end(self) -> int:
        code = self.process.wait(timeout=PATIENCE)
        self._reader.join(timeout=20)
        while not self._lines.empty():
            if line := self._lines.get():
                self.seen.append(json.loads(line))
        assert b"Traceback" not in self._errors().encode(), self._errors()
        return code

    def _errors(self) -> str:
        assert self.process.stderr is not None
        return self.process.stderr.read().decode() if self.process.poll() is not None else ""

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(b"")


def changed(told: Told) -> set[str]:
    return {each["name"] for each in told["changes"]}
