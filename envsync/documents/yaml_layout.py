"""What stands between the values of a YAML document, held to YAML 1.2.

libyaml passes over white space, comments and line ends more kindly than the specification. Readers
that are strict refuse such files, so they are refused here, each with its place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from envsync.documents.nodes import Node, ScalarNode, Style
from envsync.documents.text import SourceText

if TYPE_CHECKING:
    import yaml

# Comments match first, so that what they say is not looked at.
_GAP: Final = re.compile(r"(?<![^ \t\n])#[^\n]*|(?P<odd>[\t#?])")
_PROPERTIES: Final = re.compile(r"(?:[&!][^\s,\[\]{}]*(?:\s+|(?<=\s)#[^\n]*)*)+")
_TAG: Final = re.compile(r"![^\s,\[\]{}]*")
_HEADER: Final = re.compile(r"[|>]([-+0-9]*)(?: +(?:#[^\n]*)?)?\r?(?:\n|\Z)")
_AFTER_NAME: Final = re.compile(r"[\s,\]}]|\Z")
_DIRECTIVE: Final = re.compile(r"^%[^\r\n]*", re.MULTILINE)
_COLON: Final = re.compile(r" *:")


class Report(Protocol):
    def __call__(
        self,
        code: str,
        message: str,
        start: int,
        end: int = 0,
        *,
        label: str = "",
        remedy: str = "",
    ) -> None: ...


class Mark(Protocol):
    """The place of an event, as either of PyYAML's parsers gives it."""

    @property
    def index(self) -> int: ...


def offset(mark: Mark | None) -> int:
    """Where a mark of the parser stands, in code points. Every event that is read here has one."""
    return 0 if mark is None else mark.index


@dataclass(slots=True)
class Layout:
    source: SourceText
    report: Report
    reached: int = 0
    """Up to where the text between values has been looked at."""
    last_end: int = 0
    """The end of the last value, without the white space that follows it."""

    def directives(self, end: int) -> None:
        """``%YAML 1.2`` says what is so anyway; any other directive changes how to read."""
        for found in _DIRECTIVE.finditer(self.source.text, 0, end):
            if not re.fullmatch(r"%YAML 1\.2(?: +(?:#.*)?)?", found.group()):
                self.report(
                    "E106",
                    "a directive",
                    found.start(),
                    found.end(),
                    remedy="remove the line: files here are YAML 1.2 without directives",
                )

    def root(self, start: int) -> None:
        line = self.source.text.rfind("\n", 0, start) + 1
        if self.source.text.startswith("---", line) and line != start:
            self.report(
                "E101",
                "a mapping or list on the line of `---`",
                start,
                remedy="start it on the next line",
            )

    def content_start(self, event: yaml.NodeEvent) -> int:
        """Where the node itself begins, after its anchor and tag."""
        start = offset(event.start_mark)
        found = _PROPERTIES.match(self.source.text, start)
        if found is None or (event.anchor is None and getattr(event, "tag", None) is None):
            return start
        return found.end()

    def tag(self, event: yaml.NodeEvent) -> tuple[int, int]:
        start = offset(event.start_mark)
        found = _TAG.search(self.source.text, start)
        return (found.start(), found.end()) if found else (start, start)

    def gap(self, start: int) -> None:
        """Looks at the text up to ``start``, where a value begins."""
        if start <= self.reached:
            return
        for found in _GAP.finditer(self.source.text, self.reached, start):
            match found.group("odd"):
                case "\t":
                    self.report(
                        "E112",
                        "a tab between values",
                        found.start(),
                        found.end(),
                        remedy="use spaces; a tab that belongs to a text goes into quotes",
                    )
                case "#":
                    self.report(
                        "E101",
                        "a comment without a space before it",
                        found.start(),
                        found.end(),
                        remedy="put a space before the `#`, or the value in quotes",
                    )
                case "?":
                    self.report(
                        "E110",
                        "an explicit key",
                        found.start(),
                        found.end(),
                        label="`? ` makes any value a key",
                        remedy="write `key: value`",
                    )
                case _:
                    pass
        self.reached = start

    def scalar(self, start: int, end: int, style: Style, indent: int, *, in_flow: bool) -> None:
        self.gap(start)
        self.reached = end
        text = self.source.text
        if style in ("literal", "folded"):
            self._block_scalar(start, end)
            return
        self.last_end = end
        written = text[start:end]
        if style == "plain":
            if "\t" in written:
                at = start + written.index("\t")
                self.report("E112", "a tab in an unquoted value", at, at + 1, remedy="use quotes")
            if written in ("-", "?", ":"):
                self.report(
                    "E101",
                    f"`{written}` alone",
                    start,
                    end,
                    remedy=f'write a value, or "{written}" in quotes',
                )
        if "\n" in written and not in_flow:
            self.lines(start, end, indent)

    def _block_scalar(self, start: int, end: int) -> None:
        text = self.source.text
        self.last_end = start + len(text[start:end].rstrip())
        header = _HEADER.match(text, start)
        if header is None:
            self.report(
                "E101",
                "text on the line of a block scalar's `|` or `>`",
                start,
                start + 1,
                remedy="start the text on the next line",
            )
            return
        content = text[header.end() : end]
        if not content.strip() and " " in content:
            self.report(
                "E101",
                "a block scalar of blank lines",
                start,
                start + 1,
                label="readers disagree about how many lines it has",
                remedy='write "" for an empty text',
            )
        elif content and not content.endswith("\n") and "-" not in header.group(1):
            self.report(
                "E121",
                "the file ends inside a block scalar",
                start,
                start + 1,
                label="readers disagree about whether the text ends with a line feed",
                remedy="end the file with a line feed, or write `|-` for a text without one",
            )

    def anchor(self, event: yaml.ScalarEvent | yaml.CollectionStartEvent) -> None:
        """The parser ends an anchor at the first character that it does not expect in a name."""
        if event.anchor is None:
            return
        start = self.source.text.index("&", offset(event.start_mark))
        end = start + 1 + len(event.anchor)
        if not _AFTER_NAME.match(self.source.text, end):
            self._name(start, end + 1)

    def alias(self, start: int, end: int) -> None:
        self.gap(start)
        self.reached = self.last_end = end
        if not _AFTER_NAME.match(self.source.text, end):
            self._name(start, end + 1)

    def _name(self, start: int, end: int) -> None:
        self.report(
            "E101",
            "a name of an anchor or alias that cannot be read",
            start,
            end,
            remedy="use letters, digits, `-` and `_`; put the value in quotes if it begins with "
            "`*` or `&`",
        )

    def flow_collection(self, start: int, end: int, indent: int) -> None:
        self.gap(end)
        self.last_end = end
        if "\n" in self.source.text[start:end]:
            self.lines(start, end, indent)

    def lines(self, start: int, end: int, indent: int) -> None:
        """Continuation lines stand right of the block collection that they are in."""
        text = self.source.text
        at = text.find("\n", start, end) + 1
        while at > 0:
            next_line = text.find("\n", at, end)
            line = text[at : next_line if next_line >= 0 else end]
            content = line.lstrip(" ")
            column = len(line) - len(content)
            if column <= indent and content.strip() and not content.startswith("#"):
                self.report(
                    "E101",
                    "a line that stands too far left for the value it continues",
                    at + column,
                    at + column + 1,
                    remedy=f"indent it by at least {indent + 1} space{'s' if indent else ''}",
                )
                return
            at = next_line + 1

    def key(self, key: ScalarNode) -> None:
        if "\n" in self.source.text[key.start : key.end]:
            self.report(
                "E110",
                "a key of several lines",
                key.start,
                remedy="write the key on one line",
            )

    def explicit(self, key: ScalarNode) -> bool:
        """Whether the key stands behind a `?`, which the gap before it has reported."""
        return self.source.text[: key.start].rstrip().endswith("?")

    def pair(self, key: ScalarNode, value: Node) -> None:
        """The `:` stands on the key's line."""
        if key.start == key.end or _COLON.match(self.source.text, key.end) or self.explicit(key):
            return
        if isinstance(value, ScalarNode) and value.value is None and value.start == value.end:
            return
        self.report(
            "E110",
            "a key whose `:` is not on its line",
            key.start,
            key.end,
            remedy="write `key: value`",
        )
