"""What changed in a file, as a unified diff."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import unified_diff

from envsync.operations.pulled import PulledFile
from envsync.rendering.text import Line, Span, Style, line

_STYLES = {"+": Style.CREATE, "-": Style.DELETE, "@": Style.NOTE}
_NOWHERE = "/dev/null"
_UNFINISHED = "\\ No newline at end of file"


def diff_rows(file: PulledFile) -> list[str]:
    """The lines of the diff, without line ends: a patch for Git and for `patch`."""
    old = f"a/{file.path}" if file.before is not None else _NOWHERE
    new = f"b/{file.path}" if file.after is not None else _NOWHERE
    rows = unified_diff(_lines(file.before), _lines(file.after), old, new)
    return list(_finished(rows))


def diff_lines(file: PulledFile) -> list[Line]:
    """The same for a terminal, where nothing that a server said may act."""
    rows = diff_rows(file)
    head = [line(Span(row, Style.STRONG)) for row in rows[:2]]
    return [*head, *(line(Span(row, _STYLES.get(row[:1], Style.PLAIN))) for row in rows[2:])]


def diff_text(file: PulledFile) -> str:
    return "".join(f"{row}\n" for row in diff_rows(file))


def _lines(data: bytes | None) -> list[str]:
    """Only LF ends a line, as in Git; a file that is UTF-16 is never met here."""
    if not data:
        return []
    parts = data.decode("utf-8", "replace").split("\n")
    return [*(f"{part}\n" for part in parts[:-1]), *([parts[-1]] if parts[-1] else [])]


def _finished(rows: Iterator[str]) -> Iterator[str]:
    for row in rows:
        yield row.removesuffix("\n")
        if not row.endswith("\n"):
            yield _UNFINISHED
