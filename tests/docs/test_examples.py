"""What the pages show is what happens: their commands run, their files are valid."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from envsync.contract.checks import violations
from envsync.contract.limits import server_limits
from envsync.contract.validator import validator
from envsync.documents import parse
from envsync.errors import FileError
from envsync.project import config
from envsync.resources.policies import policy_of
from envsync.server.auth.identity import parse_identity
from tests.docs.blocks import Block, blocks_of, written_pages
from tests.docs.scratch import Done, Scratch, Step, writing
from tests.docs.sessions import Command, commands_of, difference

MOST_NOT_RUN = 4
"""Blocks of a page that are only shown: installing, editors, several machines, a certificate."""

LANGUAGES = {"console", "python", "text", "yaml", "json", "diff"}

BLOCKS = [block for page in written_pages() for block in blocks_of(page)]
RUNNING = sorted(
    {block.page for block in BLOCKS if block.runs and block.language in ("console", "python")}
)
FILES = [block for block in BLOCKS if block.language in ("yaml", "json")]


@pytest.mark.parametrize("page", RUNNING)
def test_a_page_does_what_it_says(page: str, tmp_path: Path) -> None:
    scratch = Scratch(tmp_path / "home")
    wanted: list[Command] = []
    steps: list[Step] = []

    def add(command: Command, script: str) -> None:
        wanted.append(command)
        steps.append(Step(command.where, script))

    for number, block in enumerate(found := blocks_of(page)):
        path = block.named("file")
        if path is not None:
            add(Command(str(block), path, 0, ()), writing(path, block.text))
        elif block.language == "console" and block.runs:
            for command in commands_of(block):
                add(command, command.text)
        elif block.language == "python" and block.runs:
            after = found[number + 1] if number + 1 < len(found) else None
            printed = after is not None and after.language == "text" and "printed" in after.words
            shown = tuple(after.text.splitlines()) if printed and after else ()
            add(Command(str(block), "python", 0, shown), scratch.python(number, block.text))
    done = scratch.run(steps)
    wrong = [told for each in zip(wanted, done, strict=True) if (told := _judge(*each))]
    if wrong:
        pytest.fail("\n\n".join(wrong), pytrace=False)


def _judge(command: Command, done: Done) -> str:
    said = f"{command.where}: $ {command.text}\n"
    if done.exit_code != command.exit_code:
        return f"{said}exit {done.exit_code}, expected {command.exit_code}\n{done.output}"
    different = difference(command.shown, done.output) if command.shown else ""
    return said + different if different else ""


@pytest.mark.parametrize("block", FILES, ids=str)
def test_a_file_that_is_shown_is_valid(block: Block, tmp_path: Path) -> None:
    kind = next((word for word in block.words if word in _KINDS), "") or _kind(block.text)
    assert kind, f"{block}: say in the info string what it is: {', '.join(_KINDS)}"
    _KINDS[kind](block, tmp_path)


def _kind(text: str) -> str:
    first = next((line for line in text.splitlines() if "$schema" in line), "")
    for mark, kind in (
        ("environment-manifest.schema.json", "manifest"),
        ("envsync.schema.json", "config"),
        ("json-schema.org", "policy"),
    ):
        if mark in first:
            return kind
    return ""


def _manifest(block: Block, _: Path) -> None:
    body = dict(parse(block.text.encode(), "shown.yaml").data)
    assert not validator("environment-manifest").violations(body)
    body.pop("$schema", None)
    body.pop("name", None)
    assert not violations("manifest", body)
    assert not server_limits("manifest", body)


def _config(block: Block, folder: Path) -> None:
    """A whole envsync.yaml, or a part of one: then what it needs is put before it."""
    text = block.text
    said = yaml.safe_load(text)
    if "project" not in said:
        text = "project: shown\n" + text
    if "contexts" not in said:
        text = "contexts: {local: {server: embedded}}\n" + text
    (folder / "envsync.yaml").write_text(text, encoding="utf-8")
    config.load(folder)


def _overlay(block: Block, _: Path) -> None:
    assert parse(block.text.encode(), "shown.yaml").data


def _refused(block: Block, _: Path) -> None:
    with pytest.raises(FileError) as caught:
        parse(block.text.encode(), "shown.yaml")
    assert caught.value.code == block.named("code")


def _policy(block: Block, _: Path) -> None:
    policy_of(block.text.encode(), f"shown.{block.language}")


def _identity(block: Block, _: Path) -> None:
    assert parse_identity(block.text.encode(), "shown.yaml")


def _workflow(block: Block, _: Path) -> None:
    assert yaml.safe_load(block.text)


def _data(block: Block, _: Path) -> None:
    assert json.loads(block.text)


_KINDS = {
    "manifest": _manifest,
    "config": _config,
    "overlay": _overlay,
    "refused": _refused,
    "policy": _policy,
    "identity": _identity,
    "workflow": _workflow,
    "data": _data,
}


def test_every_block_says_its_language() -> None:
    assert not [str(block) for block in BLOCKS if block.language not in LANGUAGES]


def test_little_is_only_shown() -> None:
    unrun: dict[str, list[str]] = {}
    for block in BLOCKS:
        if not block.runs:
            unrun.setdefault(block.page, []).append(str(block))
    assert not {page: shown for page, shown in unrun.items() if len(shown) > MOST_NOT_RUN}
