"""Where a command works: the folder it starts from, and the repository around that."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from envsync.errors import EnvsyncError, UsageError

ReadSource = Callable[[str], bytes | None]

if TYPE_CHECKING:
    from envsync.cli.arguments import Arguments
    from envsync.cli.console import Console
    from envsync.operations.workspace import Workspace
    from envsync.project.config import Project


def start(arguments: Arguments) -> Path:
    """The folder that ``-C`` names, or the current one."""
    given = arguments.text("directory")
    folder = Path(given) if given is not None else Path.cwd()
    if not folder.is_dir():
        raise UsageError("E910", f"there is no folder `{folder}`", remedy="check what -C names")
    return folder


def project(arguments: Arguments) -> Project:
    """The repository around the start, from its envsync.yaml."""
    from envsync.project import config

    return config.load(config.find_root(start(arguments)))


def workspace(arguments: Arguments, console: Console) -> Workspace:
    """The repository and the context to work with; ``--debug`` makes its transport tell."""
    from envsync.cli.wire_log import telling
    from envsync.embedded import connect
    from envsync.operations.workspace import Workspace

    connector = telling(connect, console) if arguments.flag("debug") else connect
    return Workspace.open(start(arguments), arguments.text("context"), connector, console.environ)


def selected(arguments: Arguments, root: Path, name: str = "paths") -> tuple[str, ...]:
    """The paths given as arguments, relative to the repository's root, with ``/``.

    They are taken relative to the start, as the person sees them. Raises ``UsageError`` for one
    that doesn't exist or lies outside.
    """
    return tuple(
        _relative(start(arguments) / given, root, given) for given in arguments.several(name)
    )


def _relative(path: Path, root: Path, given: str) -> str:
    if not path.exists():
        raise UsageError("E910", f"there is no file or folder `{given}`", remedy="check the path")
    try:
        return path.resolve().relative_to(root.resolve()).as_posix()
    except ValueError:
        raise UsageError(
            "E910", f"`{given}` lies outside the repository", remedy=f"its root is {root}"
        ) from None


def read_source(directory: str | None, path: str) -> bytes | None:
    """The bytes of a file that a message points into; ``None`` when it can't be had.

    ``path`` is relative to the repository's root where there is one, else to the start.
    """
    from envsync.project import config

    base = Path(directory) if directory is not None else Path.cwd()
    with suppress(EnvsyncError):
        base = config.find_root(base)
    return sources(base)(path)


def read(path: Path) -> bytes:
    """The bytes of a file named on the command line. Raises ``UsageError``."""
    try:
        if path.exists() and not path.is_file():
            raise UsageError("E910", f"{path} is not a regular file", remedy="check the path")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or error
        raise UsageError("E910", f"{path} can't be read: {why}", remedy="check the path") from error


def sources(root: Path) -> ReadSource:
    """Reads the files that a repository's messages point into."""

    def read(path: str) -> bytes | None:
        file = root / path
        try:
            # Only a regular file has an end: a pipe or a device would be read for ever. And what
            # a link out of the repository leads to is nobody's to show.
            if not file.is_file() or (_is_inside(path) and not _stays_in(file, root)):
                return None
            return file.read_bytes()
        except (OSError, ValueError):
            return None

    return read


def _is_inside(path: str) -> bool:
    """Whether ``path`` names, as it is written, something below the root."""
    return not Path(path).is_absolute() and ".." not in Path(path).parts


def _stays_in(file: Path, root: Path) -> bool:
    return file.resolve().is_relative_to(root.resolve())


def known_context(project: Project, name: str) -> str:
    """``name`` if envsync.yaml has such a context. Raises ``UsageError``."""
    from envsync.operations.workspace import choose_context

    return choose_context(project, name).name
