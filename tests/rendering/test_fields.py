"""What changed in a field, on one line where that is enough."""

from __future__ import annotations

from envsync.contract.json_types import Json
from envsync.planning.plan import FieldChange, FieldOp
from envsync.rendering.fields import field_lines
from envsync.rendering.text import plain
from envsync.rendering.values import value_lines

ADD, REMOVE, REPLACE = FieldOp.ADD, FieldOp.REMOVE, FieldOp.REPLACE


def shown(*changes: FieldChange, width: int = 80) -> str:
    return plain(field_lines(changes, 0, width))


def test_a_set_shows_what_came_and_went() -> None:
    assert shown(
        FieldChange(ADD, ("network", "allowedHosts", 0), new="a.example"),
        FieldChange(REMOVE, ("network", "allowedHosts", 2), old="b.example"),
    ) == (
        "~ network.allowedHosts   + a.example\n"
        "                         - b.example\n"
    )  # fmt: skip


def test_a_value_shows_old_and_new() -> None:
    assert shown(FieldChange(REPLACE, ("a",), old=1, new=2)) == "~ a   1 -> 2\n"
    assert shown(FieldChange(REPLACE, ("a",), old=None, new="null")) == '~ a   null -> "null"\n'


def test_a_value_without_room_goes_on_two_lines() -> None:
    change = FieldChange(REPLACE, ("a",), old="x" * 40, new="y" * 40)
    assert shown(change) == f"~ a   - {'x' * 40}\n      + {'y' * 40}\n"


def test_a_script_shows_only_the_lines_around_its_change() -> None:
    old = "".join(f"line {number}\n" for number in range(20))
    new = old.replace("line 10\n", "other\n")
    assert shown(FieldChange(REPLACE, ("s",), old=old, new=new)) == (
        "~ s     ...\n"
        "        line 9\n"
        "      - line 10\n"
        "      + other\n"
        "        line 11\n"
    )  # fmt: skip


def test_a_script_that_only_loses_its_last_line_end_still_shows_it() -> None:
    change = FieldChange(REPLACE, ("s",), old="a\nb\n", new="a\nb")
    assert shown(change) == '~ s   "b\\n" -> "b"\n'


def test_a_long_addition_is_cut_and_counted() -> None:
    text = shown(FieldChange(ADD, ("s",), new="\n".join(str(n) for n in range(100))))
    assert text.endswith("... 76 more lines\n")


def test_a_long_label_stands_alone() -> None:
    path = ("secrets", "A" * 60)
    assert shown(FieldChange(REMOVE, path, old=True)) == f"- secrets.{'A' * 60}   true\n"


def values(value: Json) -> str:
    return "\n".join(value_lines(value))


def test_values_read_like_yaml() -> None:
    body: Json = {
        "kind": "pod",
        "setup": [{"command": "a\nb\n", "timeout": "1m"}, {"command": "c"}],
        "hosts": [],
        "labels": {},
        "odd": ["yes", "", " x", "1", 1, None, True],
    }
    assert values(body) == (
        "kind: pod\n"
        "setup:\n"
        "  - command: |\n"
        "      a\n"
        "      b\n"
        "    timeout: 1m\n"
        "  - command: c\n"
        "hosts: []\n"
        "labels: {}\n"
        "odd:\n"
        '  - "yes"\n'
        '  - ""\n'
        '  - " x"\n'
        '  - "1"\n'
        "  - 1\n"
        "  - null\n"
        "  - true"
    )
