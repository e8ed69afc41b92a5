"""Outlook: keeps the right folders watched, whatever becomes of them, and says when to look."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from envsync.watching import events
from envsync.watching.folders import Folders
from envsync.watching.watcher import Watcher

SWEEP_SECONDS: Final = 30.0
UNARMED_SWEEP_SECONDS: Final = 2.0
"""Where the system gives no watches, the files are looked at so often instead."""


class Outlook:
    """``wanted`` tells which folders to watch as they are now. ``on_event`` and ``on_broken`` are
    called in another thread; whoever hears of the second calls ``broke`` in the loop's own."""

    def __init__(
        self,
        wanted: Callable[[], Folders],
        tell: Callable[[events.Event], None],
        on_event: Callable[[], object],
        on_broken: Callable[[str], object],
    ) -> None:
        self._wanted = wanted
        self._tell = tell
        self._watcher = Watcher(on_event, on_broken)
        self._why = ""
        self._rearm_at = 0.0
        self._swept_at = 0.0
        self.native = True
        self.moved = False

    @property
    def sweep_at(self) -> float:
        """When the files are to be looked at, whatever was heard."""
        return self._swept_at + (SWEEP_SECONDS if self.native else UNARMED_SWEEP_SECONDS)

    def swept(self, now: float) -> None:
        self._swept_at = now

    def broke(self, why: str) -> None:
        """The watch has ended by itself."""
        self._why = why

    def is_doubtful(self, now: float) -> bool:
        """Whether the root is another folder now, or it is time to try again to watch where that
        failed: a reason to look."""
        watcher = self._watcher
        if watcher.folders.is_loose:
            return True
        if watcher.is_armed or not watcher.folders.inodes or now < self._rearm_at:
            return False
        self._rearm_at = now + SWEEP_SECONDS
        return True

    def check(self) -> bool:
        """Watches other folders when there are others than those that are watched. Returns whether
        it does: then what happened there before has not been heard."""
        watcher, wanted = self._watcher, self._wanted()
        if wanted == watcher.folders and (watcher.is_armed or not wanted.inodes):
            return False
        self._arm(wanted)
        return watcher.is_armed

    def close(self) -> None:
        self._watcher.close()

    def _arm(self, wanted: Folders) -> None:
        """A change of folders is the order of the day; only what is odd about it is told."""
        watcher, before = self._watcher, self._watcher.folders
        why, self._why = self._why, ""
        if before.anchor and before.inodes.get(before.anchor) != wanted.inodes.get(wanted.anchor):
            why = f"{wanted.anchor} is another folder now, or gone"
            self.moved = True
        try:
            watcher.arm(wanted)
        except OSError as error:
            why = f"the system gives no watches: {error.strerror or error}"
            self._rearm_at = time.monotonic() + SWEEP_SECONDS
        native, was_native = watcher.is_armed or not wanted.inodes, self.native
        self.native = native
        if native and not was_native:
            why = "the system gives watches again"
        if why and (native or was_native):
            self._tell(events.Rearmed(why, len(wanted.inodes), native))
