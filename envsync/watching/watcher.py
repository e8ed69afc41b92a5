"""Watcher: tells that something happened in some folders. What it was, a look has to find out.

It may miss things, and says so only sometimes: an overflowing queue loses events without a word.
Whoever relies on it looks again from time to time anyway.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from envsync.watching.folders import NOWHERE, Folders

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

_COLLECT_MS: Final = 20
_STEP_MS: Final = 10
_IDLE_STEP_MS: Final = 50
_TURN_MS: Final = 1000
_LIVELY_TURNS: Final = 60
"""Turns after an event in which the thread looks more often: the next save is likely near."""


class Watcher:
    """One thread and one native watch. ``on_event`` and ``on_broken`` are called in that thread.

    ``on_broken`` hears why the watch has ended: it must be armed again. A file name that is not
    UTF-8 does that, and so does whatever else the library stumbles over.
    """

    def __init__(self, on_event: Callable[[], object], on_broken: Callable[[str], object]) -> None:
        self._on_event = on_event
        self._on_broken = on_broken
        self._current: _Watch | None = None
        self.folders = NOWHERE

    @property
    def is_armed(self) -> bool:
        return self._current is not None and self._current.alive

    def arm(self, folders: Folders) -> None:
        """Watches ``folders`` from now on, and nothing else. Raises ``OSError`` when the system
        gives no (more) watches; then nothing is watched."""
        self.disarm()
        self.folders = folders
        if folders.inodes:
            self._current = _Watch(folders, self._on_event, self._on_broken)

    def disarm(self) -> None:
        """Watches nothing. Returns at once; no callback comes from what was watched before."""
        if self._current is not None:
            self._current.end()
        self._current = None
        self.folders = NOWHERE

    def close(self) -> None:
        """As ``disarm``, and waits for the thread."""
        current = self._current
        self.disarm()
        if current is not None:
            current.thread.join(timeout=5)


class _Watch:
    def __init__(
        self, folders: Folders, on_event: Callable[[], object], on_broken: Callable[[str], object]
    ) -> None:
        self.folders = folders
        self.alive = True
        self._ended = threading.Event()
        self._on_event = on_event
        self._on_broken = on_broken
        self._notify = _native(folders)
        self.thread = threading.Thread(target=self._run, name="envsync-watch", daemon=True)
        self.thread.start()

    def end(self) -> None:
        self._ended.set()

    def _run(self) -> None:
        lively = _LIVELY_TURNS
        try:
            while not self._ended.is_set():
                step = _STEP_MS if lively > 0 else _IDLE_STEP_MS
                found = self._notify.watch(_COLLECT_MS, step, _TURN_MS, self._ended)
                lively -= 1
                if isinstance(found, str):
                    continue
                lively = _LIVELY_TURNS
                if not self._ended.is_set() and any(
                    self.folders.concerns(_posix(path)) for _, path in found
                ):
                    self._on_event()
        except (RuntimeError, OSError, ValueError) as error:
            self.alive = False
            if not self._ended.is_set():
                self._on_broken(str(error))
        finally:
            self.alive = False
            self._notify.close()


def _native(folders: Folders) -> RustNotify:
    from watchfiles._rust_notify import RustNotify

    try:
        return RustNotify(list(folders.inodes), False, False, 300, False, True)
    except (RuntimeError, ValueError) as error:
        raise OSError(0, str(error)) from error


def _posix(path: str) -> str:
    return path if os.sep == "/" else path.replace(os.sep, "/")
