"""Carrying one command line out: parse, look the command up, call it, print what went wrong."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Protocol, cast

from envsync.cli import failures
from envsync.cli.arguments import Arguments, parse
from envsync.cli.command import GLOBALS, Command
from envsync.cli.console import Console, OutputError
from envsync.cli.invocation import Globals, Split, close_commands, subcommands
from envsync.cli.table import find
from envsync.errors import EnvsyncError, ExitCode, Problem, UsageError


class Run(Protocol):
    """What a command's module offers."""

    def __call__(self, arguments: Arguments, console: Console) -> ExitCode: ...


def run(tokens: Sequence[str], found: Split, seen: Globals) -> int:
    """Runs ``tokens`` and returns the exit code."""
    console = Console(no_color=seen.no_color, output=_format(found, seen.output))
    terminated = False

    def note() -> None:
        nonlocal terminated
        terminated = True

    try:
        with _termination(note):
            return run_in(console, tokens, found, verbose=seen.verbose)
    except KeyboardInterrupt:
        if terminated:
            return _stopped(console, "terminated", ExitCode.TERMINATED)
        return _stopped(console, "interrupted", ExitCode.INTERRUPTED)
    finally:
        console.close()


def _format(found: Split, wanted: str) -> str:
    """The format of errors before the command line is understood: programs read those too."""
    command = find(found.words)
    known = wanted == "json" or (command is not None and wanted in command.formats)
    return wanted if known else "text"


def run_in(console: Console, tokens: Sequence[str], found: Split, *, verbose: bool = False) -> int:
    """Runs ``tokens`` on ``console``; what goes wrong is printed there."""
    sources = Sources()
    try:
        command = _command(tokens, found)
        arguments = parse(command, found.rest)
        if command.formats:
            console.output = arguments.text("output") or command.formats[0]
        sources.start = arguments.text("directory")
        __import__(command.module)
        call = cast("Run", getattr(sys.modules[command.module], command.function))
        return int(call(arguments, console))
    except OutputError as error:
        console.output = "text"  # stdout is gone: what is left to say goes to stderr
        return int(failures.report(console, error, verbose=verbose))
    except EnvsyncError as error:
        return int(failures.report(console, error, verbose=verbose, read=sources))
    except Exception as error:  # noqa: BLE001 - the last line of defence: a bug is reported
        return int(failures.report_bug(console, error, verbose=verbose))


def _command(tokens: Sequence[str], found: Split) -> Command:
    command = find(found.words)
    if command is not None:
        return command
    if found.unknown:
        close = close_commands(found.unknown)
        said = " or ".join(f"`envsync {name}`" for name in close)
        raise UsageError(
            "E901",
            f"there is no command `{found.unknown}`",
            remedy=f"did you mean {said}?" if close else "see: envsync --help",
        )
    if found.words:
        raise _incomplete(found)
    flag = next((word for word in tokens if word.startswith("-")), tokens[0])
    if any(flag in option.flags for option in GLOBALS):
        raise UsageError("E901", "there is no command on this line", remedy="see: envsync --help")
    raise UsageError("E902", f"there is no option `{flag}`", remedy="see: envsync --help")


def _incomplete(found: Split) -> UsageError:
    """For a first word that needs a second one: none came, or one that is no command."""
    words = " ".join(found.words)
    names = ", ".join(command.words[-1] for command in subcommands(found.words))
    other = next((word for word in found.rest if not word.startswith("-")), "")
    said = f"has no `{other}`; it has" if other else "needs one of"
    return UsageError(
        "E901", f"`envsync {words}` {said}: {names}", remedy=f"see: envsync {words} --help"
    )


class Sources:
    """Reads the files that errors point into, relative to the repository's root."""

    def __init__(self) -> None:
        self.start: str | None = None

    def __call__(self, path: str) -> bytes | None:
        from envsync.cli.places import read_source

        return read_source(self.start, path)


def _stopped(console: Console, word: str, code: ExitCode) -> int:
    failures.print_problems(
        console,
        (Problem("E998", word, remedy="see what is left with: envsync plan"),),
    )
    return int(code)


@contextmanager
def _termination(note: Callable[[], None]) -> Iterator[None]:
    """Lets SIGTERM do what Ctrl-C does, after ``note``, so that what is open gets closed.

    Whoever waits for Ctrl-C in the meantime decides how: an event loop cancels what it runs,
    where an exception out of any line would be lost in a callback.
    """

    def terminate(_number: int, frame: FrameType | None) -> None:
        note()
        interrupt = signal.getsignal(signal.SIGINT)
        if not callable(interrupt):
            raise KeyboardInterrupt
        interrupt(signal.SIGINT, frame)

    try:
        before = signal.signal(signal.SIGTERM, terminate)
    except ValueError:  # not the main thread: its owner decides about signals
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
