# ruff: noqa: E501 (files and messages stand here as they are)
"""Edits splice the bytes that are meant into a person's file and leave all others alone."""

from __future__ import annotations

import pytest

from envsync.documents import parse
from envsync.documents.edits import Edit, Insert, Remove, Set, splice
from envsync.errors import FileError, Position

FILE = """\
# Ours.
kind: pod  # a machine
network: # to the outside
    # asked for by the data team
    allowedHosts:
    - a.example # why
    # the next one is slow
    - "b.example"

setup:
    - command: |  # first
          echo a
          echo b
      cwd: /app
    - command: 'ls'   # list
flow: {cpus: 1, list: [x, z]}
many: [
    a, # first
    b  # second
  ]
none: []
nothing:
last: >-
    folded
    text
# The end.
"""


def changed(*edits: Edit, text: str = FILE, path: str = "x.yaml") -> str:
    """The lines that go (-) and come (+), as a person would see them in a diff."""
    before = text
    after = splice(parse(before.encode(), path), edits).decode()
    old, new = before.splitlines(), after.splitlines()
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    gone = old[head : len(old) - tail]
    come = new[head : len(new) - tail]
    assert before.endswith("\n") == after.endswith("\n")
    return "".join(f"-{line}\n" for line in gone) + "".join(f"+{line}\n" for line in come)


CASES: list[tuple[str, Edit, str]] = [
    ("a scalar keeps its comment",
     Set(("kind",), "virtual"),
     "-kind: pod  # a machine\n+kind: virtual  # a machine\n"),
    ("what would be ambiguous gets quotes",
     Set(("kind",), "no"),
     '-kind: pod  # a machine\n+kind: "no"  # a machine\n'),
    ("quotes stay of their kind",
     Set(("setup", 1, "command"), "it's"),
     "-    - command: 'ls'   # list\n+    - command: 'it''s'   # list\n"),
    ("quotes stay where they are not needed",
     Set(("network", "allowedHosts", 1), "c.example"),
     '-    - "b.example"\n+    - "c.example"\n'),
    ("a text of several lines becomes a block scalar",
     Set(("kind",), "x\ny\n"),
     "-kind: pod  # a machine\n+kind: |  # a machine\n+    x\n+    y\n"),
    ("a block scalar stays one, with the comment of its header",
     Set(("setup", 0, "command"), "one\n  two\n"),
     "-          echo a\n-          echo b\n+          one\n+            two\n"),
    ("the lines of a text that stay keep their place",
     Set(("setup", 0, "command"), "echo a\necho c\n"),
     "-          echo b\n+          echo c\n"),
    ("a block scalar of one line becomes a plain one",
     Set(("setup", 0, "command"), "make"),
     ("-    - command: |  # first\n-          echo a\n-          echo b\n"
     "+    - command: make  # first\n")),
    ("a folded text becomes a literal one",
     Set(("last",), "a\n\nb\n"),
     "-last: >-\n-    folded\n-    text\n+last: |\n+    a\n+\n+    b\n"),
    ("a scalar becomes a mapping in the style of the file",
     Set(("kind",), {"a": [1, {"b": 2.0, "c": []}], "d": {}}),
     ("-kind: pod  # a machine\n+kind:  # a machine\n+    a:\n+    - 1\n+    - b: 2.0\n"
     "+      c: []\n+    d: {}\n")),
    ("a mapping becomes a scalar, and what was said above it stays",
     Set(("network",), "none"),
     ("-network: # to the outside\n-    # asked for by the data team\n-    allowedHosts:\n"
     '-    - a.example # why\n-    # the next one is slow\n-    - "b.example"\n'
     "+network: none # to the outside\n+    # asked for by the data team\n")),
    ("a key without value gets one",
     Set(("nothing",), 3),
     "-nothing:\n+nothing: 3\n"),
    ("a new key stands behind the last one, above the closing comment",
     Set(("zone",), "eu"),
     "+zone: eu\n"),
    ("missing parents are made",
     Set(("resources", "limits", "cpus"), 2.5),
     "+resources:\n+    limits:\n+        cpus: 2.5\n"),
    ("a key that holds nothing becomes a parent",
     Set(("nothing", "a", "b"), True),
     "+    a:\n+        b: true\n"),
    ("a new key in braces",
     Set(("flow", "memory"), "2GiB"),
     "-flow: {cpus: 1, list: [x, z]}\n+flow: {cpus: 1, list: [x, z], memory: 2GiB}\n"),
    ("a value in brackets that needs quotes there",
     Set(("flow", "list", 0), "a, b"),
     '-flow: {cpus: 1, list: [x, z]}\n+flow: {cpus: 1, list: ["a, b", z]}\n'),
    ("a collection in braces",
     Set(("flow", "cpus"), {"min": 1, "max": [2]}),
     "-flow: {cpus: 1, list: [x, z]}\n+flow: {cpus: {min: 1, max: [2]}, list: [x, z]}\n"),
    ("a new item in the style of the others",
     Set(("network", "allowedHosts", 2), "c.example"),
     '+    - "c.example"\n'),
    ("a new item that is a mapping",
     Set(("setup", 2), {"command": "a\nb", "cwd": "/q"}),
     "+    - command: |-\n+          a\n+          b\n+      cwd: /q\n"),
    ("a new item in brackets of several lines",
     Set(("many", 2), "c"),
     "-    b  # second\n+    b,  # second\n+    c\n"),
    ("a list is filled",
     Set(("none", 0), {"a": 1, "b": 2}),
     "-none: []\n+none:\n+- a: 1\n+  b: 2\n"),
    ("a list changes only where it differs",
     Set(("network", "allowedHosts"), ["a.example", "new.example", "b.example"]),
     '+    - "new.example"\n'),
    ("a mapping changes only where it differs",
     Set(("setup", 0), {"command": "echo a\necho b\n", "cwd": "/srv"}),
     "-      cwd: /app\n+      cwd: /srv\n"),
    ("an item goes with its own comment only",
     Remove(("network", "allowedHosts", 0)),
     "-    - a.example # why\n"),
    ("the first key of an item goes, the dash stays",
     Remove(("setup", 0, "command")),
     ("-    - command: |  # first\n-          echo a\n-          echo b\n-      cwd: /app\n"
     "+    - cwd: /app\n")),
    ("a key goes with all its lines",
     Remove(("last",)),
     "-last: >-\n-    folded\n-    text\n"),
    ("a key in braces goes with its comma",
     Remove(("flow", "cpus")),
     "-flow: {cpus: 1, list: [x, z]}\n+flow: {list: [x, z]}\n"),
    ("the first line in brackets goes",
     Remove(("many", 0)),
     "-    a, # first\n"),
    ("the last line in brackets goes",
     Remove(("many", 1)),
     "-    a, # first\n-    b  # second\n+    a # first\n"),
    ("an item goes between two others, below what is said above the second",
     Insert(("network", "allowedHosts", 1), "c.example"),
     '+    - "c.example"\n'),
    ("an item goes before a step of several lines",
     Insert(("setup", 0), {"command": "true"}),
     "+    - command: true\n".replace("true", '"true"')),
    ("a text that only looks odd needs no quotes in a block",
     Set(("kind",), "Basic {base64:{value}:}"),
     "-kind: pod  # a machine\n+kind: Basic {base64:{value}:}  # a machine\n"),
    ("one line with its line end becomes a block scalar",
     Set(("kind",), "x\n"),
     "-kind: pod  # a machine\n+kind: |  # a machine\n+    x\n"),
    ("a key that only looks odd needs no quotes",
     Set((".env.local",), {"*.a": "x"}),
     '+.env.local:\n+    "*.a": x\n'),
    ("the last item leaves brackets",
     Set(("network", "allowedHosts"), []),
     ('-    allowedHosts:\n-    - a.example # why\n-    # the next one is slow\n-    - "b.example"\n'
     "+    allowedHosts: []\n")),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "diff"), [case[1:] for case in CASES], ids=[c[0] for c in CASES])
def test_an_edit(edit: Edit, diff: str) -> None:
    assert changed(edit) == diff


@pytest.mark.parametrize(("edit", "diff"), [case[1:] for case in CASES], ids=[c[0] for c in CASES])
def test_line_ends_and_byte_order_mark_stay(edit: Edit, diff: str) -> None:
    plain = splice(parse(FILE.encode(), "x.yaml"), [edit]).decode()
    source = ("\ufeff" + FILE.replace("\n", "\r\n")).encode()
    assert splice(parse(source, "x.yaml"), [edit]).decode() == "\ufeff" + plain.replace(
        "\n", "\r\n"
    )


def test_what_is_so_already_changes_nothing() -> None:
    document = parse(FILE.encode(), "x.yaml")
    edits = [Set((name,), value) for name, value in document.data.items()]
    assert splice(document, [*edits, Set((), document.data)]) == FILE.encode()


def test_edits_are_carried_out_one_after_the_other() -> None:
    document = parse(b"a:\n  - 1\n", "x.yaml")
    edits = [Set(("a", 1), 2), Remove(("a", 0)), Set(("b",), "x"), Remove(("a", 0))]
    assert splice(document, edits) == b"a: []\nb: x\n"


def test_a_missing_final_line_end_stays_missing() -> None:
    assert splice(parse(b"a: 1", "x.yaml"), [Set(("b",), 2)]) == b"a: 1\nb: 2"
    assert splice(parse(b"a: 1\nb: 2", "x.yaml"), [Remove(("b",))]) == b"a: 1"
    assert splice(parse(b"a: 1\nb: 2", "x.yaml"), [Set(("b",), "x\ny\n")]) == b'a: 1\nb: "x\\ny\\n"'


def test_a_text_that_keeps_its_blank_lines_is_not_torn_apart() -> None:
    source = b"a: |+\n  x\n\n\nb: 1\n"
    assert splice(parse(source, "x.yaml"), [Remove(("b",))]) == b"a: |+\n  x\n\n\n"
    assert splice(parse(b"a: |+\n  x\n\n", "x.yaml"), [Set(("b",), 1)]) == b"a: |+\n  x\n\nb: 1\n"


@pytest.mark.parametrize(
    "value",
    [
        "", " ", "a ", " a", "a: b", "a #b", "#a", "- a", "? a", "*a", "&a", "!a", "%a", "@a", "`a`",
        "[a", "{a", "a]", "'", '"', "a'b", 'a"b', "a\\b", "a\tb", "\t", "a\nb", "a\n\nb\n", "a\n\n",
        "\na", " a\nb", "a\n b", "\n", "a\r\nb", "\x00", "\x7f", "\x85", "\u2028", "\ufeff",
        "\U0001f600", "---", "...", "a:", ":a", "1", "1e3", "no", "~", "2026-11-30", "<<", "=",
        "x" * 3000, 0, -1, 1.5, 1e16, 1e-7, -0.0, True, False, None, [], {}, [[]], [[1], {"a": []}],
        {"": 1, "no": 2, "a b": 3, "a\nb": 4, "1": 5},
    ],
)  # fmt: skip
@pytest.mark.parametrize("path", ["x.yaml", "x.json"])
def test_every_value_can_be_written_everywhere(value: object, path: str) -> None:
    text = FILE
    if path == "x.json":
        text = '{\n  "kind": "pod",\n  "flow": {"list": ["x"], "cpus": 1}\n}\n'
    document = parse(text.encode(), path)
    for pointer in (("kind",), ("new",), ("flow", "list", 0), ("flow", "new"), ("flow", "list", 1)):
        after = parse(splice(document, [Set(pointer, value)]), path).data  # type: ignore[arg-type]
        for part in pointer:
            after = after[part]  # type: ignore[index, call-overload, assignment]
        assert after == value


def test_json_stays_json() -> None:
    text = '{\n  "a": 1,\n  "b": {\n    "c": [1]\n  }\n}\n'
    assert changed(Set(("b", "d"), {"e": ["no"]}), text=text, path="x.json") == (
        '-    "c": [1]\n+    "c": [1],\n+    "d": {\n+      "e": [\n+        "no"\n+      ]\n+    }\n'
    )
    assert changed(Remove(("a",)), text=text, path="x.json") == '-  "a": 1,\n'
    assert changed(Set(("b", "c", 1), "x"), text=text, path="x.json") == (
        '-    "c": [1]\n+    "c": [1, "x"]\n'
    )


SHARED = "a: &x {c: 1}\nb: *x\nd: &y 1\ne: *y\n"
REFUSED: list[tuple[str, Edit, str, Position]] = [
    (SHARED, Set(("b", "c"), 2),
     "`b.c` cannot be edited in place: the alias `*x` stands above it", Position("x.yaml", 1, 11, 1, 12)),
    (SHARED, Set(("a", "c"), 2),
     "`b.c` cannot be edited in place: an alias stands there, and would change with its anchor",
     Position("x.yaml", 1, 11, 1, 12)),
    (SHARED, Remove(("d",)),
     "`d` cannot be edited in place: an alias elsewhere needs the anchor that would go with it",
     Position("x.yaml", 3, 7, 3, 8)),
    (SHARED, Remove(("z",)), "`z` cannot be edited in place: it is not there", Position("x.yaml", 1, 1)),
    (FILE, Remove(("setup", 5)),
     "`setup[5]` cannot be edited in place: the list has 2 items", Position("x.yaml", 10, 1, 10, 6)),
    (FILE, Set(("setup", 5), 1),
     "`setup[5]` cannot be edited in place: the list has 2 items", Position("x.yaml", 10, 1, 10, 6)),
    (FILE, Set(("kind", "x"), 1),
     ("`kind.x` cannot be edited in place: "
     "what holds it is neither a mapping nor a list of that kind"), Position("x.yaml", 2, 1, 2, 5)),
    (FILE, Set(("kind",), float("inf")),
     "`kind` cannot be edited in place: neither YAML's profile nor JSON has infinities",
     Position("x.yaml", 2, 7, 2, 10)),
    (FILE, Set(("kind",), "\ud800"),
     "`kind` cannot be edited in place: half of a surrogate pair is no text",
     Position("x.yaml", 2, 7, 2, 10)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "edit", "message", "position"), REFUSED)
def test_what_cannot_be_spliced_is_left_to_the_person(
    text: str, edit: Edit, message: str, position: Position
) -> None:
    with pytest.raises(FileError) as caught:
        splice(parse(text.encode(), "x.yaml"), [edit])
    (problem,) = caught.value.problems
    assert problem.code == "E122"
    assert problem.message == message
    assert problem.position == position
    assert problem.remedy == "edit the file by hand"


def test_an_alias_itself_can_be_replaced() -> None:
    assert changed(Set(("b",), 2), text=SHARED) == "-b: *x\n+b: 2\n"


def test_what_an_alias_shares_changes_once_where_both_are_to_change() -> None:
    text = "a: &x {c: 1, l: [p, q]}\nb: *x\nd: &y 1\ne: *y\n"
    both = [Set(("a", "c"), 2), Remove(("a", "l", 0)), Set(("b",), {"c": 2, "l": ["q"]})]
    assert changed(*both, text=text) == ("-a: &x {c: 1, l: [p, q]}\n+a: &x {c: 2, l: [q]}\n")
    assert changed(Set(("d",), 2), Set(("e",), 2), text=text) == "-d: &y 1\n+d: &y 2\n"


@pytest.mark.parametrize(
    "value",
    ["a b", "-x", "a#b", "a:b", "Basic {x}", "[x", "x]", "x, y", "a'b", 'a"b', "-O2", "&", "a & b",
     "? x", "- x", "%x", "@a", "x: y", "x #y", "*.a", "no", "0x1", "1.5.0", "é", "'", "~x", "<x>"],
)  # fmt: skip
def test_quotes_stand_exactly_where_the_profile_needs_them(value: str) -> None:
    written = splice(parse(b"k: 1\nl:\n- 1\n", "x.yaml"), [Set(("k",), value)]).decode()
    plain = f"k: {value}\nl:\n- 1\n"
    try:
        needed = parse(plain.encode(), "x.yaml").data != {"k": value, "l": [1]}
        needed = needed or parse(f"l:\n- {value}\n".encode(), "x.yaml").data != {"l": [value]}
    except FileError:
        needed = True
    assert (written != plain) == needed


def test_a_text_keeps_its_own_indentation() -> None:
    text = "a:\n    b: 1\nc: |\n  one\n    two\n"
    assert changed(Set(("c",), "one\n  3\n"), text=text) == "-    two\n+    3\n"
    text = "c: |2\n    one\n   two\n"
    assert changed(Set(("c",), "  one\n 3\n"), text=text) != ""
