"""The bytes of a file as text, and offsets in it as lines and columns."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Final

from envsync.documents.limits import MAX_BYTES
from envsync.errors import FileError, Position, Problem

BOM: Final = "\ufeff"

# What YAML 1.2 section 5.1 does not allow, the line breaks of YAML 1.1 that YAML 1.2 took for
# letters (section 5.4), and a carriage return alone, which one editor shows as a line end and the
# next does not.
FORBIDDEN: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]|\r(?!\n)"
)
_FORBIDDEN_ASCII: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)")

_NAMES: Final = {
    "\x00": "a NUL character",
    "\r": "a carriage return without a line feed",
    "\x85": "a next-line character",
    "\u2028": "a line separator",
    "\u2029": "a paragraph separator",
    "\ufeff": "a byte order mark inside the text",
}


@dataclass(slots=True)
class SourceText:
    """``text`` is the file without its byte order mark, line ends as they are."""

    path: str
    text: str
    has_bom: bool
    _lines: list[int] = field(default_factory=list)

    def at(self, start: int, end: int | None = None) -> Position:
        """The position of an offset, or of a range."""
        line, column = self._line_and_column(start)
        if end is None or end <= start:
            return Position(self.path, line, column)
        return Position(self.path, line, column, *self._line_and_column(end))

    def column(self, offset: int) -> int:
        """How many code points stand before ``offset`` on its line."""
        return offset - (self.text.rfind("\n", 0, offset) + 1)

    def encode(self) -> bytes:
        return ((BOM if self.has_bom else "") + self.text).encode()

    def _line_and_column(self, offset: int) -> tuple[int, int]:
        if not self._lines:
            self._lines.append(0)
            self._lines.extend(found.end() for found in re.finditer("\n", self.text))
        line = bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1


def decode(data: bytes, path: str) -> SourceText:
    """``data`` as text. Raises FileError when it is too large, not UTF-8, or holds characters
    that no reader can show or that readers take for different things."""
    if len(data) > MAX_BYTES:
        raise FileError(
            "E115",
            f"the file is larger than 1 MiB ({len(data):,} bytes)",
            position=Position(path),
            remedy="split it, or keep large content where the Environment can fetch it",
        )
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise _not_utf8(data, path, error) from None
    has_bom = text.startswith(BOM)
    source = SourceText(path, text[1:] if has_bom else text, has_bom)
    forbidden = _FORBIDDEN_ASCII if source.text.isascii() else FORBIDDEN
    if forbidden.search(source.text):
        raise FileError.of(tuple(_forbidden(source, at.start()) for at in _first_few(source.text)))
    return source


def _first_few(text: str) -> list[re.Match[str]]:
    """Twenty are enough: a binary file would give a million."""
    found = []
    for match in FORBIDDEN.finditer(text):
        found.append(match)
        if len(found) == 20:
            break
    return found


def _forbidden(source: SourceText, offset: int) -> Problem:
    character = source.text[offset]
    escape = f"\\x{ord(character):02x}" if ord(character) < 256 else f"\\u{ord(character):04x}"
    name = _NAMES.get(character, "a control character")
    remedy = f'remove it, or write it as "{escape}" in a double-quoted value'
    if character == "\r":
        remedy = "end the line with LF or with CR LF"
    elif character == "\ufeff":
        remedy = "remove it: files that were joined each had one at their start"
    return Problem(
        "E113",
        f"{name} (U+{ord(character):04X})",
        position=source.at(offset, offset + 1),
        label="readers disagree about this character, and nobody can see it",
        remedy=remedy,
    )


def _not_utf8(data: bytes, path: str, error: UnicodeDecodeError) -> FileError:
    before = data[: error.start]
    line_start = before.rfind(b"\n") + 1
    bom = 1 if line_start == 0 and before.startswith(BOM.encode()) else 0
    position = Position(path, before.count(b"\n") + 1, len(before[line_start:].decode()) - bom + 1)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        message = "the file is UTF-16, not UTF-8"
    else:
        message = f"the byte 0x{data[error.start]:02x} is not UTF-8 ({error.reason})"
    return FileError("E114", message, position=position, remedy="save the file as UTF-8")
