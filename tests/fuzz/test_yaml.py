# ruff: noqa: E501 (tables of texts)
"""YAML by the thousand: both readers say the same, and an edit changes exactly one path.

The texts look like what people write, and like what they write wrong.
``ENVSYNC_FUZZ_EXAMPLES`` says how many of each to try.
"""

from __future__ import annotations

import copy
import os
from typing import Any

from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from envsync.contract.json_types import Json, Pointer
from envsync.documents import parse
from envsync.documents.edits import Remove, Set, identical, splice
from envsync.documents.fast_reader import read
from envsync.documents.nodes import data_of
from envsync.documents.text import decode
from envsync.documents.yaml_reader import compose
from envsync.errors import FileError

SETTINGS = settings(
    max_examples=int(os.environ.get("ENVSYNC_FUZZ_EXAMPLES", "200")),
    deadline=None,
    suppress_health_check=list(HealthCheck),
    database=None,
)

SAFE_KEYS = ["a", ".env", "image", "a.b", "x/y", "X-Y", "_z", '"q"', "'s'", '"no"', "'a b'"]
ODD_KEYS = [
    ".inf",
    "no",
    "y",
    "on",
    "null",
    "true",
    "1",
    "é",
    "a b",
    "nan",
    "_0",
    "<<",
    "*x",
    "&x k",
    "? k",
    "-",
]
SAFE_VALUES = [
    "x", "false", "null", "1", "0", "-1", "1.50", "999999999999999", "x #c", "x#y", "x:y", "15m",
    "2GiB", "http://h.example/p", '"d"', '"a\\nb"', '"a\\"b"', "'it''s'", "'a #b'", '"a: b"', "[]",
    "{}", "[a, b]", "[a,b]", "[ 1 , 15m ]", "{a: b, c: [d]}", "[a] #c", "a'b", "x  ", "no thanks",
    "(x)", "/x", "[\"a\",'b']", "[a b, c d]", "15m # c", '""', "''", "x,y", "x# y", "{a: 'b'}",
    "nulls", ".config/x", "./x", "",
]  # fmt: skip
ODD_VALUES = [
    "no", ".inf", ".NaN", "~", "-0", "-0.0", "1e3", "0x1F", "010", "1_0", "+1", ".5", "1.", "10:20", "2024-01-01",
    "x: y", "a:", "1E", "0s", '"\\u00e9"', "'x'y", '"x" y', "[no]", "[a: b]", "{a: no}", "{a}",
    "{a: }", "[a, ]", "[ , ]", "[a,, b]", "{a: b, a: c}", '{"a":1}', "[a:b]", "[a #c", "[a]#c",
    "[a, [b]]", "> x", "*x", "&x y", "!t x", "=", "<<", "@x", "%x", "-", "- x", "? x", "x\ty", "é",
    "\U0001f600 x", "--x", "./x", "inf", "NaN", "Null", "TRUE", "[true]", "123abc", "{a: 'b', \"c\": d}",
    "9999999999999999", "x :y", "x:# y", "x :#y", '"\\/"', '"a\\tb"', "1#c", "true#c", "'' # c", "x]",
    "[a?b]", "[a&b]", "[a'b]", "[a/b:c]", "#c", "# c", "|#c", "|2",
]  # fmt: skip
ODD_LINES = [
    "text", "- ", "-", "---", "...", "%YAML 1.2", "\tx", "x: y: z", "key", "- - a", "-  a: 1", "]", "}",
    "-a", "if [ ! -f x ]; then", "  x", ": x", "'", "   # c: no",
]  # fmt: skip
SPLINTERS = [
    " ", "  ", "\n", "#", " #", ":", ": ", "-", "- ", ",", "[", "]", "{", "}", "'", '"', "|", ">", "&",
    "*", "!", "no", "x", "0", ".", "\t", "\r\n", "\r", "\u2028", "é", "\\", "",
]  # fmt: skip
BLOCK_LINES = ["x", "x y", "no", "# c", "a: b", "  w", "x   ", "- z", " ", "'", "x: |"]


@st.composite
def _block(draw: st.DrawFn, indent: int, depth: int, *, odd: bool) -> list[str]:
    """The lines of a mapping at ``indent``."""
    keys = draw(
        st.lists(
            st.sampled_from(SAFE_KEYS + (ODD_KEYS if odd else [])),
            min_size=1,
            max_size=4,
            unique=not odd,
        )
    )
    values = st.sampled_from(SAFE_VALUES + (ODD_VALUES if odd else []))
    lines: list[str] = []
    for key in keys:
        lead = " " * indent + key + ":"
        kind = draw(st.integers(0, 9)) if depth else draw(st.integers(0, 5))
        if kind < 4:
            lines.append(f"{lead} {draw(values)}")
        elif kind < 6:
            lines += draw(_text(lead, indent))
        elif kind < 8:
            lines.append(lead)
            step = draw(st.sampled_from([2, 2, 4, 1]))
            lines += draw(_block(indent + step, depth - 1, odd=odd))
        else:
            lines.append(lead)
            lines += draw(_list(indent + draw(st.sampled_from([0, 2, 4])), depth - 1, odd=odd))
        if odd or draw(st.integers(0, 9)) == 0:
            lines.append(draw(st.sampled_from(["", "  ", "# c", " " * (indent + 3) + "# c"])))
    return lines


@st.composite
def _list(draw: st.DrawFn, indent: int, depth: int, *, odd: bool) -> list[str]:
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.integers(0, 3))
        if kind == 0 and depth > 0:
            item = draw(_block(indent + 2, depth - 1, odd=odd))
            lines += [" " * indent + "- " + item[0][indent + 2 :], *item[1:]]
        elif kind == 1:
            lines += draw(_text(" " * indent + "-", indent))
        else:
            pool = SAFE_VALUES + (ODD_VALUES if odd else [])
            lines.append(" " * indent + "- " + draw(st.sampled_from(pool)))
    return lines


@st.composite
def _text(draw: st.DrawFn, lead: str, indent: int) -> list[str]:
    """A block scalar, sometimes with lines that stand too far left."""
    header = draw(st.sampled_from(["|", ">", "|-", ">-", "|+", ">+"]))
    column = indent + draw(st.sampled_from([1, 2, 2, 4]))
    body = st.one_of(
        st.sampled_from(BLOCK_LINES).map(lambda line: " " * column + line),
        st.just(""),
        st.integers(0, column).map(lambda width: " " * width),
    )
    first = " " * column + draw(st.sampled_from(["x", "x y", "# c", "a: no"]))
    return [f"{lead} {header}", first, *draw(st.lists(body, max_size=4))]


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Documents inside the profile, or nearly."""
    return "\n".join(draw(_block(0, 2, odd=False))) + "\n"


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Documents inside the profile and outside of it, whole and broken."""
    lines = draw(_block(0, 2, odd=draw(st.booleans())))
    if draw(st.integers(0, 3)) == 0:
        line = draw(st.sampled_from(ODD_LINES + ODD_VALUES + SAFE_VALUES))
        indent = " " * draw(st.integers(0, 5))
        lines.insert(draw(st.integers(0, len(lines))), indent + line)
    text = "\n".join(lines) + "\n"
    if draw(st.booleans()):
        at = draw(st.integers(0, len(text)))
        width = draw(st.integers(0, 2))
        text = text[:at] + draw(st.sampled_from(SPLINTERS)) + text[at + width :]
    head = draw(st.sampled_from(["", "", "", "", "---\n", "\ufeff"]))
    return head + (text.replace("\n", "\r\n") if draw(st.integers(0, 9)) == 0 else text)


@SETTINGS
@given(texts())
def test_the_two_readers_agree(text: str) -> None:
    data = text.encode()
    fast = read(data)
    event("fast" if fast is not None else "exact")
    if fast is not None:
        assert identical(fast, data_of(compose(decode(data, "x.yaml"))))


WORDS = st.sampled_from(
    ["x", "no", "a: b", "x\ny\n", "x\ny", "1", "", " x", "*.a.example", "é", "a\n\n"]
)
VALUES: st.SearchStrategy[Json] = st.recursive(
    WORDS | st.integers(-5, 10**12) | st.booleans() | st.none() | st.floats(-1e6, 1e6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=3)
    ),
    max_leaves=5,
)


def paths(value: object, here: Pointer = ()) -> list[Pointer]:
    found = [here] if here else []
    if isinstance(value, dict):
        for name, one in value.items():
            found += paths(one, (*here, name))
    elif isinstance(value, list):
        for index, one in enumerate(value):
            found += paths(one, (*here, index))
    return found


def holder(data: Any, pointer: Pointer) -> Any:
    for part in pointer[:-1]:
        data = data[part]
    return data


def dressed(text: str, line_end: str, bom: str, final: bool) -> bytes:
    body = text if final else text.removesuffix("\n")
    return (bom + body.replace("\n", line_end)).encode()


LAYOUT = {
    "line_end": st.sampled_from(["\n", "\r\n"]),
    "bom": st.sampled_from(["", "\ufeff"]),
    "final": st.booleans(),
}


def check(source: bytes, edit: Set | Remove, expected: object) -> None:
    document = parse(source, "x.yaml")
    changed: bytes | None
    code = ""
    try:
        changed = splice(document, [edit])
    except FileError as error:
        event("refused")
        code = error.code
        changed = None
    if changed is None:
        assert code == "E122"
        return
    event("spliced")
    assert identical(parse(changed, "x.yaml").data, expected)
    assert changed.startswith(b"\xef\xbb\xbf") == source.startswith(b"\xef\xbb\xbf")
    if b"\r\n" in source:
        assert changed.count(b"\n") == changed.count(b"\r\n")
    else:
        assert b"\r" not in changed


@SETTINGS
@given(st.data(), documents(), VALUES, st.fixed_dictionaries(LAYOUT))
def test_setting_changes_one_path(data: st.DataObject, text: str, value: Json, layout: Any) -> None:
    source = dressed(text, **layout)
    try:
        document = parse(source, "x.yaml")
    except FileError:
        assume(False)
        raise
    pointer = data.draw(st.sampled_from([*paths(document.data), ("new",), ("new", "below")]))
    expected = copy.deepcopy(document.data)
    if pointer == ("new", "below"):
        expected["new"] = {"below": value}  # type: ignore[dict-item]
    else:
        holder(expected, pointer)[pointer[-1]] = value
    check(source, Set(pointer, value), expected)


@SETTINGS
@given(st.data(), documents(), st.fixed_dictionaries(LAYOUT))
def test_removing_takes_one_path(data: st.DataObject, text: str, layout: Any) -> None:
    source = dressed(text, **layout)
    try:
        document = parse(source, "x.yaml")
    except FileError:
        assume(False)
        raise
    pointer = data.draw(st.sampled_from(paths(document.data)))
    expected = copy.deepcopy(document.data)
    del holder(expected, pointer)[pointer[-1]]
    check(source, Remove(pointer), expected)


@SETTINGS
@given(st.data(), documents())
def test_setting_a_scalar_keeps_every_comment(data: st.DataObject, text: str) -> None:
    document = parse(text.encode(), "x.yaml") if parses(text) else None
    assume(document is not None)
    assert document is not None
    scalars = [
        pointer
        for pointer in paths(document.data)
        if not isinstance(holder(document.data, pointer)[pointer[-1]], dict | list | str)
    ]
    assume(scalars)
    pointer = data.draw(st.sampled_from(scalars))
    changed = splice(document, [Set(pointer, "changed")]).decode()
    assert len(changed.splitlines()) == len(text.splitlines())
    differing = [
        (old, new)
        for old, new in zip(text.splitlines(), changed.splitlines(), strict=True)
        if old != new
    ]
    assert len(differing) == 1
    assert "changed" in differing[0][1]
    assert differing[0][0].partition(" #")[2] == differing[0][1].partition(" #")[2]


def parses(text: str) -> bool:
    try:
        parse(text.encode(), "x.yaml")
    except FileError:
        return False
    return True
