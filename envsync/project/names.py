"""Patterns of names and paths, and what a person probably meant by one that is not there."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache


def comparable(name: str) -> str:
    """``name`` as every file system's most forgiving reading has it: NFC and case folded."""
    if name.isascii():
        return name.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def did_you_mean(wanted: str, known: Iterable[str]) -> str:
    """``did you mean `x`?``, or an empty string when nothing known is close."""
    import difflib

    by_folded = {comparable(name): name for name in known}
    close = difflib.get_close_matches(comparable(wanted), list(by_folded), n=1)
    return f"did you mean `{by_folded[close[0]]}`?" if close else ""


@lru_cache(maxsize=256)
def name_pattern(pattern: str) -> re.Pattern[str]:
    """The expression that whole names match: ``*`` is any characters, ``?`` is one."""
    translated = "".join(
        ".*" if char == "*" else "." if char == "?" else re.escape(char) for char in pattern
    )
    return re.compile(translated, re.DOTALL)


def segment_pattern(segment: str) -> re.Pattern[str]:
    """The expression of one folder or file name. ``*`` and ``?`` match no leading dot, so that
    editors' hidden files are never read."""
    hidden = "" if segment.startswith(".") else r"(?!\.)"
    return re.compile(hidden + name_pattern(segment).pattern, re.DOTALL)


@lru_cache(maxsize=256)
def path_pattern(glob: str) -> re.Pattern[str]:
    """The expression of whole relative paths: ``*`` stays within a folder, ``**`` spans them."""
    parts = []
    for segment in glob.split("/"):
        if segment == "**":
            parts.append(r"(?:(?!\.)[^/]+/)*")
            continue
        hidden = "" if segment.startswith(".") else r"(?!\.)"
        inner = "".join(
            "[^/]*" if char == "*" else "[^/]" if char == "?" else re.escape(char)
            for char in segment
        )
        parts.append(f"{hidden}{inner}/")
    expression = "".join(parts)
    if expression.endswith("/"):
        expression = expression[:-1]
    else:
        expression += r"(?!\.)[^/]+"
    return re.compile(expression, re.DOTALL)
