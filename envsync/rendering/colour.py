"""Colour, where a person wants it. It repeats what symbols and words say already."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from envsync.rendering.text import Line, Style

_CODES: dict[Style, str] = {
    Style.STRONG: "1",
    Style.QUIET: "2",
    Style.ERROR: "1;31",
    Style.WARNING: "1;33",
    Style.GUTTER: "34",
    Style.CREATE: "32",
    Style.CHANGE: "33",
    Style.DELETE: "31",
    Style.NOTE: "36",
}


def is_wanted(environ: Mapping[str, str], *, terminal: bool, refused: bool) -> bool:
    """Whether to paint: only on a terminal, never against ``NO_COLOR`` (no-color.org: any value
    that is not empty), ``--no-color`` (``refused``) or ``TERM=dumb``."""
    return (
        terminal and not refused and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"
    )


def paint(rows: Iterable[Line]) -> str:
    """``rows`` as text with terminal colours; each line ends with a newline."""
    return "".join(_painted(row) + "\n" for row in rows)


def _painted(row: Line) -> str:
    pieces: list[str] = []
    for span in row:
        code = _CODES.get(span.style)
        pieces.append(f"\x1b[{code}m{span.text}\x1b[0m" if code and span.text else span.text)
    return "".join(pieces).rstrip()
