"""What can go wrong, said once: positions, problems, exit codes and the error hierarchy.

Every problem has a code (``E103``, ``W310``) that ``schemas/codes/*.toml`` explains. The first
digit names the room: 1 documents, 2 schemas and named checks, 3 lint, 4 the project, 5 planning
and applying, 6 the network and the API, 7 the embedded server, 8 secrets, 9 usage.
"""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import ClassVar

from msgspec import Struct


class ExitCode(IntEnum):
    """The exit statuses of every command (documented in ``docs/exit-codes.md``)."""

    DONE = 0
    ERROR = 1
    CHANGES = 2
    PARTIAL = 3
    REFUSED = 4
    BRAKE = 5
    USAGE = 64
    INTERRUPTED = 130
    TERMINATED = 143


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"


class Position(Struct, frozen=True, order=True):
    """A place in a file. Lines and columns count from 1; columns count code points.

    ``end_line`` and ``end_column`` are exclusive; both are ``None`` for a single point.
    ``path`` is the path as the person knows it: relative to the repository, with ``/``.
    """

    path: str
    line: int = 1
    column: int = 1
    end_line: int | None = None
    end_column: int | None = None

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


class Problem(Struct, frozen=True):
    """One finding. ``message`` says what was found; ``remedy`` what to do about it.

    ``label`` stands under the caret of a source excerpt; ``related`` names further places
    (the first of two duplicate keys, the overlay that said a value).
    ``subject`` names the object where no file can be named (``manifest analyst-box``).
    ``private`` says that a line it points to holds what looks like a secret: no excerpt is ever
    shown.
    """

    code: str
    message: str
    severity: Severity = Severity.ERROR
    position: Position | None = None
    label: str = ""
    remedy: str = ""
    related: tuple[tuple[Position, str], ...] = ()
    subject: str = ""
    private: bool = False

    @property
    def is_error(self) -> bool:
        return self.severity is Severity.ERROR


class EnvsyncError(Exception):
    """The root of every error that a person can meet. Never shown with a traceback.

    ``problems`` holds at least one problem; the first one gives the exception its text.
    """

    exit_code: ClassVar[ExitCode] = ExitCode.ERROR

    def __init__(
        self,
        code: str,
        message: str,
        *,
        remedy: str = "",
        position: Position | None = None,
        label: str = "",
        subject: str = "",
        also: tuple[Problem, ...] = (),
    ) -> None:
        super().__init__(message)
        first = Problem(
            code,
            message,
            position=position,
            label=label,
            remedy=remedy,
            subject=subject,
        )
        self.problems: tuple[Problem, ...] = (first, *also)

    @property
    def code(self) -> str:
        return self.problems[0].code

    @property
    def message(self) -> str:
        return self.problems[0].message

    @property
    def remedy(self) -> str:
        return self.problems[0].remedy


class UsageError(EnvsyncError):
    """The command line or a call of the library is not one that can be carried out."""

    exit_code = ExitCode.USAGE


class FileError(EnvsyncError):
    """Files of the repository say something that cannot be used. Nothing was sent."""

    @classmethod
    def of(cls, problems: tuple[Problem, ...]) -> FileError:
        """The error made of ``problems`` (at least one)."""
        error = cls(problems[0].code, problems[0].message)
        error.problems = problems
        return error


class RefusedError(EnvsyncError):
    """Nothing was written: the plan is stale, or the server holds something else."""

    exit_code = ExitCode.REFUSED


class BrakeError(EnvsyncError):
    """A safety brake stopped the run before it wrote anything."""

    exit_code = ExitCode.BRAKE


class NetworkError(EnvsyncError):
    """No answer, or none that can be trusted: refused, timed out, cut, TLS, not a server.

    ``sent`` is true when bytes of the request may have reached the server, so that the caller
    must read before it believes that nothing happened.
    """

    sent: bool = False


class ApiError(EnvsyncError):
    """The server answered with an error. ``status`` and ``api_code`` are the wire's."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int,
        api_code: str = "",
        details: object = None,
        remedy: str = "",
        subject: str = "",
    ) -> None:
        super().__init__(code, message, remedy=remedy, subject=subject)
        self.status = status
        self.api_code = api_code
        self.details = details


class StoreError(EnvsyncError):
    """The embedded server's database cannot be used: locked, read-only, newer, full, damaged."""
