"""Everything that an object must satisfy in a context, in the order in which it is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct

from envsync.contract.canonical import digest
from envsync.contract.checks import violations as check
from envsync.contract.json_types import JsonObject
from envsync.contract.limits import server_limits
from envsync.contract.names import MANIFEST_NAME_RULE, is_manifest_name
from envsync.contract.normalise import normalise
from envsync.errors import Position, Problem, Severity
from envsync.resources.policies import Policy
from envsync.resources.sources import Source

if TYPE_CHECKING:
    from envsync.contract.validator import SchemaValidator
    from envsync.contract.violation import Violation

_SCHEMAS = {"manifest": "environment-manifest"}


class Judged(Struct, frozen=True):
    """``problems`` in the order of their places. ``hash`` is empty where one is an error."""

    problems: tuple[Problem, ...]
    canonical: JsonObject
    hash: str


Lint = Callable[[Source], Iterable[Problem]]
"""What a valid object may still do wrong. Some of it is an error."""


class Rules(Struct, frozen=True):
    """``ours`` says that the context's server is our own: what it would refuse is an error
    here, and a warning elsewhere."""

    ours: bool
    policies: tuple[Policy, ...] = ()
    lint: Lint | None = None

    def judge(self, source: Source) -> Judged:
        """Whether ``source`` is right, and what it says in canonical form."""
        schema = _schema(source.type)
        if not is_manifest_name(source.name) or not schema.is_valid(source.whole):
            return Judged(tuple(self._invalid(source, schema)), {}, "")
        problems = [_problem(source, found) for found in check(source.type, source.body)]
        problems += [
            _problem(source, found, warning=not self.ours)
            for found in server_limits(source.type, source.body)
        ]
        canonical = normalise(source.type, source.body)
        for policy in self.policies:
            if policy.type == source.type:
                problems += policy.problems(source.body, canonical, source.layers)
        if self.lint is not None:
            problems += self.lint(source)
        if not problems:
            return Judged((), canonical, digest(canonical))
        failed = any(problem.is_error for problem in problems)
        return Judged(
            tuple(sorted(problems, key=place)), canonical, "" if failed else digest(canonical)
        )

    def _invalid(self, source: Source, schema: SchemaValidator) -> list[Problem]:
        problems = [_problem(source, found) for found in schema.violations(source.whole)]
        said_by_file = "name" in source.whole
        if not is_manifest_name(source.name) and not said_by_file:
            problems.append(_bad_name(source))
        if self.lint is not None:
            # A token is worth telling of even where the file is broken in another way.
            problems += [problem for problem in self.lint(source) if problem.private]
        return sorted(problems, key=place)


def place(problem: Problem) -> tuple[bytes, int, int, str]:
    """Sorts problems by file and place."""
    position = problem.position or Position("")
    path = position.path.encode("utf-8", "surrogateescape")
    return (path, position.line, position.column, problem.code)


@cache
def _schema(type_: str) -> SchemaValidator:
    from envsync.contract.validator import validator

    return validator(_SCHEMAS[type_])


def _problem(source: Source, found: Violation, *, warning: bool = False) -> Problem:
    return Problem(
        found.code,
        found.message,
        severity=Severity.WARNING if warning else Severity.ERROR,
        position=source.layers.position(found.pointer, key=found.on_key),
        label=found.label,
        remedy=found.remedy,
    )


def _bad_name(source: Source) -> Problem:
    path = source.layers.base.path
    return Problem(
        "E427",
        f"the file's name gives no name to the manifest: `{source.name}`",
        position=Position(path),
        label=MANIFEST_NAME_RULE,
        remedy="rename the file, or say the manifest's name with `name:`; " + MANIFEST_NAME_RULE,
    )
