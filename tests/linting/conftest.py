"""One manifest as text, and what the linter says of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from envsync.documents import parse
from envsync.errors import Problem
from envsync.linting.linter import lint
from envsync.project.overlays import Layers
from envsync.resources.sources import Source


@dataclass(frozen=True)
class Linted:
    """The problems of a manifest. ``marked`` is the text that each of them points at."""

    problems: list[Problem]
    text: str

    @property
    def codes(self) -> list[str]:
        return [problem.code for problem in self.problems]

    def of(self, code: str) -> list[Problem]:
        return [problem for problem in self.problems if problem.code == code]

    def marked(self, code: str) -> list[str]:
        lines = self.text.split("\n")
        found = []
        for problem in self.of(code):
            place = problem.position
            assert place is not None
            assert place.end_column is not None
            found.append(lines[place.line - 1][place.column - 1 : place.end_column - 1])
        return found


@pytest.fixture
def linted() -> Callable[[str], Linted]:
    def run(text: str, path: str = "manifests/box.yaml") -> Linted:
        document = parse(text.encode(), path)
        body = {key: value for key, value in document.data.items() if key != "$schema"}
        source = Source("manifest", "box", Layers(document), document.data, body)
        return Linted(lint(source), text)

    return run


@pytest.fixture
def command(linted: Callable[[str], Linted]) -> Callable[[str], Linted]:
    """A manifest whose setup is one command, written as a block scalar."""

    def run(script: str) -> Linted:
        lines = "".join(f"      {line}\n" if line else "\n" for line in script.split("\n"))
        return linted(f"setup:\n  - command: |-\n{lines}")

    return run
