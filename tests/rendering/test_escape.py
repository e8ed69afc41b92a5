"""Text that files and servers say can't command a terminal, a page or a workflow."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envsync.rendering import escape
from tests.rendering.samples import HOSTILE

ANY_TEXT = st.text(st.characters(codec=None))


@given(ANY_TEXT)
def test_nothing_unseen_is_left(text: str) -> None:
    shown = escape.visible(text)
    assert not [each for each in shown if unicodedata.category(each) in ("Cc", "Cs", "Zl", "Zp")]
    assert not set(shown) & set(
        "\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u2069\u200b\u200d\ufeff"
    )
    shown.encode()


@given(ANY_TEXT)
def test_escaping_twice_changes_nothing(text: str) -> None:
    once = escape.visible(text)
    assert escape.visible(once) == once


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain äöü 日本", "plain äöü 日本"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("a\u200bb", "a\\u200bb"),
        ("\U000e0041", "\\U000e0041"),
        ("\udcff", "\\udcff"),
        ("\x9b31m", "\\x9b31m"),
    ],
)
def test_what_can_t_be_seen_is_spelled(text: str, shown: str) -> None:
    assert escape.visible(text) == shown


def test_lines_end_where_files_say_so() -> None:
    assert escape.visible_lines("a\r\nb\rc\nd\x0be") == ["a", "b", "c", "d\\x0be"]


@given(ANY_TEXT)
def test_markdown_holds_no_markup(text: str) -> None:
    shown = escape.markdown(text).replace("<!-- -->", "")
    assert not set(shown) & set("|<>@`*_[]\n")
    assert "#" not in shown.replace("&#", "")


def test_markdown_mentions_nobody() -> None:
    assert escape.markdown("@alice") == "&#64;<!-- -->alice"
    assert escape.markdown("#12") == "&#35;<!-- -->12"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a", "`a`"),
        ("a`b", "``a`b``"),
        ("`a`", "`` `a` ``"),
        ("a``b`", "``` a``b` ```"),
        ("", "<code></code>"),
        ("a|b", "<code>a&#124;b</code>"),
        ("two\nlines", "`two\\nlines`"),
    ],
)
def test_inline_code_can_t_be_left(text: str, shown: str) -> None:
    assert escape.markdown_code(text) == shown


@given(st.lists(st.text(st.sampled_from("`~ab\n")), max_size=8))
def test_a_fence_is_longer_than_any_inside(lines: list[str]) -> None:
    first, *inner, last = escape.markdown_block(lines, "diff").split("\n")
    fence = first.removesuffix("diff")
    assert last == fence
    assert all(fence not in line for line in inner)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_workflow_command_stays_one_line(text: str) -> None:
    value = escape.workflow_value(text)
    assert "\n" not in value
    assert "\r" not in value
    assert "%0A" in escape.workflow_value("a\nb")
    assert escape.workflow_value("50%0A") == "50%250A"
    assert escape.workflow_property("a,b:c%") == "a%2Cb%3Ac%25"
