"""The live table of ``watch`` on a terminal, which is left as it was found."""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from envsync.cli.console import Console
from envsync.rendering.text import Line
from envsync.watching.board import Board
from envsync.watching.screen import ENTER, LEAVE, frame, screen_text

_YOUNG_SECONDS = 60.0
_SLOW_SECONDS = 10.0


def can_be_live(console: Console) -> bool:
    """Whether there is a terminal that can be drawn on, and that is ours to draw on: a job in the
    background prints lines."""
    if console.output != "text" or not console.out_is_terminal:
        return False
    if console.environ.get("TERM", "") in ("", "dumb"):
        return False
    try:
        return os.tcgetpgrp(sys.stdout.fileno()) == os.getpgrp()
    except (OSError, ValueError, AttributeError):
        return os.name == "nt"


class Live:
    """Draws ``board`` in place, when it has changed and as its ages go by."""

    def __init__(self, console: Console, board: Board) -> None:
        self._console = console
        self._board = board
        self._recent: deque[Line] = deque(maxlen=20)
        self._seen: tuple[object, ...] = ()
        self._told = 0
        self._text = ""
        self._drawn_at = 0.0
        self._changed_at = 0.0
        self._shown = False
        self._echo = _Echo()

    def __enter__(self) -> Self:
        self.enter()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.leave()

    def enter(self) -> None:
        """Takes the terminal."""
        self._echo.off()
        self._shown = True
        self._text = ""
        self._console.data(ENTER)
        self.draw()

    def leave(self) -> None:
        """Gives it back."""
        if self._shown:
            self._shown = False
            self._console.data(LEAVE)
            self._echo.back()

    def tell(self, rows: Sequence[Line]) -> None:
        """Adds an event to those that stand below the table."""
        self._recent.extend(rows[:1])
        self._told += 1
        self.show()

    def show(self) -> None:
        """Draws if there is something new to see."""
        board, now = self._board, time.time()
        seen = (id(board.rows), board.doing, board.trouble, board.wrong, board.withheld,
                board.planned_at, board.applied_at, self._told)  # fmt: skip
        if seen != self._seen:
            self._seen, self._changed_at = seen, now
            self.draw()
            return
        pause = 1.0 if now - self._changed_at < _YOUNG_SECONDS else _SLOW_SECONDS
        if now - self._drawn_at >= pause:
            self.draw()

    def draw(self) -> None:
        """Draws, in the size that the terminal has now."""
        if not self._shown:
            return
        self._drawn_at = time.time()
        columns, rows = self._size()
        painted = self._console.painted(
            frame(self._board, tuple(self._recent), self._drawn_at, columns, rows)
        )
        text = screen_text(painted)
        if text != self._text:
            self._text = text
            self._console.data(text)

    def _size(self) -> tuple[int, int]:
        try:
            size = os.get_terminal_size(sys.stdout.fileno())
        except (OSError, ValueError):
            return 80, 24
        return max(20, size.columns), max(5, size.lines)


class _Echo:
    """What is typed must not be drawn over the table."""

    def __init__(self) -> None:
        self._before: list[object] | None = None

    def off(self) -> None:
        try:
            import termios

            self._before = termios.tcgetattr(sys.stdin)
            quiet = [*self._before]
            quiet[3] = int(str(quiet[3])) & ~termios.ECHO
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, quiet)  # type: ignore[arg-type]
        except (ImportError, OSError, ValueError, AttributeError, termios_error()):
            self._before = None

    def back(self) -> None:
        if self._before is None:
            return
        import termios
        from contextlib import suppress

        with suppress(OSError, ValueError, termios_error()):
            termios.tcflush(sys.stdin, termios.TCIFLUSH)
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._before)  # type: ignore[arg-type]


def termios_error() -> type[Exception]:
    """What the terminal's functions raise, where there are any."""
    try:
        import termios
    except ImportError:
        return OSError
    return termios.error
