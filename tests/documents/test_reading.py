"""What the profile reads, and where it says that it stands."""

from __future__ import annotations

import itertools
import json

import pytest

from envsync.contract.json_types import Pointer
from envsync.documents import parse
from envsync.documents.edits import identical
from envsync.documents.guard import trusted
from envsync.documents.scalars import Ambiguity, read_plain
from envsync.errors import FileError, Position

TYPED = [
    ("true", True),
    ("false", False),
    ("null", None),
    ("", None),
    ("0", 0),
    ("-0", 0),
    ("7", 7),
    ("-12", -12),
    ("9007199254740991", 9007199254740991),
    ("0.5", 0.5),
    ("-1.50", -1.5),
    ("10.0", 10.0),
]

TEXTS = [
    "nobody", "yesterday", "onwards", "offset", "nullable", "truely", "Norway",
    "10m", "2048MiB", "5GiB", "7d", "1.2.3", "3.12-slim", "0.0.0.0/0", "127.0.0.1:80",
    "v1", "e3", "0x", "0xZZ", "0o9", "1e", "12e", "a1e3", "1234e567f", "2026-11", "2026-11-30-1",
    "python:3.12", "http://a.example/x?y=z#f", "a#b", "(a)", "$HOME", "/workspace", "./run",
    "--flag", "-x", "...x", "~/x", "+x", "=x", "<<x", "info", "nano", "infinite",
]  # fmt: skip

AMBIGUOUS = [
    *(word for plain in ("y", "n", "yes", "no", "on", "off")
      for word in (plain, plain.upper(), plain.capitalize())),
    "True", "TRUE", "tRuE", "False", "FALSE", "Null", "NULL", "~",
    "0x1f", "0X1F", "-0x1f", "0o17", "0O17", "017", "-017", "00", "08", "0b1", "0B1", "1_000", "_1",
    "1,000", "+1", "+0.5", "1.", "-1.", ".5", "-.5", "1e3", "1E3", "1e+3", "1.5e-3", "1234e567",
    "22:22", "1:2:3", "190:20:30.15", "1_0.5", "00.5", ".inf", "-.Inf", "+.INF", "inf", "Infinity",
    ".nan", ".NaN", "NaN", "=", "<<",
    "2026-11-30", "2026-1-3", "2026-11-30T10:00:00Z", "2026-11-30 10:00:00.5 +1:00",
    "2026-11-30t10:00",
]  # fmt: skip


@pytest.mark.parametrize(("written", "value"), TYPED)
def test_a_plain_scalar_with_a_type(written: str, value: object) -> None:
    data = parse(f"a: {written}\nb:\n  - {written}\n".encode(), "x.yaml").data
    assert identical(data, {"a": value, "b": [value]})


@pytest.mark.parametrize("written", TEXTS)
def test_a_plain_scalar_that_is_text_to_everybody(written: str) -> None:
    assert parse(f"a: {written}\nb: [{written}]\n".encode(), "x.yaml").data == {
        "a": written,
        "b": [written],
    }


@pytest.mark.parametrize("written", AMBIGUOUS)
def test_an_ambiguous_plain_scalar_is_refused_and_quoted_it_is_text(written: str) -> None:
    for text in (f"a: {written}\n", f"a: {{b: {written} }}\n", f"- {written}\n"):
        with pytest.raises(FileError) as caught:
            parse(text.encode(), "x.yaml")
        assert caught.value.code == "E103"
    for quote in "'\"":
        assert parse(f"a: {quote}{written}{quote}\n".encode(), "x.yaml").data == {"a": written}


def test_every_short_plain_scalar_is_read_the_same_by_the_compiled_reader() -> None:
    """Everything of up to three of the characters that numbers and booleans are made of."""
    characters = "eExXoObBinfatruyslNA_0179.+-:%"
    for length in (1, 2, 3):
        for combination in itertools.product(characters, repeat=length):
            word = "".join(combination)
            text = f"a: {word}\nb:\n  - {word}\n  - [{word}]\n"
            if trusted(text.encode()) is None:
                continue
            value = read_plain(word)
            assert not isinstance(value, Ambiguity), word
            data = parse(text.encode(), "x.yaml").data
            assert identical(data, {"a": value, "b": [value, [value]]}), word


COMMON = """\
# The analysts' box.
kind: pod
image: python:3.12   # pinned
resources: {cpus: 2, memory: 4GiB}
network:
  allowedHosts:
    - api.github.com
    - "*.files.example"
setup:
  - command: |
      set -eu

      pip install jq # no: not a comment
    timeout: 10m
  - command: >-
      one
      two
files: []
lifecycle:
"""
COMMON_DATA = {
    "kind": "pod",
    "image": "python:3.12",
    "resources": {"cpus": 2, "memory": "4GiB"},
    "network": {"allowedHosts": ["api.github.com", "*.files.example"]},
    "setup": [
        {"command": "set -eu\n\npip install jq # no: not a comment\n", "timeout": "10m"},
        {"command": "one two"},
    ],
    "files": [],
    "lifecycle": None,
}


@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("head", ["", "---\n"])
def test_the_common_file_takes_the_fast_path(bom: str, line_end: str, head: str) -> None:
    source = (bom + (head + COMMON).replace("\n", line_end)).encode()
    document = parse(source, "x.yaml")
    assert document.fast
    assert document.data == COMMON_DATA
    assert document.source == source


def test_what_the_fast_path_leaves_to_the_exact_reader() -> None:
    for text in ("a: &x b\nc: *x\n", 'a: "\\u00e9"\n', "a:\n  'b\n  c'\n", "a: 1", "a: [b,\n c]\n"):
        assert not parse(text.encode(), "x.yaml").fast


def test_an_alias_is_a_copy_of_its_value() -> None:
    data = parse(b"a: &x [1]\nb: *x\n", "x.yaml").data
    assert data == {"a": [1], "b": [1]}
    assert data["a"] is not data["b"]


def test_json_is_read_as_json() -> None:
    text = '{"a": [1, 1.5, 1e3, true, null, "no", "\\ud83d\\ude00"], "b": {}, "c": []}'
    document = parse(text.encode(), "x.json")
    assert identical(document.data, json.loads(text))
    assert document.position(("a", 2)) == Position("x.json", 1, 16, 1, 19)


PLACES: list[tuple[Pointer, bool, tuple[int, int, int | None, int | None]]] = [
    ((), False, (2, 1, None, None)),
    (("kind",), False, (2, 7, 2, 10)),
    (("kind",), True, (2, 1, 2, 5)),
    (("resources", "memory"), False, (4, 30, 4, 34)),
    (("network", "allowedHosts", 1), False, (8, 7, 8, 24)),
    (("network", "allowedHosts", 1), True, (8, 7, 8, 24)),
    (("setup", 1, "command"), True, (15, 5, 15, 12)),
    (("setup", 0), False, (10, 5, 14, 17)),
    (("lifecycle",), False, (19, 1, 19, 10)),
    (("resources", "disk"), False, (4, 1, 4, 10)),
    (("network", "allowedHosts", 7, "x"), False, (6, 3, 6, 15)),
    (("nothing", "at", "all"), False, (2, 1, None, None)),
]


@pytest.mark.parametrize(("pointer", "key", "place"), PLACES)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_where_a_value_stands(
    pointer: Pointer,
    key: bool,
    place: tuple[int, int, int | None, int | None],
    line_end: str,
    bom: str,
) -> None:
    document = parse((bom + COMMON.replace("\n", line_end)).encode(), "manifests/box.yaml")
    assert document.position(pointer, key=key) == Position("manifests/box.yaml", *place)


def test_columns_count_code_points() -> None:
    document = parse('"\U0001f600é": {é: [\U0001f600, b]}\n'.encode(), "x.yaml")
    assert document.position(("\U0001f600é", "é", 1)) == Position("x.yaml", 1, 15, 1, 16)


def test_places_behind_an_alias_are_those_of_its_value() -> None:
    document = parse(b"a: &x {c: 1}\nb: *x\n", "x.yaml")
    assert document.position(("b",)) == Position("x.yaml", 2, 4, 2, 6)
    assert document.position(("b", "c")) == Position("x.yaml", 1, 11, 1, 12)
