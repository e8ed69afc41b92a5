"""The catalogue of codes: one page, or the list of all."""

from __future__ import annotations

from collections.abc import Sequence

from envsync.contract.codes import Code
from envsync.contract.json_types import JsonObject
from envsync.rendering import cells
from envsync.rendering.text import EMPTY, Line, Span, Style, line, quiet, strong

_ROOMS = {
    "1": "Files",
    "2": "Schemas and checks",
    "3": "Valid, but doubtful",
    "4": "The project",
    "5": "Planning and applying",
    "6": "The network and the server's answers",
    "7": "The embedded server",
    "8": "Secrets",
    "9": "The command line",
}
"""What the first digit of a code says."""


def code_lines(code: Code, width: int) -> list[Line]:
    """The page of ``code``. What the catalogue indents stays as it is: it is there to paste."""
    rows = [line(_styled(code), strong(f": {code.title}")), EMPTY]
    rows += _prose(code.meaning, width)
    rows += [EMPTY, line(strong("What to do"))]
    return rows + _prose(code.mend, width)


def _styled(code: Code) -> Span:
    return Span(code.code, Style.ERROR if code.is_error else Style.WARNING)


def _prose(text: str, width: int) -> list[Line]:
    rows: list[Line] = []
    paragraph: list[str] = []
    for raw in [*text.split("\n"), ""]:
        if raw.strip() and not raw.startswith("    "):
            paragraph.append(raw.strip())
            continue
        rows += [line(part) for part in cells.wrap(" ".join(paragraph), width)] if paragraph else []
        paragraph = []
        rows.append(line(raw))
    while rows and not any(span.text for span in rows[-1]):
        rows.pop()
    return rows


def code_list_lines(everything: Sequence[Code], width: int | None) -> list[Line]:
    """Every code with its title, a heading above each room's."""
    rows: list[Line] = []
    room = ""
    for code in everything:
        if code.code[1] != room:
            room = code.code[1]
            rows += [EMPTY] if rows else []
            rows.append(line(strong(_ROOMS.get(room, "Others"))))
        title = cells.clip(code.title, width - 8) if width else code.title
        rows.append(line("  ", _styled(code), f"  {title}"))
    return [*rows, EMPTY, line(quiet("More on one of them: envsync explain CODE"))]


def code_json(code: Code) -> JsonObject:
    return {
        "code": code.code,
        "severity": "error" if code.is_error else "warning",
        "title": code.title,
        "meaning": " ".join(code.meaning.split()),
        "mend": code.mend,
    }
