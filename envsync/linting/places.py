"""Where a piece of a text value stands in the file: its own line and column, also inside a block
scalar."""

from __future__ import annotations

from envsync.contract.json_types import Pointer
from envsync.documents import Document
from envsync.documents.text import SourceText
from envsync.errors import Position
from envsync.project.overlays import Layers


def locate(layers: Layers, pointer: Pointer, value: str, start: int, end: int) -> Position:
    """The place of ``value[start:end]``, where ``value`` is the text at ``pointer``.

    Where the file writes it otherwise (escapes, folded lines), the place of the whole value.
    """
    document = layers.speaker(pointer)
    whole = document.position(pointer)
    piece = value[start:end].split("\n", 1)[0]
    if not piece or whole.end_line is None:
        return whole
    source, _ = document.tree()
    region_start, region_end = _region(source, whole)
    # The same piece may stand earlier in the value: as often there as here.
    found = region_start - 1
    for _ in range(value.count(piece, 0, start) + 1):
        found = source.text.find(piece, found + 1, region_end)
        if found < 0:
            return whole
    return source.at(found, found + len(piece))


def line_of(document: Document, offset: int, length: int) -> Position:
    """The place of a piece of the file itself; ``offset`` counts bytes from its start."""
    source, _ = document.tree()
    start = len(document.source[:offset].decode("utf-8", "replace")) - source.has_bom
    return source.at(start, start + length)


def _region(source: SourceText, whole: Position) -> tuple[int, int]:
    """The offsets of a scalar; of a block scalar without its header, which may hold a comment."""
    starts = _line_starts(source.text)
    start = starts[whole.line - 1] + whole.column - 1
    assert whole.end_line is not None
    assert whole.end_column is not None
    end = starts[whole.end_line - 1] + whole.end_column - 1
    if source.text[start : start + 1] in ("|", ">"):
        start = source.text.find("\n", start) + 1
    return start, end


def _line_starts(text: str) -> list[int]:
    starts = [0]
    at = text.find("\n")
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    return starts
