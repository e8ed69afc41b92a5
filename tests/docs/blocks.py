"""The fenced blocks of a Markdown page, and where each stands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]

GENERATED = ("docs/reference/commands.md", "docs/errors.md", "docs/exit-codes.md")
"""Made from the code; what they show is tested where it is made."""

_FENCE = re.compile(r"^(?P<indent> *)(?P<fence>`{3,})(?P<info>[^`]*)$")


@dataclass(frozen=True, slots=True)
class Block:
    """``words`` are those of the info string after the language, such as ``norun``."""

    page: str
    line: int
    language: str
    words: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def runs(self) -> bool:
        return "norun" not in self.words

    def named(self, name: str) -> str | None:
        """The value of a word ``name=value``."""
        for word in self.words:
            key, equals, value = word.partition("=")
            if equals and key == name:
                return value
        return None


def pages() -> tuple[str, ...]:
    """Every page that a person reads, relative to the root."""
    found = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("*/README.md")]
    return tuple(sorted({path.relative_to(ROOT).as_posix() for path in found}))


def written_pages() -> tuple[str, ...]:
    """Those that people wrote."""
    return tuple(page for page in pages() if page not in GENERATED)


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def blocks_of(page: str) -> tuple[Block, ...]:
    """The fenced blocks of ``page``, in order."""
    found: list[Block] = []
    lines = text_of(page).splitlines()
    at = 0
    while at < len(lines):
        opening = _FENCE.match(lines[at])
        at += 1
        if opening is None:
            continue
        start, indent, fence = at, len(opening["indent"]), opening["fence"]
        while at < len(lines) and lines[at].strip() != fence:
            at += 1
        assert at < len(lines), f"{page}:{start}: a block without an end"
        language, *words = opening["info"].split() or [""]
        body = "".join(line[indent:] + "\n" for line in lines[start:at])
        found.append(Block(page, start, language, tuple(words), body))
        at += 1
    return tuple(found)


def prose_of(page: str) -> str:
    """The page without its fenced blocks."""
    kept: list[str] = []
    fence = ""
    for line in text_of(page).splitlines():
        opening = _FENCE.match(line)
        if fence:
            fence = "" if line.strip() == fence else fence
        elif opening is not None:
            fence = opening["fence"]
        else:
            kept.append(line)
    return "\n".join(kept)
