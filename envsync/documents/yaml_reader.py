"""The exact reader: every value of a YAML document with its place, or every reason why not.

The events come from PyYAML's parser (libyaml's where it is compiled in), which reads YAML 1.1 and
is lenient in places. What it reads otherwise than YAML 1.2 is refused, with a position: the line
breaks of 1.1 by ``text``; directives, comments that no space precedes, lines of a flow collection
or quoted scalar that stand too far left, tabs between values by ``yaml_layout``.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

import yaml

from envsync.documents.limits import MAX_ALIASES, MAX_DEPTH, MAX_NODES, MAX_PROBLEMS
from envsync.documents.nodes import (
    AliasNode,
    MappingNode,
    Node,
    ScalarNode,
    SequenceNode,
    Style,
    depth_of,
    size_of,
)
from envsync.documents.scalars import Ambiguity, PlainValue, TooLarge, read_plain
from envsync.documents.syntax_errors import explain
from envsync.documents.text import SourceText
from envsync.documents.yaml_layout import Layout, offset
from envsync.errors import FileError, Problem

_STYLES: Final[dict[str | None, Style]] = {
    None: "plain",
    "": "plain",
    "'": "single",
    '"': "double",
    "|": "literal",
    ">": "folded",
}


def compose(source: SourceText) -> Node:
    """The root node of the one document in ``source``. Raises FileError with all problems that
    can be told apart: a broken structure ends the reading, a doubtful value does not."""
    composer = _Composer(source)
    with suppress(_Stop):
        composer.read()
    if composer.problems:
        raise FileError.of(tuple(sorted(composer.problems, key=_place)))
    if composer.root is None:
        raise FileError(
            "E108",
            "the document is empty",
            position=source.at(0),
            remedy="write its content, or delete the file",
        )
    return composer.root


def _place(problem: Problem) -> tuple[int, int]:
    return (problem.position.line, problem.position.column) if problem.position else (0, 0)


class _Stop(Exception):  # noqa: N818 (it is not an error, it ends the reading)
    """What follows would only repeat the problem."""


@dataclass(slots=True)
class _Open:
    """A mapping or list whose end has not come yet."""

    node: MappingNode | SequenceNode
    anchor: str | None
    indent: int
    """The column of the block collection it is, or stands in: -1 at the top."""
    key: ScalarNode | None = None
    dropped: bool = False
    """The entry that ``key`` begins is wrong already, its value is read and not kept."""


@dataclass(slots=True)
class _Composer:
    source: SourceText
    problems: list[Problem] = field(default_factory=list)
    root: Node | None = None
    stack: list[_Open] = field(default_factory=list)
    anchors: dict[str, Node | None] = field(default_factory=dict)
    """None while the anchored collection is still open."""
    aliases: int = 0
    documents: int = 0
    layout: Layout = field(init=False)

    def __post_init__(self) -> None:
        self.layout = Layout(self.source, self.report)

    def report(
        self,
        code: str,
        message: str,
        start: int,
        end: int = 0,
        *,
        label: str = "",
        remedy: str = "",
    ) -> None:
        self._tell(
            Problem(code, message, position=self.source.at(start, end), label=label, remedy=remedy)
        )

    def _tell(self, problem: Problem) -> None:
        self.problems.append(problem)
        if len(self.problems) >= MAX_PROBLEMS:
            raise _Stop

    def stop(
        self,
        code: str,
        message: str,
        start: int,
        end: int = 0,
        *,
        label: str = "",
        remedy: str = "",
    ) -> _Stop:
        self.report(code, message, start, end, label=label, remedy=remedy)
        return _Stop()

    def read(self) -> None:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(self.source.text)
        try:
            while loader.check_event():
                self._event(loader.get_event())
        except yaml.MarkedYAMLError as error:
            self.problems.append(explain(self.source, error))
        else:
            self.layout.gap(len(self.source.text))
        finally:
            loader.dispose()

    # -- one event each --------------------------------------------------------------------

    def _event(self, event: yaml.Event) -> None:
        match event:
            case yaml.ScalarEvent():
                self._scalar(event)
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                self._start(event)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self._end(event)
            case yaml.AliasEvent():
                self._alias(event)
            case yaml.DocumentStartEvent():
                self._document(event)
            case _:
                pass

    def _document(self, event: yaml.DocumentStartEvent) -> None:
        self.documents += 1
        end = offset(event.end_mark)
        if self.documents > 1:
            raise self.stop(
                "E107",
                "a second document starts here",
                offset(event.start_mark),
                end,
                remedy="keep one document in a file, and move this one into a file of its own",
            )
        self.layout.directives(end)

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        self._properties(event)
        start, end = self.layout.content_start(event), offset(event.end_mark)
        style = _STYLES[event.style]
        if style == "plain" and not event.value:
            # An empty node stands nowhere: after the `:` or `-` that it belongs to.
            end = start = min(offset(event.end_mark), len(self.source.text))
            self.layout.last_end = max(self.layout.last_end, start)
            node = ScalarNode(start, end, None, style)
        else:
            self.layout.scalar(start, end, style, self._indent(), in_flow=self._in_flow())
            value = self._plain(event.value, start, end) if style == "plain" else event.value
            node = ScalarNode(start, end, value, style)
        self._add(node, event.anchor)

    def _plain(self, text: str, start: int, end: int) -> PlainValue:
        value = read_plain(text)
        if isinstance(value, Ambiguity):
            if text == "<<" and self._at_key():
                self.report(
                    "E105",
                    "a merge key",
                    start,
                    end,
                    label="YAML 1.2 has no merge keys, and only some readers carry them out",
                    remedy="write the merged values out, or move them into an overlay",
                )
            else:
                self.report(
                    "E103",
                    "ambiguous plain scalar",
                    start,
                    end,
                    label=f"some YAML readers take this for {value.reading}",
                    remedy=f'write "{text}" in quotes',
                )
            return text
        if isinstance(value, TooLarge):
            self.report(
                "E111",
                "a number that is too large",
                start,
                end,
                label=value.limit,
                remedy="write it in quotes if it is a text",
            )
            return 0
        return value

    def _start(self, event: yaml.MappingStartEvent | yaml.SequenceStartEvent) -> None:
        self._properties(event)
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        start = self.layout.content_start(event)
        if self._at_key():
            what = "mapping" if is_mapping else "list"
            raise self.stop("E110", f"a {what} as a key", start, remedy="keys are text")
        flow = bool(event.flow_style)
        node = MappingNode(start, start, flow) if is_mapping else SequenceNode(start, start, flow)
        if not flow and not self.stack:
            self.layout.root(start)
        indent = self._indent() if flow else self.source.column(start)
        if event.anchor is not None:
            self.anchors[event.anchor] = None
        self.stack.append(_Open(node, event.anchor, indent))
        if len(self.stack) > MAX_DEPTH:
            raise self._too_deep(start)

    def _end(self, event: yaml.MappingEndEvent | yaml.SequenceEndEvent) -> None:
        done = self.stack.pop()
        node = done.node
        node.end = offset(event.end_mark) if node.flow else self.layout.last_end
        if node.flow and not self._in_flow():
            self.layout.flow_collection(node.start, node.end, self._indent())
        self._add(node, done.anchor)

    def _alias(self, event: yaml.AliasEvent) -> None:
        name, start, end = event.anchor or "", offset(event.start_mark), offset(event.end_mark)
        self.layout.alias(start, end)
        if self._at_key():
            raise self.stop("E110", "an alias as a key", start, end, remedy="write the key out")
        self.aliases += 1
        if self.aliases > MAX_ALIASES:
            raise self.stop(
                "E117", f"more than {MAX_ALIASES} aliases", start, end, remedy="write values out"
            )
        target = self.anchors.get(name)
        if target is None:
            if name in self.anchors:
                message, remedy = (
                    f"the alias `*{name}` stands inside its own anchor",
                    "write it out",
                )
            else:
                message = f"the alias `*{name}` has no anchor before it"
                remedy = f"write `&{name}` before the value that it repeats"
            raise self.stop("E119", message, start, end, remedy=remedy)
        if len(self.stack) + depth_of(target) > MAX_DEPTH:
            raise self._too_deep(start)
        self._add(AliasNode(start, end, name, target), None)

    # -- the tree --------------------------------------------------------------------------

    def _at_key(self) -> bool:
        """Whether the next node of the innermost collection is a key."""
        return bool(self.stack) and self.stack[-1].key is None and self._in_mapping()

    def _in_mapping(self) -> bool:
        return isinstance(self.stack[-1].node, MappingNode)

    def _in_flow(self) -> bool:
        return bool(self.stack) and self.stack[-1].node.flow

    def _indent(self) -> int:
        return self.stack[-1].indent if self.stack else -1

    def _add(self, node: Node, anchor: str | None) -> None:
        if anchor is not None:
            self.anchors[anchor] = node
        if not self.stack:
            self.root = node
            return
        parent = self.stack[-1]
        collection = parent.node
        if isinstance(collection, SequenceNode):
            collection.items.append(node)
        elif parent.key is None:
            assert isinstance(node, ScalarNode)  # others were stopped as they began
            self._key(parent, collection, node)
            return
        else:
            self.layout.pair(parent.key, node)
            if not parent.dropped:
                assert isinstance(parent.key.value, str)
                collection.entries[parent.key.value] = (parent.key, node)
            parent.key, parent.dropped = None, False
        collection.size += size_of(node)
        collection.depth = max(collection.depth, 1 + depth_of(node))
        if collection.size > MAX_NODES:
            raise self.stop(
                "E118",
                f"more than {MAX_NODES:,} values",
                node.start,
                label="aliases count as what they stand for",
                remedy="write less into one file",
            )

    def _key(self, parent: _Open, mapping: MappingNode, key: ScalarNode) -> None:
        parent.key = key
        self.layout.key(key)
        if not isinstance(key.value, str):
            parent.dropped = True
            self._not_text(key)
            return
        first = mapping.entries.get(key.value)
        if first is None:
            return
        parent.dropped = True
        place = self.source.at(first[0].start, first[0].end)
        self._tell(
            Problem(
                "E102",
                f"duplicate key `{key.value}`",
                position=self.source.at(key.start, key.end),
                label=f"it stands at line {place.line} already",
                remedy="keep one of the two",
                related=((place, "the first one"),),
            )
        )

    def _not_text(self, key: ScalarNode) -> None:
        if self.layout.explicit(key) or any(
            found.position == self.source.at(key.start, key.end) for found in self.problems
        ):
            return
        written = self.source.text[key.start : key.end]
        self.report(
            "E110",
            f"a key that is not text: `{written}`" if written else "an empty key",
            key.start,
            key.end,
            remedy=f'write "{written}" in quotes' if written else "write the key before the `:`",
        )

    def _properties(self, event: yaml.ScalarEvent | yaml.CollectionStartEvent) -> None:
        self.layout.anchor(event)
        if event.tag is None:
            return
        start, end = self.layout.tag(event)
        self.report("E104", "a tag", start, end, remedy="remove it: values here have no tags")

    def _too_deep(self, start: int) -> _Stop:
        return self.stop(
            "E116", f"nested deeper than {MAX_DEPTH} levels", start, remedy="flatten it"
        )
