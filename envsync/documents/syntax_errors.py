"""The YAML parser's complaints in words that say what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from envsync.documents.text import SourceText
from envsync.errors import Position, Problem

if TYPE_CHECKING:
    import yaml


class _Saying(Struct, frozen=True):
    message: str
    remedy: str
    code: str = "E101"
    at_context: bool = False
    """The place where the construct began says more than the one where the parser gave up."""


_DIRECTIVE: Final = _Saying(
    "a directive",
    "remove the line: files here are YAML 1.2 without directives",
    "E106",
    at_context=True,
)
_BEHIND: Final = _Saying(
    "text behind a value that has ended", "put the whole value into one pair of quotes"
)
_TAG: Final = _Saying("a tag", "remove the tag: values here have no tags", "E104")

_SAYINGS: Final[dict[str, _Saying]] = {
    "mapping values are not allowed": _Saying(
        "a `:` that cannot stand here",
        "indent the line like its neighbours, or put the value in quotes if the `:` belongs to it",
    ),
    "found unexpected ':'": _Saying(
        "a `:` that cannot stand here", "put a space after it, or the value in quotes"
    ),
    "mapping keys are not allowed": _Saying(
        "a key that cannot stand here", "indent it like its neighbours"
    ),
    "block sequence entries are not allowed": _Saying(
        "a list item that cannot stand here", "start the list on a line of its own"
    ),
    "could not find expected ':'": _Saying(
        "a key without `:`",
        "write `key: value`, or indent the line if it continues a text",
        at_context=True,
    ),
    "did not find expected key": _Saying(
        "a line that does not fit into its mapping", "indent it like the other keys"
    ),
    "did not find expected '-' indicator": _Saying(
        "a line that does not fit into its list", "indent it like the other items, with `- `"
    ),
    "did not find expected ',' or ']'": _Saying(
        "a list in brackets that is not closed", "put `,` between items and `]` at the end"
    ),
    "did not find expected ',' or '}'": _Saying(
        "a mapping in braces that is not closed", "put `,` between entries and `}` at the end"
    ),
    "did not find expected node content": _Saying(
        "a value is missing here", "write the value, or `null`"
    ),
    "did not find expected <document start>": _Saying(
        "text after the end of the document", "indent it so that it belongs to the document"
    ),
    "found unexpected end of stream": _Saying(
        "a quote that is never closed", "close it", at_context=True
    ),
    "found unexpected document indicator": _Saying(
        "a document marker inside quoted text", "close the quote, or indent the line"
    ),
    "found unknown escape character": _Saying(
        "an escape that YAML does not have", "write `\\\\` for a backslash, or use single quotes"
    ),
    "did not find expected hexdecimal number": _Saying(
        "an escape without its hexadecimal digits",
        "write \\xXX, \\uXXXX or \\UXXXXXXXX",
    ),
    "found invalid Unicode character escape code": _Saying(
        "an escape of something that is no character",
        "write characters beyond U+FFFF as they are, or as \\UXXXXXXXX",
    ),
    "found a tab character where": _Saying(
        "a tab in the indentation of a block scalar",
        'indent with spaces; write a text that begins with a tab in double quotes, as "\\t"',
        "E112",
    ),
    "found a tab character": _Saying("a tab in the indentation", "indent with spaces", "E112"),
    "found an indentation indicator equal to 0": _Saying(
        "an indentation indicator of 0", "write 1 to 9, or leave it out"
    ),
    "did not find expected comment or line break": _Saying(
        "text on the line of a block scalar's `|` or `>`", "start the text on the next line"
    ),
    "found undefined tag handle": _TAG,
    "found incompatible YAML document": _DIRECTIVE,
    "found duplicate %": _DIRECTIVE,
}

_BY_CONTEXT: Final[dict[str, _Saying]] = {
    "while scanning a directive": _DIRECTIVE,
    "while scanning a %": _DIRECTIVE,
    "while scanning a tag": _TAG,
    "while parsing a tag": _TAG,
    "while scanning an alias": _Saying(
        "a value that begins with `*` is an alias, and this one has no name",
        'put the value in quotes: "*.example"',
        at_context=True,
    ),
    "while scanning an anchor": _Saying(
        "a value that begins with `&` is an anchor, and this one has no name",
        "put the value in quotes",
        at_context=True,
    ),
}

_BEGINNINGS: Final = {
    "while parsing a flow sequence": "the list begins here",
    "while parsing a flow mapping": "the mapping begins here",
    "while parsing a block collection": "the list begins here",
    "while parsing a block mapping": "the mapping begins here",
    "while scanning a block scalar": "the text begins here",
}


def explain(source: SourceText, error: yaml.MarkedYAMLError) -> Problem:
    """What the parser met, where, and what to do."""
    problem = error.problem or "the structure cannot be read"
    context = error.context or ""
    mark = error.problem_mark or error.context_mark
    offset = min(mark.index, len(source.text)) if mark else 0
    saying = _saying(problem, context, source.text[offset : offset + 1])
    line = source.text[offset - source.column(offset) : offset]
    if problem.startswith("did not find expected key") and line.strip(" -"):
        saying = _BEHIND
    related: tuple[tuple[Position, str], ...] = ()
    began = error.context_mark.index if error.context_mark else offset
    if began < offset:
        at_end = not source.text[offset:].strip()
        if saying.at_context or (at_end and context.startswith("while parsing a flow")):
            offset = began
        elif context in _BEGINNINGS:
            related = ((source.at(began), _BEGINNINGS[context]),)
    return Problem(
        saying.code,
        saying.message,
        position=source.at(offset, _visible_end(source.text, offset)),
        remedy=saying.remedy,
        related=related,
    )


def _saying(problem: str, context: str, character: str) -> _Saying:
    if problem.startswith("found character that cannot start any token"):
        if character == "\t":
            return _Saying("a tab in the indentation", "indent with spaces", "E112")
        name = "a backtick" if character == "`" else f"`{character}`"
        return _Saying(f"a value cannot begin with {name}", "put the value in quotes")
    for begin, saying in _BY_CONTEXT.items():
        if context.startswith(begin):
            return saying
    for begin, saying in _SAYINGS.items():
        if problem.startswith(begin):
            return saying
    return _Saying(f"broken YAML: {problem}", "check the indentation and the quotes around here")


def _visible_end(text: str, offset: int) -> int:
    """One character, or none at the end of a line."""
    return offset + 1 if offset < len(text) and text[offset] not in "\r\n" else offset
