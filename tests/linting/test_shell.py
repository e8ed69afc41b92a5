"""The reader of shell scripts: it never fails, and finds what is there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envsync.linting.invocations import invocations
from envsync.linting.shell import read_script

PIECES = st.sampled_from(
    [
        "a",
        " ",
        "\n",
        "'",
        '"',
        "$",
        "$(",
        ")",
        "(",
        "{",
        "}",
        "`",
        "|",
        "||",
        "&",
        "&&",
        ";",
        "\\",
        "#",
        "<<EOF\n",
        "EOF\n",
        "<<-'E'\n",
        ">",
        "<",
        "2>&1",
        "${X}",
        "${X:-",
        "$((",
        "))",
        "if ",
        "sudo ",
        "env ",
        "A=b ",
        "ä",
        "\t",
    ]
)


@given(st.lists(PIECES, max_size=30).map("".join))
def test_no_script_breaks_it(text: str) -> None:
    script = read_script(text)
    if script is None:
        return
    for run in invocations(script):
        for word in (run.name, *run.arguments):
            assert 0 <= word.start < word.end <= len(text)
    for use in script.uses:
        assert text[use.start] == "$"


@pytest.mark.parametrize(
    ("text", "programs"),
    [
        ("a b | c && d || e; f & g", ["a", "c", "d", "e", "f", "g"]),
        ("X=1 Y=$(a) /usr/bin/b", ["a", "b"]),
        ("sudo -u root -n a; env -i X=1 b; timeout 5s c; nohup d", ["a", "b", "c", "d"]),
        ("if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e", "fi"]),
        ("a <(b) > >(c)", ["a", "b", "c"]),
        ("a '$(b)' \"$(c)\" `d`", ["a", "c", "d"]),
        ("a <<EOF\nb\nEOF\nc", ["a", "c"]),
        ("a \\\n  b\nc", ["a", "c"]),
        ("{ a; }; (b; c)", ["a", "}", "b", "c"]),
    ],
)
def test_the_programs_of_a_script(text: str, programs: list[str]) -> None:
    script = read_script(text)
    assert script is not None
    assert sorted(run.program for run in invocations(script) if run.program != "}") == sorted(
        name for name in programs if name != "}"
    )


def test_a_deep_script_is_given_up_on() -> None:
    assert read_script("$(" * 5000 + ")" * 5000) is None
