"""How a page's console blocks are read and compared."""

from __future__ import annotations

import pytest

from tests.docs.blocks import Block
from tests.docs.sessions import commands_of, difference


def block(text: str) -> Block:
    return Block("page.md", 10, "console", (), text)


def test_a_block_is_commands_with_what_they_show() -> None:
    first, second = commands_of(block("$ one\nshown\n\n  more\n$ two    # exit 4\n"))
    assert (first.text, first.exit_code, first.shown) == ("one", 0, ("shown", "", "  more"))
    assert (second.exit_code, second.shown, second.where) == (4, (), "page.md:15")


def test_a_command_may_go_on() -> None:
    (command,) = commands_of(block("$ cat <<END  # exit 3\n> a\n> END\na\n"))
    assert command.text == "cat <<END  # exit 3\na\nEND"
    assert (command.exit_code, command.shown) == (3, ("a",))


@pytest.mark.parametrize(
    ("shown", "real"),
    [
        (("saved  v1",), "saved v1\n"),
        (("In sync (38 ms)",), "In sync (1,204 ms)"),
        (
            ("hash 9f31c2aa", "at 2026-11-30T01:59:29.765Z"),
            "hash 0123abcd\nat 2027-01-01T00:00:00Z",
        ),
        (("a", "...", "d"), "a\nb\nc\nd"),
        (("...", "d"), "a\nd"),
        (("a", "..."), "a\nb"),
    ],
)
def test_what_may_differ_from_run_to_run(shown: tuple[str, ...], real: str) -> None:
    assert difference(shown, real) == ""


@pytest.mark.parametrize(
    ("shown", "real"),
    [
        (("saved v1",), "saved v2"),
        (("a",), "a\nb"),
        (("a", "b"), "a"),
        (("a", "c"), "a\nb\nc"),
        (("a", "...", "d"), "a\nb"),
        (("a", "...", "b"), "a\nb\nc"),
    ],
)
def test_what_may_not(shown: tuple[str, ...], real: str) -> None:
    assert difference(shown, real)
