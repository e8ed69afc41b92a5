"""Text that others wrote, made harmless before it is shown.

File names, values, messages of a server and names of people may hold anything: terminal
commands, characters that turn the reading direction, characters that nobody sees. Whatever is
shown passes one of these functions. All of them are idempotent, so escaping twice does no harm.
"""

from __future__ import annotations

import json
import re

_UNSEEN = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # control characters: they move the cursor and paint over text
    "\u00ad\u034f\u061c"  # soft hyphen, grapheme joiner, Arabic letter mark
    "\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0"  # letters that have no shape
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f"  # zero width, line separators, direction
    "\ufe00-\ufe0e\ufeff\ufff9-\ufffb"  # variation selectors, byte order mark, annotations
    "\ud800-\udfff"  # lone halves: bytes of a file name that are no UTF-8
    "\U000e0000-\U000e0fff"  # tags and further selectors: whole sentences can hide in them
    "]"
)
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_BACKTICKS = re.compile("`+")
_MARKUP = re.compile(r"[\\`*_{}\[\]()#+!|<>~&@:$]")


def _spelled(match: re.Match[str]) -> str:
    character = match.group()
    if character in _NAMED:
        return _NAMED[character]
    number = ord(character)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def visible(text: str) -> str:
    """``text`` on one line, with every control, direction and unseen character spelled out."""
    return _UNSEEN.sub(_spelled, text)


def visible_lines(text: str) -> list[str]:
    """The lines of ``text``, each one ``visible``; CRLF and CR end a line too."""
    return [visible(line) for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]


def visible_json(document: str) -> str:
    """The same JSON document, but nothing in it can command a terminal: what can't be seen
    stands only inside strings, and there JSON knows an escape for it."""
    return _UNSEEN.sub(_in_json, document)


def _in_json(match: re.Match[str]) -> str:
    character = match.group()
    if character in "\n\t":
        return character
    return json.dumps(character)[1:-1]


def markdown(text: str) -> str:
    """``text`` as running Markdown that shows it literally, also inside a table's cell.

    Markup is given as character references, which no Markdown reader takes for markup. Mentions
    (``@``) and references to other changes (``#``) are looked for in the finished HTML, where a
    character reference is gone already: an empty comment behind the sign stops those.
    """
    return _MARKUP.sub(_referenced, visible(text))


def _referenced(match: re.Match[str]) -> str:
    character = match.group()
    reference = f"&#{ord(character)};"
    return f"{reference}<!-- -->" if character in "@#" else reference


def markdown_code(text: str) -> str:
    """``text`` as Markdown inline code, also inside a table's cell.

    A pipe would end the cell even inside backticks, so that text with one is given as HTML.
    """
    shown = visible(text)
    if not shown.strip():
        return "<code></code>" if not shown else f"<code>{shown.replace(' ', '&#32;')}</code>"
    if "|" in shown:
        return f"<code>{markdown(text)}</code>"
    longest = max((len(run) for run in _BACKTICKS.findall(shown)), default=0)
    fence = "`" * (longest + 1)
    inner = f" {shown} " if shown[0] in "` " or shown[-1] in "` " else shown
    return f"{fence}{inner}{fence}"


def markdown_block(lines: list[str], language: str = "") -> str:
    """``lines`` as a fenced code block whose fence is longer than any run of backticks inside."""
    shown = [visible(line) for line in lines]
    longest = max((len(run) for line in shown for run in _BACKTICKS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}{language}", *shown, fence])


def workflow_value(text: str) -> str:
    """``text`` as the message of a GitHub workflow command, which may have several lines."""
    lines = visible_lines(text)
    return "%0A".join(line.replace("%", "%25") for line in lines)


def workflow_property(text: str) -> str:
    """``text`` as a property (``file=``) of a GitHub workflow command."""
    return visible(text).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
