"""The reference is made from the code, current, and complete."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from envsync.cli.command import GLOBALS
from envsync.cli.reference import pages
from envsync.cli.table import COMMANDS
from envsync.contract.codes import codes
from envsync.errors import ExitCode

ROOT = Path(__file__).parents[2]
CODE = re.compile(r"""["']([EW]\d{3})["']""")


@pytest.mark.parametrize("path", pages())
def test_pages_are_current(path: str) -> None:
    found = (ROOT / "docs" / path).read_text(encoding="utf-8")
    assert found == pages()[path], "run: python -m envsync.cli.reference"


def test_every_command_and_option_is_there() -> None:
    text = pages()["reference/commands.md"]
    for command in COMMANDS:
        assert f"### envsync {command.name}\n" in text
        for option in (*command.options, *GLOBALS):
            assert option.flags[-1] in text
        for example in command.examples:
            assert f"$ {example.line}\n" in text


def test_every_exit_code_is_there() -> None:
    text = pages()["exit-codes.md"]
    for code in ExitCode:
        assert f"| {int(code)} |" in text


def used() -> set[str]:
    """The codes that the program can say."""
    found: set[str] = set()
    for path in (ROOT / "envsync").rglob("*.py"):
        found |= set(CODE.findall(path.read_text(encoding="utf-8")))
    return found


def test_every_code_that_is_said_is_explained() -> None:
    assert used() - set(codes()) == set()


def test_every_code_that_is_explained_can_be_said() -> None:
    assert set(codes()) - used() == set()


@pytest.mark.parametrize("code", codes().values(), ids=lambda code: code.code)
def test_a_page_says_what_and_what_to_do(code: object) -> None:
    page = codes()[code.code]  # type: ignore[attr-defined]
    assert page.title
    assert not page.title.endswith(".")
    assert page.meaning.endswith((".", "`"))
    assert page.mend
