"""Strict JSON (RFC 8259) with the place of every value, duplicate names refused."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final

from envsync.documents.limits import MAX_DEPTH, MAX_INTEGER, MAX_NODES, MAX_PROBLEMS
from envsync.documents.nodes import MappingNode, Node, ScalarNode, SequenceNode, depth_of, size_of
from envsync.documents.text import SourceText
from envsync.errors import FileError, Problem

_SPACE: Final = re.compile(r"[ \t\r\n]*")
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?(?![0-9A-Za-z_.+-])")
_WORD: Final = re.compile(r"[-+]?[A-Za-z0-9_.+-]+")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_WORDS: Final[dict[str, bool | None]] = {"true": True, "false": False, "null": None}


def compose(source: SourceText) -> Node:
    """The root node. Raises FileError with the duplicates found so far and the first breach."""
    return _Scanner(source, []).document()


@dataclass(slots=True)
class _Scanner:
    source: SourceText
    duplicates: list[Problem]
    at: int = 0

    def document(self) -> Node:
        self._space()
        if self.at == len(self.source.text):
            raise self._broken("the document is empty", "write an object", code="E108")
        root = self._value(1)
        self._space()
        if self.at != len(self.source.text):
            raise self._broken("text after the end of the document", "remove it")
        if self.duplicates:
            raise FileError.of(tuple(self.duplicates))
        return root

    def _value(self, depth: int) -> Node:
        match self.source.text[self.at : self.at + 1]:
            case "{":
                return self._object(depth)
            case "[":
                return self._array(depth)
            case '"':
                return self._string()
            case _:
                return self._atom()

    def _object(self, depth: int) -> MappingNode:
        node = MappingNode(self.at, self.at, flow=True)
        self._enter(depth)
        while not self._close("}", first=not node.entries):
            if self.source.text[self.at : self.at + 1] != '"':
                raise self._broken("a name in double quotes is missing here", 'write "name": value')
            key = self._string()
            self._space()
            if self.source.text[self.at : self.at + 1] != ":":
                raise self._broken("a `:` is missing here", "write it between name and value")
            self.at += 1
            self._space()
            value = self._value(depth + 1)
            assert isinstance(key.value, str)
            self._keep(node, key, value)
        node.end = self.at
        return node

    def _keep(self, node: MappingNode, key: ScalarNode, value: Node) -> None:
        assert isinstance(key.value, str)
        first = node.entries.get(key.value)
        if first is None:
            node.entries[key.value] = (key, value)
        else:
            place = self.source.at(first[0].start, first[0].end)
            self.duplicates.append(
                Problem(
                    "E102",
                    f"duplicate key `{key.value}`",
                    position=self.source.at(key.start, key.end),
                    label=f"it stands at line {place.line} already",
                    remedy="keep one of the two",
                    related=((place, "the first one"),),
                )
            )
            if len(self.duplicates) >= MAX_PROBLEMS:
                raise FileError.of(tuple(self.duplicates))
        self._grow(node, value)

    def _array(self, depth: int) -> SequenceNode:
        node = SequenceNode(self.at, self.at, flow=True)
        self._enter(depth)
        while not self._close("]", first=not node.items):
            value = self._value(depth + 1)
            node.items.append(value)
            self._grow(node, value)
        node.end = self.at
        return node

    def _grow(self, node: MappingNode | SequenceNode, value: Node) -> None:
        node.size += size_of(value)
        node.depth = max(node.depth, 1 + depth_of(value))
        if node.size > MAX_NODES:
            self.at = value.start
            raise self._broken(
                f"more than {MAX_NODES:,} values", "write less into one file", code="E118"
            )

    def _enter(self, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise self._broken(f"nested deeper than {MAX_DEPTH} levels", "flatten it", code="E116")
        self.at += 1

    def _close(self, bracket: str, *, first: bool) -> bool:
        """Takes the closing bracket, or what stands before the next member."""
        self._space()
        if self.source.text.startswith(bracket, self.at):
            self.at += 1
            return True
        if not first:
            if not self.source.text.startswith(",", self.at):
                raise self._broken(f"a `,` or `{bracket}` is missing here", "write it")
            self.at += 1
            self._space()
            if self.source.text.startswith(bracket, self.at):
                raise self._broken("a `,` after the last value", "remove it")
        return False

    def _string(self) -> ScalarNode:
        found = _STRING.match(self.source.text, self.at)
        if found is None:
            raise self._broken(
                "a text that is not closed, or an escape that JSON does not have",
                'end it with " on its line; escapes are \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX',
            )
        value = json.loads(found.group())
        if _SURROGATE.search(value):
            raise self._broken(
                "half of a surrogate pair", "write the character itself, or both halves"
            )
        self.at = found.end()
        return ScalarNode(found.start(), found.end(), value, "double")

    def _atom(self) -> ScalarNode:
        found = _NUMBER.match(self.source.text, self.at)
        if found is not None:
            return self._number(found)
        word = _WORD.match(self.source.text, self.at)
        text = word.group() if word else self.source.text[self.at : self.at + 1]
        if text in _WORDS:
            start, self.at = self.at, self.at + len(text)
            return ScalarNode(start, self.at, _WORDS[text], "plain")
        if not text or text in "}],:":
            raise self._broken("a value is missing here", "write it")
        raise self._broken(
            f"`{text}` is not JSON",
            "write true, false, null, a number, or text in double quotes",
            length=len(text),
        )

    def _number(self, found: re.Match[str]) -> ScalarNode:
        text = found.group()
        self.at = found.end()
        if found.group(1) is None and found.group(2) is None:
            if len(text) <= 17 and abs(int(text)) <= MAX_INTEGER:
                return ScalarNode(found.start(), self.at, int(text), "plain")
            limit = f"integers end at {MAX_INTEGER}"
        else:
            number = float(text)
            if abs(number) != float("inf"):
                return ScalarNode(found.start(), self.at, number, "plain")
            limit = "no reader has a number that large"
        self.at = found.start()
        raise self._broken(
            "a number that is too large",
            "write it in quotes if it is a text",
            code="E111",
            length=len(text),
            label=limit,
        )

    def _space(self) -> None:
        found = _SPACE.match(self.source.text, self.at)
        assert found is not None  # it matches nothing at least
        self.at = found.end()

    def _broken(
        self, message: str, remedy: str, *, code: str = "E120", length: int = 1, label: str = ""
    ) -> FileError:
        end = min(self.at + length, len(self.source.text))
        problem = Problem(
            code, message, position=self.source.at(self.at, end), label=label, remedy=remedy
        )
        return FileError.of((*self.duplicates, problem))
