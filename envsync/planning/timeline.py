"""Commits and versions of one object as one line of time.

Which commit said which version is told from their contents and their order: each version comes
from the oldest commit with its content that is no older than the one before it.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from envsync.planning.drift import Same, Word
from envsync.resources.resource import Observed


class Match(Struct, frozen=True):
    """The place of the word (newest first) that said a version. ``put_back``: only commits older
    than what was on the server before said it."""

    word: int
    put_back: bool = False


class Moment(Struct, frozen=True):
    """Places in the versions and the words, newest first; ``None`` where there is none."""

    version: int | None = None
    word: int | None = None


def first_said(words: Sequence[Word]) -> tuple[Word, ...]:
    """``words`` (newest first) without those that say what the one before them said already."""
    return tuple(
        word
        for place, word in enumerate(words)
        if place + 1 == len(words) or words[place + 1].desired.hash != word.desired.hash
    )


def matches(
    words: Sequence[Word], versions: Sequence[Observed], same: Same
) -> tuple[Match | None, ...]:
    """For each version (newest first) the commit that said it; ``None``: no commit did."""
    found: list[Match | None] = []
    at = len(words) - 1
    for version in reversed(versions):
        places = [place for place, word in enumerate(words) if same(word.desired, version)]
        in_order = [place for place in places if place <= at]
        if in_order:
            at = in_order[-1]
            found.append(Match(at))
        else:
            found.append(Match(places[0], put_back=True) if places else None)
    return tuple(reversed(found))


def timeline(
    words: Sequence[Word],
    said_at: Sequence[str],
    versions: Sequence[Observed],
    matched: Sequence[Match | None],
) -> tuple[Moment, ...]:
    """Everything in one order, newest first. ``said_at`` is when each word was committed; like the
    versions' times, ISO 8601 UTC, which sorts as text."""
    moments: list[Moment] = []
    at = 0

    def commits_until(place: int) -> None:
        nonlocal at
        while at < place:
            moments.append(Moment(word=at))
            at += 1

    for number, (version, match) in enumerate(zip(versions, matched, strict=True)):
        if match is not None and not match.put_back:
            commits_until(match.word)
            moments.append(Moment(number, match.word))
            at = max(at, match.word + 1)
            continue
        bound = next(
            (each.word for each in matched[number + 1 :] if each and not each.put_back), len(words)
        )
        while at < bound and version.saved_at and said_at[at] > version.saved_at:
            commits_until(at + 1)
        moments.append(Moment(number, match.word if match else None))
    commits_until(len(words))
    return tuple(moments)
