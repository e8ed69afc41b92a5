"""Running ``git`` where it acts for the person: as themselves, with their hooks and their keys."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

SYNCING = "ENVSYNC_SYNCING"
"""Set for the hooks of a commit that ``sync`` makes: it applies by itself, and only afterwards."""

_GRACE_SECONDS = 20

_POINTING = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_CONFIG",
        "GIT_DIR",
        "GIT_GLOB_PATHSPECS",
        "GIT_GRAFT_FILE",
        "GIT_ICASE_PATHSPECS",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_INTERNAL_SUPER_PREFIX",
        "GIT_LITERAL_PATHSPECS",
        "GIT_NAMESPACE",
        "GIT_NOGLOB_PATHSPECS",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_QUARANTINE_PATH",
        "GIT_SHALLOW_FILE",
        "GIT_WORK_TREE",
    }
)
"""Variables that lead Git to another repository or index, or change what a path means."""


class Ran(Struct, frozen=True):
    """A finished ``git``. ``said`` is what it and its hooks printed on stderr, as text."""

    code: int
    output: bytes
    said: str

    @property
    def reason(self) -> str:
        """What explains a failure: the first that Git itself complained of, or a hook's last."""
        lines = [line.strip() for line in self.said.splitlines() if line.strip()]
        for line in lines:
            word, _, rest = line.partition(": ")
            if word in ("fatal", "error"):
                return rest
        return lines[-1] if lines else "it gave no reason"


def act(
    root: Path, environ: Mapping[str, str], *arguments: str, given: bytes = b"", plain: bool = False
) -> Ran:
    """Runs ``git`` in ``root`` until it ends, however long its hooks take.

    The person's identity, configuration, hooks and keys are in effect. ``plain`` asks for
    untranslated words. What hooks print on stdout is in ``said`` as well unless Git's own output is
    wanted from there, which only ``--porcelain`` commands have. An interruption is passed on to
    Git, which then takes its locks away; nothing here ever kills it. Raises ``FileNotFoundError``
    where there is no Git.
    """
    porcelain = "--porcelain" in arguments
    command = ["git", *arguments]
    try:
        process = subprocess.Popen(  # noqa: S603 - a fixed program, and no shell
            command,
            cwd=root,
            env=own_environment(environ, plain=plain),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if porcelain else subprocess.STDOUT,
        )
    except PermissionError:
        raise FileNotFoundError("git") from None
    try:
        output, errors = process.communicate(given)
    except BaseException:
        _let_end(process)
        raise
    told = errors if porcelain else output
    return Ran(process.returncode, output, told.decode("utf-8", "replace"))


def _let_end(process: subprocess.Popen[bytes]) -> None:
    """Asks Git to end and waits for it, so that no lock is left."""
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with suppress(OSError):
                stream.close()
    with suppress(OSError):
        process.send_signal(signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=_GRACE_SECONDS)


def own_environment(environ: Mapping[str, str], *, plain: bool = False) -> dict[str, str]:
    """The person's environment, without what would lead Git elsewhere, and without questions
    where nobody could answer them."""
    kept = {name: value for name, value in environ.items() if name not in _POINTING}
    kept[SYNCING] = "1"
    if not os.isatty(0):
        kept["GIT_TERMINAL_PROMPT"] = "0"
    if plain:
        everything = kept.pop("LC_ALL", "")
        if everything:
            kept["LANG"] = kept["LC_CTYPE"] = everything
        kept |= {"LC_MESSAGES": "C", "LANGUAGE": ""}
    return kept
