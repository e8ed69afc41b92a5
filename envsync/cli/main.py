"""The entry point. Only what ``--version`` and ``--help`` need is imported at once."""

from __future__ import annotations

import sys

from envsync import __version__
from envsync.cli.value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from envsync.cli.invocation import Split


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command line and returns its exit code. Never raises, and never a traceback."""
    from envsync.cli import invocation

    _open_missing_streams()
    tokens = list(sys.argv[1:] if argv is None else argv)
    seen = invocation.peek(tokens)
    found = invocation.split(tokens)
    if tokens[:1] == ["__complete"]:
        from envsync.cli.candidates import candidates

        return _print("".join(f"{each}\n" for kind in tokens[1:2] for each in candidates(kind)))
    if seen.version and not found.words:
        return _print(f"envsync {__version__}\n")
    if seen.help:
        text = _help(found)
        if text:
            return _print(text)
    if not tokens:
        from envsync.cli import help as pages

        sys.stderr.write(pages.overview())
        return 64
    from envsync.cli.run import run

    return run(tokens, found, seen)


def _open_missing_streams() -> None:
    """Without them (``envsync plan >&-``) there is nothing to print on, which is no error."""
    if sys.stdout is None or sys.stderr is None:
        import os

        nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - for good
        sys.stdout = sys.stdout or nowhere
        sys.stderr = sys.stderr or nowhere


def _help(found: Split) -> str:
    """The page that ``--help`` asks for; empty when the command is not one."""
    from envsync.cli import help as pages
    from envsync.cli.table import find

    if found.unknown:
        return ""
    if not found.words:
        return pages.overview()
    command = find(found.words)
    return pages.page(command) if command else pages.family_page(found.words)


def _print(text: str) -> int:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        import os

        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            why = error.strerror or str(error)
            sys.stderr.write(f"error[E914]: standard output cannot be written: {why}\n")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
