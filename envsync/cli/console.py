"""Where a command prints: data to stdout, everything else to stderr, colour where it is wanted."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from typing import TextIO

from envsync.errors import EnvsyncError
from envsync.rendering import colour
from envsync.rendering.text import Line, plain

_NARROWEST = 40


class OutputError(EnvsyncError):
    """Data could not be printed: the disk behind stdout is full, say. What the command did
    before that stands."""


class Console:
    """The two streams of a command and how to print on them.

    A reader that went away (``envsync status | head``) is no error: what was to be said to it is
    dropped, and the command's exit code stands.
    """

    def __init__(
        self,
        *,
        no_color: bool = False,
        output: str = "text",
        stdout: TextIO | None = None,
        stderr: TextIO | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self.output = output
        self.environ = os.environ if environ is None else environ
        self._stdout = sys.stdout if stdout is None else stdout
        self._stderr = sys.stderr if stderr is None else stderr
        self._no_color = no_color
        self._progress_shown = False
        for stream in (self._stdout, self._stderr):
            _never_fail_to_encode(stream)

    @property
    def is_json(self) -> bool:
        return self.output == "json"

    @property
    def out_is_terminal(self) -> bool:
        return _is_terminal(self._stdout)

    @property
    def err_is_terminal(self) -> bool:
        return _is_terminal(self._stderr)

    @property
    def can_ask(self) -> bool:
        """Whether a person is there to answer a question."""
        return sys.stdin is not None and _is_terminal(sys.stdin) and self.err_is_terminal

    @property
    def width(self) -> int:
        """Columns to lay text out in: those of the terminal, else ``COLUMNS``, else 80."""
        return self.fixed_width or 80

    @property
    def fixed_width(self) -> int | None:
        """Columns that must not be passed, or ``None`` where stdout is a file or a pipe: what a
        program reads is never cut."""
        said = self.environ.get("COLUMNS", "")
        if said.isdecimal() and int(said) > 0:
            return max(_NARROWEST, int(said))
        for stream in (self._stdout, self._stderr):
            if _is_terminal(stream):
                try:
                    columns = os.get_terminal_size(stream.fileno()).columns
                except (OSError, ValueError):
                    columns = 80
                return max(_NARROWEST, columns or 80) if self.out_is_terminal else None
        return None

    def data(self, text: str) -> None:
        """Prints a finished document (JSON, Markdown, SARIF) on stdout. Raises ``OutputError``."""
        self.clear_progress()
        fault = _write(self._stdout, text)
        if fault is not None:
            raise OutputError(
                "E914",
                f"standard output cannot be written: {fault.strerror or fault}",
                remedy="make room there, or send the output somewhere else",
            )

    def out(self, rows: Iterable[Line]) -> None:
        """Prints lines for people on stdout."""
        self.data(self._text(rows, terminal=self.out_is_terminal))

    def painted(self, rows: Iterable[Line]) -> str:
        """Lines for people as ``out`` would print them."""
        return self._text(rows, terminal=self.out_is_terminal)

    def err(self, rows: Iterable[Line]) -> None:
        """Prints lines for people on stderr."""
        self.clear_progress()
        _write(self._stderr, self._text(rows, terminal=self.err_is_terminal))

    def err_text(self, text: str) -> None:
        """Prints text that this program itself made on stderr."""
        self.clear_progress()
        _write(self._stderr, text)

    def progress(self, row: Line) -> None:
        """Shows ``row`` as the one line that tells how far a long operation is.

        Only on a terminal; the next thing that is printed takes its place.
        """
        if not self.err_is_terminal or self.environ.get("TERM") == "dumb":
            return
        from envsync.rendering import cells

        columns = (self.fixed_width or 80) - 1
        text = cells.clip("".join(span.text for span in row), columns)
        _write(self._stderr, f"\r\x1b[2K{text}")
        self._progress_shown = True

    def close(self) -> None:
        """Takes the progress line away and hands everything to the system."""
        self.clear_progress()
        for stream in (self._stdout, self._stderr):
            _write(stream, "")

    def clear_progress(self) -> None:
        """Takes the progress line away."""
        if self._progress_shown:
            self._progress_shown = False
            _write(self._stderr, "\r\x1b[2K")

    def _text(self, rows: Iterable[Line], *, terminal: bool) -> str:
        wanted = colour.is_wanted(self.environ, terminal=terminal, refused=self._no_color)
        return colour.paint(rows) if wanted else plain(rows)


def _is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except ValueError:
        return False


def _never_fail_to_encode(stream: TextIO) -> None:
    """A stream that can't hold a character shows its number instead of ending the command."""
    import io

    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")


def _write(stream: TextIO, text: str) -> OSError | None:
    """Why ``text`` could not be written; nothing more is written to ``stream`` then."""
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        _give_up(stream)
    except OSError as error:
        _give_up(stream)
        return error
    return None


def _give_up(stream: TextIO) -> None:
    """Points ``stream`` at nothing, so that the interpreter's last flush is quiet as well."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, stream.fileno())
    except (OSError, ValueError):
        pass
    finally:
        os.close(nowhere)
