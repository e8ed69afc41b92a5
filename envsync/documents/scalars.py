"""What a plain (unquoted) scalar means, or why nobody can say.

Typed are ``true``, ``false``, ``null`` and nothing at all, decimal integers without a leading zero,
and decimals with digits on both sides of the point. What any reader of YAML 1.0, 1.1 or 1.2 in
common use takes for something other than text is ambiguous: two readers of one file would see two
values. Everything else is text.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from envsync.documents.limits import MAX_INTEGER

PlainValue = str | int | float | bool | None


class Ambiguity(Struct, frozen=True):
    """Two readers disagree. ``reading`` completes "some YAML readers take this for ..."."""

    reading: str


class TooLarge(Struct, frozen=True):
    """A number that a JSON reader cannot hold exactly. ``limit`` says which bound it breaks."""

    limit: str


_WORDS: Final[dict[str, PlainValue]] = {"true": True, "false": False, "null": None, "": None}
_INTEGER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)")
_DECIMAL: Final = re.compile(r"-?(?:0|[1-9][0-9]*)\.[0-9]+")

_BOOLEANS: Final = {
    **dict.fromkeys(("y", "yes", "on", "true"), "the boolean true"),
    **dict.fromkeys(("n", "no", "off", "false"), "the boolean false"),
}

# Whatever begins otherwise is text in every reader, so most scalars cost one look.
_SUSPECT: Final = re.compile(r"[0-9+.=~<_-]|(?i:[ynotfi])")

_DATE: Final = r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
_TIME: Final = r"[0-9]{1,2}:[0-9]{1,2}(?::[0-9]{1,2}(?:[.,][0-9]*)?)?"
_ZONE: Final = r"(?:[Zz]|[-+][0-9]{1,2}(?::?[0-9]{2})?)"
_SHAPES: Final[tuple[tuple[str, str], ...]] = (
    (r"(?i:~|null)", "null"),
    (r"(?i:[-+]?\.?(?:inf|infinity))", "infinity"),
    (r"(?i:[-+]?\.?nan)", "not-a-number"),
    (r"<<", "a merge key"),
    (r"=", "the default value of a mapping"),
    (
        _DATE + r"(?:(?:[Tt]|[ \t]+)" + _TIME + r"(?:[ \t]*" + _ZONE + r")?)?",
        "a date",
    ),
    (r"[-+]?0[xX][0-9a-fA-F_,]+", "a hexadecimal number"),
    (r"[-+]?0[bB][01_,]+", "a binary number"),
    (r"[-+]?0[oO][0-7_,]+", "an octal number"),
    (r"[-+]?0[0-7_,]+", "an octal number"),
    (r"[-+]?[0-9][0-9_,]*(?::[0-9]{1,2})+(?:\.[0-9_]*)?", "a number of base 60"),
    (
        r"[-+]?(?:[0-9][0-9_,]*+(?:\.[0-9_,]*+)?|\.[0-9_,]+)[eE][-+]?[0-9_]+",
        "a number with an exponent",
    ),
    (r"[-+]?(?:[0-9]|_+[0-9])[0-9_,]*", "an integer"),
    (r"[-+]?(?:[0-9][0-9_,]*\.[0-9_,]*|\.[0-9_,]+)", "a decimal"),
)
_SHAPE: Final = re.compile("|".join(f"({pattern})" for pattern, _ in _SHAPES))


def read_plain(text: str) -> PlainValue | Ambiguity | TooLarge:
    """The value of a plain scalar whose content is ``text``."""
    if text in _WORDS:
        return _WORDS[text]
    if not _SUSPECT.match(text):
        return text
    if _INTEGER.fullmatch(text):
        # The length is looked at first: turning a million digits into an integer is slow.
        if len(text) > 17 or abs(int(text)) > MAX_INTEGER:
            return TooLarge(f"integers end at {MAX_INTEGER}")
        return int(text)
    if _DECIMAL.fullmatch(text):
        number = float(text)
        return TooLarge("no reader has a number that large") if abs(number) == _INFINITY else number
    return _ambiguity(text) or text


_INFINITY: Final = float("inf")


def _ambiguity(text: str) -> Ambiguity | None:
    reading = _BOOLEANS.get(text.lower())
    if reading is None:
        found = _SHAPE.fullmatch(text)
        if found is None or found.lastindex is None:
            return None
        reading = _SHAPES[found.lastindex - 1][1]
    return Ambiguity(reading)
