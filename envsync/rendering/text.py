"""Lines for a terminal: pieces of text with a meaning, which ``colour.py`` may paint.

No renderer writes strings to a terminal. It makes ``Span`` values, and a span makes its text
visible when it is born, so that nothing that a file or a server said reaches the screen raw.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from envsync.rendering import cells, escape


class Style(Enum):
    """What a piece of text means. The colours belong to ``colour.py``."""

    PLAIN = "plain"
    STRONG = "strong"
    QUIET = "quiet"
    ERROR = "error"
    WARNING = "warning"
    GUTTER = "gutter"
    CREATE = "create"
    CHANGE = "change"
    DELETE = "delete"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Span:
    """``text`` is on one line and visible, whatever it was made of."""

    text: str
    style: Style = Style.PLAIN

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", escape.visible(self.text))


Line = tuple[Span, ...]
EMPTY: Line = ()


def line(*parts: str | Span) -> Line:
    """A line of ``parts``; plain strings become plain spans."""
    return tuple(part if isinstance(part, Span) else Span(part) for part in parts)


def strong(text: str) -> Span:
    return Span(text, Style.STRONG)


def quiet(text: str) -> Span:
    return Span(text, Style.QUIET)


def width(row: Line) -> int:
    """The cells that ``row`` takes."""
    return sum(cells.width(span.text) for span in row)


def plain(rows: Iterable[Line]) -> str:
    """``rows`` as text without colour; each line ends with a newline."""
    return "".join("".join(span.text for span in row).rstrip() + "\n" for row in rows)


def counted(number: int, noun: str, plural: str = "") -> str:
    """``1 error``, ``2 errors``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def elapsed(seconds: float) -> str:
    """A duration a person reads at a glance: ``38 ms``, ``1.2 s``, ``2 min 5 s``."""
    if seconds < 0.9995:
        return f"{round(seconds * 1000)} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    return f"{whole // 60} min {whole % 60} s"
