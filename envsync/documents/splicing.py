"""Where a change goes into the text of a file, so that everything else stays as it is.

Every function gives the whole new text, in several ways where one cannot know which will do (the
line that ends a block scalar also ends what follows it); the caller reads each again and takes
the first that says what was meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from envsync.contract.json_types import Json, Pointer
from envsync.documents.nodes import (
    AliasNode,
    MappingNode,
    Node,
    ScalarNode,
    SequenceNode,
    Style,
)
from envsync.documents.phrasing import Phrasing, Written
from envsync.documents.text import SourceText

_HEADER: Final = re.compile(r"[|>][-+0-9]*")
_BLANK_LINES: Final = re.compile(r"(?:[ ]*\r?\n)*")
_COMMA: Final = re.compile(r"\s*,")
_COLON: Final = re.compile(r" *:")


class NotSpliceableError(Exception):
    """The text says it in a way that this module does not change. The message says which."""


class Found(Struct, frozen=True):
    """A node and what holds it. ``key`` is None for items of a list and for the root."""

    node: Node
    key: ScalarNode | None
    parent: MappingNode | SequenceNode | None
    index: int


class Splicer(Struct, frozen=True):
    source: SourceText
    root: MappingNode
    phrasing: Phrasing

    @property
    def text(self) -> str:
        return self.source.text

    @property
    def newline(self) -> str:
        return "\r\n" if "\r\n" in self.text else "\n"

    def find(self, pointer: Pointer) -> Found | None:
        found = Found(self.root, None, None, 0)
        for part in pointer:
            parent = found.node
            if isinstance(parent, AliasNode):
                raise NotSpliceableError(f"the alias `*{parent.name}` stands above it")
            if isinstance(parent, MappingNode) and isinstance(part, str):
                if part not in parent.entries:
                    return None
                key, node = parent.entries[part]
                found = Found(node, key, parent, list(parent.entries).index(part))
            elif isinstance(parent, SequenceNode) and isinstance(part, int):
                if not 0 <= part < len(parent.items):
                    return None
                found = Found(parent.items[part], None, parent, part)
            else:
                return None
        return found

    # -- set -------------------------------------------------------------------------------

    def replace(self, found: Found, value: Json) -> Iterator[str]:
        node, parent = found.node, found.parent
        assert parent is not None
        style: Style = node.style if isinstance(node, ScalarNode) else "plain"
        if parent.flow:
            yield self._replace_in_flow(found, self.phrasing.inline(value, style))
            return
        if isinstance(node, MappingNode | SequenceNode) and node.flow and _entries(node):
            yield self.text[: node.start] + self.phrasing.inline(value) + self.text[node.end :]
        indent = self._column_of_owner(found)
        for written in self.phrasing.written(value, indent, style, self._text_column(node)):
            yield self._write(found, self._compact(found, value, written))

    def _replace_in_flow(self, found: Found, inline: str) -> str:
        node = found.node
        if node.start < node.end:
            return self.text[: node.start] + inline + self.text[node.end :]
        # `{a}` and `{a:}`: only the second has a place for the value.
        lead = " " if self.text[node.start - 1] == ":" else ": "
        return self.text[: node.start] + lead + inline + self.text[node.start :]

    def _compact(self, found: Found, value: Json, written: Written) -> Written:
        """An item of a list begins its collection on the line of the dash."""
        if found.key is not None or written.head or not written.body:
            return written
        indent = self._column_of_owner(found) + 2
        first, *rest = self.phrasing.lines(value, indent)
        return Written(first[indent:], tuple(rest))

    def _write(self, found: Found, written: Written) -> str:
        node, text = found.node, self.text
        owner_end = self._owner_end(found)
        between = ""
        if isinstance(node, ScalarNode) and node.style in ("literal", "folded"):
            start, stop = node.start, self._line_end(self._visible_end(node))
            header = _HEADER.match(text, node.start)
            assert header is not None
            tail = text[header.end() : self._line_end(node.start)].rstrip()
        elif node.start == node.end:
            start, stop = owner_end, self._line_end(owner_end)
            tail = text[start:stop]
        elif isinstance(node, MappingNode | SequenceNode) and not node.flow:
            stop = self._line_end(node.end)
            if self._line_start(node.start) <= owner_end:
                start, tail = node.start, text[node.end : stop]
            else:
                start, key_line_end = owner_end, self._line_end(owner_end)
                tail = text[start:key_line_end]
                between = text[key_line_end : self._line_start(node.start)].rstrip("\r\n")
        else:
            start, stop = node.start, self._line_end(node.end)
            tail = text[node.end : stop]
        before = text[:start]
        if not written.head:
            before = before.rstrip(" ")
        elif before.endswith((":", "-")):
            before += " "
        below = "".join(self.newline + line for line in written.body)
        return before + written.head + tail + below + between + text[stop:]

    # -- add -------------------------------------------------------------------------------

    def add_entry(self, mapping: MappingNode, name: str, value: Json) -> Iterator[str]:
        if mapping.flow:
            yield self._add_to_flow(mapping, f"{self.phrasing.key(name)}: ", value)
            return
        indent = self.source.column(next(iter(mapping.entries.values()))[0].start)
        lines = tuple(self.phrasing.entry(name, value, indent))
        yield from self._add_lines(mapping, lines)
        inline = f"{' ' * indent}{self.phrasing.key(name)}: {self.phrasing.inline(value)}"
        yield from self._add_lines(mapping, (inline,))

    def insert_item(self, sequence: SequenceNode, index: int, value: Json) -> Iterator[str]:
        style = self._style_of_items(sequence)
        if sequence.flow:
            if index == len(sequence.items):
                yield self._add_to_flow(sequence, "", value, style)
            else:
                at = sequence.items[index].start
                inline = self.phrasing.inline(value, style)
                yield f"{self.text[:at]}{inline}, {self.text[at:]}"
            return
        indent = self.source.column(sequence.start)
        lines = tuple(self.phrasing.item(value, indent, style))
        short = (f"{' ' * indent}- {self.phrasing.inline(value, style)}",)
        if index == len(sequence.items):
            yield from self._add_lines(sequence, lines)
            yield from self._add_lines(sequence, short)
            return
        dash = self._dash(sequence, index)
        for chosen in (lines, short):
            yield (
                self.text[:dash]
                + (self.newline + "").join(chosen)[indent:]
                + self.newline
                + " " * indent
                + self.text[dash:]
            )

    def _add_lines(
        self, collection: MappingNode | SequenceNode, lines: Sequence[str]
    ) -> Iterator[str]:
        end = self._line_end(collection.end)
        added = "".join(self.newline + line for line in lines)
        yield self.text[:end] + added + self.text[end:]
        # Blank lines may belong to a text under `|+`.
        below = _BLANK_LINES.match(self.text, min(end + len(self.newline), len(self.text)))
        if below is not None and below.group():
            whole = "".join(line + self.newline for line in lines)
            yield self.text[: below.end()] + whole + self.text[below.end() :]

    def _add_to_flow(
        self,
        collection: MappingNode | SequenceNode,
        lead: str,
        value: Json,
        style: Style = "plain",
    ) -> str:
        text, entries = self.text, _entries(collection)
        inline = lead + self.phrasing.inline(value, style)
        if not entries:
            inside = collection.start + 1
            return text[:inside] + inline + text[inside:]
        start, end = entries[-1]
        comma = _COMMA.match(text, end)
        after = comma.end() if comma else end
        line_end = self._line_end(after)
        if "\n" not in text[collection.start : start] or line_end >= collection.end:
            if comma:
                return f"{text[:after]} {inline},{text[after:]}"
            return f"{text[:after]}, {inline}{text[after:]}"
        # One entry a line: a comment behind the last one stays with it.
        column = self.source.column(start)
        if self.phrasing.is_json:
            inline = lead + self.phrasing.tree(value, column, self.newline)
        kept = text[:end] + "," + text[after:line_end]
        added = self.newline + " " * column + inline + ("," if comma else "")
        return kept + added + text[line_end:]

    # -- remove ----------------------------------------------------------------------------

    def remove(self, found: Found) -> Iterator[str]:
        parent = found.parent
        assert parent is not None
        entries = _entries(parent)
        if parent.flow:
            yield self._remove_from_flow(parent, found.index)
            return
        text = self.text
        if isinstance(parent, MappingNode):
            start = entries[found.index][0]
        else:
            start = self._dash(parent, found.index)
        end = self._line_end(max(self._visible_end(found.node), self._owner_end(found)))
        after = min(end + len(self.newline), len(text)) if end < len(text) else end
        before = self._line_start(start)
        if text[before:start].strip():
            # The first entry stands behind the dash of the list item that it begins.
            after_next = entries[found.index + 1][0]
            if isinstance(parent, SequenceNode):
                after_next = self._dash(parent, found.index + 1)
            if "#" in text[after:after_next]:
                yield text[:start].rstrip(" ") + text[end:]
            yield text[:start] + text[after_next:]
            return
        if after == end and not text.endswith("\n"):
            yield text[:before].rstrip("\r\n")
        yield text[:before] + text[after:]
        blank = _BLANK_LINES.match(text, after)
        if blank is not None:
            yield text[:before] + text[blank.end() :]

    def _remove_from_flow(self, parent: MappingNode | SequenceNode, index: int) -> str:
        text, entries = self.text, _entries(parent)
        start, end = entries[index]
        if len(entries) == 1:
            return text[: parent.start + 1] + text[parent.end - 1 :]
        comma = _COMMA.match(text, end)
        line, stop = self._line_start(start), self._line_end(comma.end() if comma else end)
        rest = text[comma.end() if comma else end : stop].strip()
        if not text[line:start].strip() and (not rest or rest.startswith("#")):
            # It has lines of its own: they go, and those of its neighbours stay.
            below = min(stop + len(self.newline), len(text))
            if comma:
                return text[:line] + text[below:]
            previous = entries[index - 1][1]
            before = _COMMA.match(text, previous)
            return (
                text[:previous] + text[before.end() if before else previous : line] + text[below:]
            )
        if index + 1 < len(entries):
            return text[:start] + text[entries[index + 1][0] :]
        return text[: entries[index - 1][1]] + text[end:]

    # -- places ----------------------------------------------------------------------------

    def _owner_end(self, found: Found) -> int:
        """Behind the `:` or the dash that a node belongs to."""
        if found.key is not None:
            colon = _COLON.match(self.text, found.key.end)
            return colon.end() if colon else found.key.end
        assert isinstance(found.parent, SequenceNode)
        return self._dash(found.parent, found.index) + 1

    def _column_of_owner(self, found: Found) -> int:
        if found.key is not None:
            return self.source.column(found.key.start)
        assert found.parent is not None
        return self.source.column(found.parent.start)

    def _text_column(self, node: Node) -> int | None:
        """Where the lines of a text under ``|`` begin, so that those that stay keep their place."""
        if not isinstance(node, ScalarNode) or node.style != "literal":
            return None
        body = self.text[self._line_end(node.start) : node.end]
        lines = [line for line in body.splitlines() if line.strip()]
        return len(lines[0]) - len(lines[0].lstrip(" ")) if lines else None

    def _dash(self, sequence: SequenceNode, index: int) -> int:
        """All dashes of a block list stand in one column."""
        column = self.source.column(sequence.start)
        line = self._line_start(sequence.items[index].start)
        while line > 0 and self.text[line + column : line + column + 1] != "-":
            line = self._line_start(line - 1)
        return line + column

    def _visible_end(self, node: Node) -> int:
        if isinstance(node, ScalarNode) and node.style in ("literal", "folded"):
            return node.start + len(self.text[node.start : node.end].rstrip())
        return node.end

    def _line_start(self, offset: int) -> int:
        return self.text.rfind("\n", 0, offset) + 1

    def _line_end(self, offset: int) -> int:
        found = self.text.find("\n", offset)
        if found < 0:
            return len(self.text)
        return found - 1 if self.text[found - 1 : found] == "\r" and found > offset else found

    def _style_of_items(self, sequence: SequenceNode) -> Style:
        last = sequence.items[-1] if sequence.items else None
        if isinstance(last, ScalarNode) and last.style in ("single", "double"):
            return last.style
        return "plain"


def _entries(collection: MappingNode | SequenceNode) -> list[tuple[int, int]]:
    """Where each entry begins and ends."""
    if isinstance(collection, SequenceNode):
        return [(item.start, item.end) for item in collection.items]
    return [(key.start, max(key.end, value.end)) for key, value in collection.entries.values()]
