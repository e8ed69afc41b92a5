"""Columns are counted in terminal cells, not in characters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envsync.rendering import cells


@pytest.mark.parametrize(
    ("text", "width"), [("abc", 3), ("日本", 4), ("e\u0301", 1), ("가나", 4), ("😀", 2), ("", 0)]
)
def test_width(text: str, width: int) -> None:
    assert cells.width(text) == width


@given(st.text(st.sampled_from("ab日e\u0301😀 ")), st.integers(1, 20))
def test_clipped_text_fits(text: str, room: int) -> None:
    assert cells.width(cells.clip(text, room)) <= room


@given(st.text(st.sampled_from("ab日 ")), st.integers(20, 30))
def test_padded_text_is_as_wide_as_asked(text: str, room: int) -> None:
    short = cells.clip(text, room)
    assert cells.width(cells.pad(short, room)) == room


def test_what_was_cut_is_marked() -> None:
    assert cells.clip("abcdef", 4) == "abc…"
    assert cells.clip("日本語", 4) == "日…"


def test_wrapping_keeps_long_words_whole() -> None:
    assert cells.wrap("run envsync-with-a-very-long-name now", 10) == [
        "run",
        "envsync-with-a-very-long-name",
        "now",
    ]
    assert cells.wrap("", 10) == [""]
