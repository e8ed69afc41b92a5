"""Where the files come from: the working tree as it lies there, or a commit of Git."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from dataclasses import replace
from typing import Protocol

from msgspec import Struct

from envsync.errors import FileError, Position, Problem, Severity
from envsync.linting import lint
from envsync.operations.workspace import Workspace
from envsync.project import config as configuration
from envsync.project import git
from envsync.project.config import CONFIG_NAME, Project
from envsync.project.files import scan
from envsync.project.git import GitState, envsync_paths, git_folder
from envsync.project.revision import at_revision
from envsync.resources import reading
from envsync.resources.memory import Memory
from envsync.resources.reading import Declarations
from envsync.watching.folders import git_stamp


class Look(Struct, frozen=True):
    """What the files said at one moment. ``declarations`` is ``None`` while envsync.yaml cannot be
    used. ``problems`` are errors and warnings of everything that was read."""

    workspace: Workspace
    declarations: Declarations | None
    clone: GitState | None
    memory: Memory
    problems: tuple[Problem, ...] = ()

    @property
    def has_errors(self) -> bool:
        return any(each.is_error for each in self.problems)

    @property
    def errors(self) -> tuple[Problem, ...]:
        return tuple(each for each in self.problems if each.severity is Severity.ERROR)

    @property
    def commit(self) -> str:
        return self.clone.commit if self.clone else ""

    @property
    def tree(self) -> str:
        return self.declarations.tree if self.declarations else ""


class Source(Protocol):
    """Looks again each time it is asked; keeps what need not be read again."""

    async def look(self) -> Look:
        """Raises ``EnvsyncError`` when Git cannot be asked; what files say is in the look."""
        ...

    def is_stale(self) -> bool:
        """Whether a look would see something else than the last one, as far as times, sizes and
        inodes tell. Reads folders, never contents."""
        ...

    def close(self) -> None: ...


class WorkingTree:
    """The files as they are, saved or half-saved."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._memory = Memory()
        self._around: object = None

    async def look(self) -> Look:
        loop = asyncio.get_running_loop()
        state = loop.run_in_executor(None, _state, self._workspace.project)
        declared = loop.run_in_executor(None, self._read)
        problems, declarations = await declared
        clone = await state
        return Look(self._workspace, declarations, clone, self._memory, problems)

    def is_stale(self) -> bool:
        project = self._workspace.project
        return self._around_now() != self._around or scan(project) != self._memory.found

    def _around_now(self) -> object:
        root = self._workspace.project.root
        try:
            status = (root / CONFIG_NAME).stat()
        except OSError:
            return git_stamp(root)
        return git_stamp(root), status.st_mtime_ns, status.st_size, status.st_ino

    def _read(self) -> tuple[tuple[Problem, ...], Declarations | None]:
        self._around = self._around_now()
        try:
            self._workspace = reloaded(self._workspace)
        except FileError as error:
            return error.problems, None
        return _declare(self._workspace, self._memory)

    def close(self) -> None:
        """Nothing is held."""


class Commits:
    """The files as the commit holds them that ``ref`` names (``HEAD``: of the branch that is
    checked out). The working tree is not looked at."""

    def __init__(self, workspace: Workspace, ref: str) -> None:
        self._first = workspace
        self._ref = ref
        self._memory = Memory()
        self._laid_out = ExitStack()
        self._last: Look | None = None
        self._stamp: object = None

    async def look(self) -> Look:
        return await asyncio.get_running_loop().run_in_executor(None, self._look)

    def is_stale(self) -> bool:
        return git_stamp(self._first.project.home) != self._stamp

    def close(self) -> None:
        self._laid_out.close()

    def _look(self) -> Look:
        self._stamp = git_stamp(self._first.project.home)
        commit = git.run_git(
            self._first.project.home, "rev-parse", "--verify", "--quiet", "--end-of-options",
            f"{self._ref}^{{commit}}",
        ).decode("ascii").strip()  # fmt: skip
        if self._last is None or self._last.commit != commit:
            self._last = self._lay_out(commit)
        return self._last

    def _lay_out(self, commit: str) -> Look:
        """The look at ``commit``. The folder of the one before is removed afterwards."""
        home = self._first.project.home
        stack = ExitStack()
        clone = GitState(home, git_folder(home) or home, commit, self._ref, ())
        try:
            revision = stack.enter_context(at_revision(self._first.project, commit))
            if not (revision.folder / CONFIG_NAME).is_file():
                return Look(self._first, None, clone, self._memory, (_no_config(commit),))
            project = configuration.load(revision.folder, home=home)
            if envsync_paths(project) != envsync_paths(self._first.project):
                revision = stack.enter_context(at_revision(project, commit))
                project = configuration.load(revision.folder, home=home)
            workspace = _in(self._first, project)
            problems, declarations = _declare(workspace, self._memory)
            stack, self._laid_out = self._laid_out, stack
            return Look(workspace, declarations, clone, self._memory, problems)
        except FileError as error:
            return Look(self._first, None, clone, self._memory, error.problems)
        finally:
            stack.close()


def reloaded(workspace: Workspace) -> Workspace:
    """``workspace`` with envsync.yaml as it is now. Raises ``FileError``."""
    project = workspace.project
    try:
        same = (project.root / CONFIG_NAME).read_bytes() == project.config_document.source
    except OSError:
        same = False
    return workspace if same else _in(workspace, configuration.load(project.root))


def _in(workspace: Workspace, project: Project) -> Workspace:
    """``workspace`` in ``project``, in the context of the same name. Raises ``FileError``."""
    name = workspace.context.name
    context = project.config.contexts.get(name)
    if context is None:
        raise FileError(
            "E555",
            f"envsync.yaml no longer has the context `{name}` that is watched",
            position=project.config_document.position(("contexts",), key=True),
            remedy="put it back, or stop and watch another one with --context",
        )
    return replace(workspace, project=project, context=context)


def _declare(workspace: Workspace, memory: Memory) -> tuple[tuple[Problem, ...], Declarations]:
    declarations = reading.declare(
        workspace.project, workspace.context.name, lint=lint, memory=memory
    )
    return (*workspace.project.warnings, *declarations.problems), declarations


def _state(project: Project) -> GitState | None:
    return git.state(project) if project.root.is_dir() else None


def _no_config(commit: str) -> Problem:
    return Problem(
        "E401",
        f"commit {commit[:7]} has no {CONFIG_NAME}",
        position=Position(CONFIG_NAME),
        remedy="commit it",
    )
