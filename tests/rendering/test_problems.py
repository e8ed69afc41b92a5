"""A problem shows its line, a caret below the place, and the way out."""

from __future__ import annotations

from envsync.errors import Position, Problem, Severity
from envsync.rendering.problems import problem_lines
from envsync.rendering.text import plain
from tests.conftest import Snapshot
from tests.rendering.samples import HOSTILE, at

LONG = "command: " + "x" * 60 + " here " + "y" * 200


def shown(problem: Problem, source: str | bytes = "", width: int = 80) -> str:
    data = source.encode() if isinstance(source, str) else source
    return plain(problem_lines((problem,), lambda path: data, width))


def test_the_caret_stands_below_the_value() -> None:
    source = "setup:\n" * 13 + "    - no\n"
    problem = Problem(
        "E103",
        "ambiguous plain scalar",
        position=at(14, 7, 9, "manifests/analyst-box.yaml"),
        label="some YAML readers take this for the boolean false",
        remedy='write "no" in quotes',
    )
    assert shown(problem, source) == (
        "error[E103]: ambiguous plain scalar\n"
        "  --> manifests/analyst-box.yaml:14:7\n"
        "   |\n"
        "14 |     - no\n"
        "   |       ^^ some YAML readers take this for the boolean false\n"
        "   |\n"
        '   = write "no" in quotes\n'
    )


def test_every_layout(snapshot: Snapshot) -> None:
    """Tabs, wide characters, combining marks, CRLF, long lines, long numbers, long labels."""
    cases = [
        ("a tab before", "\ta: \tno\n", at(1, 6, 8)),
        ("wide characters", "日本語: 値\n", at(1, 6, 7)),
        ("combining marks", "cafe\u0301: no\n", at(1, 8, 10)),
        ("CRLF", "a: 1\r\nb: no\r\n", at(2, 4, 6)),
        ("only CR", "a: 1\rb: no\r", at(2, 4, 6)),
        ("a byte order mark", "\ufeffa: no\n", at(1, 4, 6)),
        ("a long line, early", LONG, at(1, 1, 8)),
        ("a long line, late", LONG, at(1, 71, 75)),
        ("a long line, at its end", LONG, at(1, len(LONG), len(LONG) + 1)),
        ("all of a long line", LONG, at(1, 10, len(LONG) + 1)),
        ("a wide long line", "日" * 100 + "x" + "本" * 100, at(1, 101, 102)),
        ("the end of the file", "a:\n", at(2, 1)),
        ("past the end of a line", "a:\n", at(1, 9, 12)),
        ("a line that is not there", "a:\n", at(7, 1)),
        ("a point", "a: b\n", at(1, 4)),
        ("several lines", "a: |\n  b\n  c\n", Position("a.yaml", 1, 4, 3, 4)),
        ("line 12345", "\n" * 12344 + "a: no\n", at(12345, 4, 6)),
        ("controls in the file", "a: \x1b[31m\u202eno\n", at(1, 10, 12)),
        ("bytes that are no text", b"a: \xff\xfe no\n", at(1, 7, 9)),
    ]
    texts = []
    for message, source, position in cases:
        problem = Problem("E100", message, position=position, label="here it is")
        texts.append(shown(problem, source))
    snapshot("excerpts", "\n".join(texts))


def test_a_long_message_label_and_remedy(snapshot: Snapshot) -> None:
    problem = Problem(
        "W310",
        "a message that goes on for so long that it does not fit into the eighty columns there are",
        Severity.WARNING,
        at(1, 40, 44),
        label="a label that has no room beside the caret, and goes below it, in as many lines",
        remedy="do this:\n    envsync schema export\nor that",
    )
    snapshot("long", shown(problem, "x" * 39 + "here" + "y" * 10))


def test_related_places_follow() -> None:
    problem = Problem(
        "E102",
        "duplicate key `kind`",
        position=at(3, 1, 5),
        label="the second one",
        related=((at(1, 1, 5), "the first one"),),
    )
    assert shown(problem, "kind: a\nb: c\nkind: d\n") == (
        "error[E102]: duplicate key `kind`\n"
        "  --> a.yaml:3:1\n"
        "   |\n"
        " 3 | kind: d\n"
        "   | ^^^^ the second one\n"
        "   |\n"
        "  ::: a.yaml:1:1\n"
        "   |\n"
        " 1 | kind: a\n"
        "   | ^^^^ the first one\n"
        "   |\n"
    )


def test_a_line_that_holds_a_secret_is_never_shown() -> None:
    problem = Problem("W320", "looks like a token", position=at(1, 8), private=True)
    assert "hunter2" not in shown(problem, "token: hunter2\n")


def test_a_file_that_is_gone_still_has_its_place() -> None:
    problem = Problem("E100", "something", position=at(3, 4), label="here")
    text = plain(problem_lines((problem,), lambda path: None))
    assert text == "error[E100]: something\n  --> a.yaml:3:4\n   | here\n"


def test_hostile_text_is_spelled_everywhere() -> None:
    for text in HOSTILE:
        problem = Problem(
            "E100",
            text,
            position=Position(text, 1, 1),
            label=text,
            remedy=text,
            subject=text,
            related=((Position(text), text),),
        )
        told = shown(problem, text.encode("utf-8", "surrogateescape"))
        assert not set(told) & set("\x1b\x07\u202e\u200b\udcff")
