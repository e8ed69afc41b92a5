"""The linter: what a valid file may still do wrong.

Each rule is chosen for having few false alarms. All but one are warnings: text that can only be a
token is an error.
"""

from __future__ import annotations

from envsync.errors import Problem
from envsync.linting.commands import command_hits
from envsync.linting.manifest import manifest_hits
from envsync.linting.tokens import token_problems
from envsync.resources.sources import Source


def lint(source: Source) -> list[Problem]:
    """What the files of one object may do wrong."""
    problems: list[Problem] = []
    for document in source.layers.documents:
        problems += token_problems(document)
    if source.type == "manifest":
        problems += [hit.problem(source.layers) for hit in command_hits(source.body)]
        problems += [hit.problem(source.layers) for hit in manifest_hits(source.body)]
    return problems
