"""Help: grouped, with examples, in 80 columns."""

from __future__ import annotations

import pytest

from envsync.cli.command import Command
from envsync.cli.table import COMMANDS
from tests.cli.conftest import Cli
from tests.conftest import Snapshot

EACH = pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)


def test_the_overview(cli: Cli, snapshot: Snapshot) -> None:
    shown = cli("--help")
    assert (shown.code, shown.err) == (0, "")
    assert shown.out == cli("help").out == cli("-h").out
    snapshot("help", shown.out)


def test_nothing_asked_is_a_question_of_usage(cli: Cli) -> None:
    asked = cli()
    assert (asked.code, asked.out) == (64, "")
    assert asked.err == cli("--help").out


@EACH
def test_each_command_has_a_page(cli: Cli, snapshot: Snapshot, command: Command) -> None:
    shown = cli(*command.words, "--help")
    assert (shown.code, shown.err) == (0, "")
    assert cli("help", *command.words).out == shown.out
    assert cli("-C", "/nowhere", *command.words, "-h").out == shown.out
    snapshot(f"help-{command.name.replace(' ', '-')}", shown.out)


@EACH
def test_pages_fit_eighty_columns(cli: Cli, command: Command) -> None:
    for line in cli(*command.words, "--help").out.splitlines():
        assert len(line) <= 80


@EACH
def test_each_command_has_an_example_of_itself(command: Command) -> None:
    assert command.examples
    assert all(f"envsync {command.name}" in example.line for example in command.examples)
    assert not command.summary.endswith(".")
    assert command.description.endswith(".")


@pytest.mark.parametrize("words", ["context", "schema", "serve keys"])
def test_a_family_lists_its_commands(cli: Cli, words: str) -> None:
    shown = cli(*words.split(), "--help")
    assert shown.code == 0
    assert shown.out == cli("help", *words.split()).out
    for command in COMMANDS:
        listed = f"\n  {command.name}  " in shown.out
        assert listed == command.name.startswith(f"{words} ")
