"""How a value is written: as YAML in the style of the file around it, or as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from math import isfinite
from typing import Final

from msgspec import Struct

from envsync.contract.json_types import Json
from envsync.documents.nodes import Data, Style, data_of
from envsync.documents.scalars import read_plain
from envsync.documents.text import FORBIDDEN, SourceText
from envsync.documents.yaml_reader import compose
from envsync.errors import FileError

_PLAIN_KEY: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
_PLAIN: Final = re.compile(
    r"[A-Za-z0-9_/$(.](?:[^\s:#,\[\]{}]|:(?=[^\s,\[\]{}])|(?<! )#| (?=[^ #:]))*"
)
_UNWRITABLE: Final = re.compile("[\ud800-\udfff]")


class Written(Struct, frozen=True):
    """A value that begins on one line (``head``) and goes on below it (``body``, whole lines)."""

    head: str
    body: tuple[str, ...] = ()


class Phrasing(Struct, frozen=True):
    """``step`` is how far a mapping stands right of its key, ``list_offset`` how far a list."""

    is_json: bool = False
    step: int = 2
    list_offset: int = 2

    def key(self, name: str) -> str:
        """A key of a block mapping or inside braces."""
        if not self.is_json and _PLAIN_KEY.fullmatch(name) and read_plain(name) == name:
            return name
        return _double(name)

    def block_key(self, name: str) -> str:
        """A key on a line of its own, where more can stand without quotes."""
        return name if not self.is_json and is_plain_key(name) else self.key(name)

    def inline(self, value: Json, style: Style = "plain") -> str:
        """``value`` on one line; a text in quotes like ``style`` where that can be."""
        match value:
            case str():
                return self._text(value, style)
            case Mapping():
                pairs = (f"{self.key(name)}: {self.inline(one)}" for name, one in value.items())
                return "{" + ", ".join(pairs) + "}"
            case Sequence():
                return "[" + ", ".join(self.inline(one) for one in value) + "]"
            case _:
                return _atom(value)

    def tree(self, value: Json, indent: int, newline: str) -> str:
        """``value`` as JSON of several lines, the first one written at ``indent`` already."""
        text = FORBIDDEN.sub(_escaped, json.dumps(value, ensure_ascii=False, indent=self.step))
        return text.replace("\n", newline + " " * indent)

    def written(
        self, value: Json, indent: int, style: Style = "plain", text_column: int | None = None
    ) -> Iterator[Written]:
        """The ways to write ``value`` in block style, the nicest first. ``indent`` is the column
        of the key or the dash that it belongs to, ``text_column`` that of a text under ``|`` where
        there is one already."""
        if isinstance(value, str):
            quoted = style in ("single", "double")
            if "\n" in value and (not quoted or "\n" in value.rstrip("\n")):
                column = indent + self.step if text_column is None else text_column
                literal = _literal(value, column)
                if literal:
                    yield literal
            if not self.is_json and not quoted and is_plain_text(value):
                yield Written(value)
            yield Written(self._text(value, style))
            yield Written(_double(value))
        elif isinstance(value, Mapping | Sequence) and value:
            offset = self.step if isinstance(value, Mapping) else self.list_offset
            yield Written("", tuple(self.lines(value, indent + offset)))
        else:
            yield Written(self.inline(value))

    def lines(self, value: Json, indent: int) -> Iterator[str]:
        """A collection that is not empty, as block lines at ``indent``."""
        if isinstance(value, Mapping):
            for name, one in value.items():
                yield from self.entry(name, one, indent)
        elif isinstance(value, Sequence) and not isinstance(value, str):
            for one in value:
                yield from self.item(one, indent)

    def entry(self, name: str, value: Json, indent: int) -> Iterator[str]:
        written = next(self.written(value, indent))
        yield f"{' ' * indent}{self.block_key(name)}: {written.head}".rstrip(" ")
        yield from written.body

    def item(self, value: Json, indent: int, style: Style = "plain") -> Iterator[str]:
        if isinstance(value, Mapping | Sequence) and not isinstance(value, str) and value:
            first, *rest = self.lines(value, indent + 2)
            yield f"{' ' * indent}- {first[indent + 2 :]}"
            yield from rest
        else:
            written = next(self.written(value, indent, style))
            yield f"{' ' * indent}- {written.head}"
            yield from written.body

    def _text(self, value: str, style: Style) -> str:
        if self.is_json or style == "double":
            return _double(value)
        if style == "single" and not re.search(r"[\n\t]", value) and not FORBIDDEN.search(value):
            return "'" + value.replace("'", "''") + "'"
        if _PLAIN.fullmatch(value) and read_plain(value) == value and not FORBIDDEN.search(value):
            return value
        return _double(value)


@lru_cache(maxsize=4096)
def is_plain_text(value: str) -> bool:
    """Whether ``value`` needs no quotes where it is the whole value of a block entry: whether the
    profile reads it back from its letters alone."""
    if not value or value != value.strip(" ") or "\n" in value or "\r" in value:
        return False
    if _PLAIN.fullmatch(value) and not FORBIDDEN.search(value):
        return read_plain(value) == value
    return _reads_back(f"k: {value}\nl:\n- {value}\n", {"k": value, "l": [value]})


@lru_cache(maxsize=1024)
def is_plain_key(name: str) -> bool:
    """The same of a key in a block mapping."""
    if not name or name != name.strip(" ") or "\n" in name or "\r" in name:
        return False
    return _reads_back(f"{name}: 1\n", {name: 1})


def _reads_back(text: str, expected: dict[str, Data]) -> bool:
    if FORBIDDEN.search(text) or _UNWRITABLE.search(text):
        return False
    try:
        return data_of(compose(SourceText("", text, has_bom=False))) == expected
    except FileError:
        return False


def _atom(value: Json) -> str:
    if isinstance(value, float):
        if not isfinite(value):
            raise ValueError("neither YAML's profile nor JSON has infinities")
        text = format(Decimal(repr(value)), "f")
        return text if "." in text else f"{text}.0"
    return json.dumps(value)


def _double(value: str) -> str:
    if _UNWRITABLE.search(value):
        raise ValueError("half of a surrogate pair is no text")
    text = json.dumps(value, ensure_ascii=False)
    return FORBIDDEN.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found.group()):04x}"


def _literal(value: str, indent: int) -> Written | None:
    """``value`` under ``|``, when that says exactly it."""
    if FORBIDDEN.search(value) or "\r" in value or not value.strip() or value[0] in " \n\t":
        return None
    if not value.endswith("\n"):
        header, lines = "|-", value.split("\n")
    else:
        header, lines = "|+" if value.endswith("\n\n") else "|", value[:-1].split("\n")
    return Written(header, tuple(" " * indent + line if line else "" for line in lines))
