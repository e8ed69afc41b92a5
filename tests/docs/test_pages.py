"""The pages are whole: links lead somewhere, and what exists is named."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from functools import cache
from urllib.parse import unquote

import pytest

from envsync.cli.command import GLOBALS
from envsync.cli.table import COMMANDS
from envsync.errors import ExitCode
from tests.docs.blocks import ROOT, blocks_of, pages, prose_of, text_of, written_pages

_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^()\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(.+?)\s*#*$", re.MULTILINE)
_REGISTRIES = re.compile(
    r"pypi\.org|pythonhosted|registry\.npmjs|crates\.io|rubygems|proxy\.golang\.org|ghcr\.io|"
    r"docker\.io|quay\.io|gcr\.io|mcr\.microsoft",
    re.IGNORECASE,
)


@cache
def anchors(page: str) -> frozenset[str]:
    """The anchors that GitHub makes of the page's headings."""
    found: dict[str, int] = {}
    names = set()
    for heading in _HEADING.findall(prose_of(page)):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        name = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        count = found.get(name, 0)
        found[name] = count + 1
        names.add(f"{name}-{count}" if count else name)
    return frozenset(names)


def links(page: str) -> Iterator[tuple[str, str]]:
    for link in _LINK.findall(prose_of(page)):
        if "://" not in link and not link.startswith("mailto:"):
            path, _, anchor = link.partition("#")
            yield unquote(path), anchor


@pytest.mark.parametrize("page", pages())
def test_every_link_leads_somewhere(page: str) -> None:
    for path, anchor in links(page):
        target = ((ROOT / page).parent / path).resolve() if path else ROOT / page
        assert target.exists(), f"{page}: {path}"
        if anchor:
            found = target.relative_to(ROOT).as_posix()
            assert anchor in anchors(found), f"{page}: {path}#{anchor}"


def test_every_page_is_reached_from_the_readme() -> None:
    seen: set[str] = set()
    waiting = ["README.md"]
    while waiting:
        page = waiting.pop()
        if page in seen:
            continue
        seen.add(page)
        for path, _ in links(page):
            target = ((ROOT / page).parent / path).resolve() if path else ROOT / page
            if target.suffix == ".md" and target.exists():
                waiting.append(target.relative_to(ROOT).as_posix())
    assert {page for page in pages() if page.startswith("docs/")} <= seen


@pytest.mark.parametrize("name", [command.name for command in COMMANDS])
def test_every_command_is_shown_in_a_guide(name: str) -> None:
    assert any(f"envsync {name}" in text_of(page) for page in written_pages())


def _keys(schema: object, seen: frozenset[str] = frozenset()) -> Iterator[str]:
    """The keys that a JSON Schema gives names to."""
    if isinstance(schema, list):
        for each in schema:
            yield from _keys(each)
    elif isinstance(schema, dict):
        properties = schema.get("properties")
        if isinstance(properties, dict):
            yield from (key for key in properties if not key.startswith("$"))
        for member, below in schema.items():
            if member not in ("examples", "default", "const", "enum"):
                yield from _keys(below)


@pytest.mark.parametrize(
    ("schema", "page"),
    [("envsync", "docs/repository.md"), ("environment-manifest", "docs/manifests.md")],
)
def test_every_key_is_told_of(schema: str, page: str) -> None:
    keys = set(_keys(json.loads((ROOT / f"schemas/{schema}.schema.json").read_text())))
    text = text_of(page)
    assert not {key for key in keys if f"`{key}`" not in text and f"{key}:" not in text}


def test_the_exit_codes_are_those_of_the_program() -> None:
    rows = re.findall(r"^\| (\d+) \|", text_of("docs/exit-codes.md"), re.MULTILINE)
    assert [int(row) for row in rows] == [int(code) for code in ExitCode]


@pytest.mark.parametrize("page", pages())
def test_no_page_names_a_package_registry(page: str) -> None:
    assert not _REGISTRIES.findall(text_of(page))


def _typed(page: str) -> Iterator[str]:
    """The envsync commands in running text and in workflows."""
    yield from re.findall(r"`(envsync [^`]+)`", prose_of(page))
    for block in blocks_of(page):
        if "workflow" in block.words:
            yield from re.findall(r"envsync [^\n|>&;]+", block.text)


@pytest.mark.parametrize("page", written_pages())
def test_commands_in_the_text_exist(page: str) -> None:
    by_words = {command.words: command for command in COMMANDS}
    families = {words[:size] for words in by_words for size in range(1, len(words) + 1)}
    for typed in _typed(page):
        try:
            words = shlex.split(typed, comments=True)[1:]
        except ValueError:
            words = typed.split()[1:]
        plain = [word for word in words if not word.startswith("-")]
        known = next(
            (tuple(plain[:size]) for size in (3, 2, 1) if tuple(plain[:size]) in families), None
        )
        assert known or not plain, f"{page}: `{typed}` is no command"
        command = by_words.get(known or ())
        options = {name for option in GLOBALS for name in option.flags} | {"--version"}
        if command is not None:
            options |= {name for option in command.options for name in option.flags}
        given = {word.split("=")[0] for word in words if re.match(r"--?[a-zA-Z]", word)}
        assert given <= options, f"{page}: `{typed}` has no {given - options}"
