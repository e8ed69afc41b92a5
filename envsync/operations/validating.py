"""validate: read every file as each context would see it, and say what is wrong."""

from __future__ import annotations

import time
from collections.abc import Sequence

from envsync.errors import Problem
from envsync.linting import lint
from envsync.operations.reports import ValidationReport
from envsync.project.config import Project
from envsync.resources import reading


def validate(
    project: Project,
    paths: Sequence[str] = (),
    *,
    contexts: Sequence[str] = (),
    cache: bool = True,
) -> ValidationReport:
    """Checks the files of ``project``, offline.

    ``paths`` narrows what is reported (files or folders, relative to the root); ``contexts``
    narrows whose overlays are merged, all of them by default. The same finding in several
    contexts is reported once.
    """
    started = time.perf_counter()
    problems = dict.fromkeys(project.warnings)
    files = objects = 0
    clean: reading.Clean = {}
    for name in contexts or tuple(project.config.contexts):
        declarations = reading.declare(project, name, cache=cache, lint=lint, clean=clean)
        problems.update(dict.fromkeys(declarations.problems))
        files = max(files, declarations.files)
        objects = max(objects, len(declarations.declared))
    chosen = tuple(problem for problem in problems if concerns(problem, paths))
    return ValidationReport(
        tuple(sorted(chosen, key=place)),
        files,
        files,
        objects,
        time.perf_counter() - started,
    )


def concerns(problem: Problem, paths: Sequence[str]) -> bool:
    if not paths or problem.position is None:
        return True
    found = problem.position.path
    return any(path in (found, ".") or found.startswith(path.rstrip("/") + "/") for path in paths)


def place(problem: Problem) -> tuple[str, int, int, str]:
    where = problem.position
    if where is None:
        return ("", 0, 0, problem.code)
    return (where.path, where.line, where.column, problem.code)
