"""The script that a Git hook of ours is: POSIX sh, written whole, recognised again by its head."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from hashlib import sha256

from msgspec import Struct

PRE_COMMIT = "pre-commit"
TYPES = (PRE_COMMIT, "post-commit", "post-merge")
BEFORE = ".before-envsync"
"""Ends the name of the hook that stood there before."""

_MARK = re.compile(rb"^# envsync-hook 1 ([0-9a-f]{64})$", re.MULTILINE)
_ENTRY = "# envsync-runs "


class Entry(Struct, frozen=True):
    """What one project of the repository wants: ``folder`` is that of its envsync.yaml, relative to
    the top of the working tree (empty for the top). ``context`` is empty for all of them."""

    folder: str
    context: str


class Script(Struct, frozen=True):
    """``pristine`` is false for a script that somebody changed after it was installed."""

    entries: tuple[Entry, ...]
    pristine: bool = True


def recognised(data: bytes) -> Script | None:
    """What ``data`` runs if it is a script of ours, of this version or another."""
    found = _MARK.search(data)
    if found is None:
        return None
    rest = data[found.end() + 1 :]
    entries = []
    for line in rest.decode("utf-8", "replace").splitlines():
        if line.startswith(_ENTRY):
            said = json.loads(line.removeprefix(_ENTRY))
            entries.append(Entry(said["folder"], said["context"]))
    return Script(tuple(entries), sha256(rest).hexdigest() == found[1].decode())


def script(hook: str, entries: Sequence[Entry], program: str) -> bytes:
    """The script for ``hook``. ``program`` is where envsync is now; the person's ``PATH`` is asked
    when it is there no longer."""
    head = _HEAD.format(hook=hook, before=BEFORE)
    said = [json.dumps({"folder": each.folder, "context": each.context}) for each in entries]
    lines = [*(f"{_ENTRY}{each}" for each in said), *_start(hook, program)]
    for entry in entries:
        lines += _check(entry) if hook == PRE_COMMIT else _apply(entry)
    lines += ["exit $status"]
    body = "\n".join(lines) + "\n"
    return f"{head}# envsync-hook 1 {sha256(body.encode()).hexdigest()}\n{body}".encode()


_HEAD = """\
#!/bin/sh
# Written by envsync. To get rid of it: envsync hook uninstall --type {hook}
# A hook that was here before is kept beside it as {hook}{before}; it still runs, and first.
"""


def _start(hook: str, program: str) -> list[str]:
    """What was here before, then envsync's place."""
    absent = "1" if hook == PRE_COMMIT else "0"
    stops = " || exit" if hook == PRE_COMMIT else ""
    return [
        'hooks=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd -P) || exit',
        "# Other tools may run this one from theirs, and be run by it.",
        f'[ "${{ENVSYNC_HOOK-}}" != "$hooks/{hook}" ] || exit 0',
        f"ENVSYNC_HOOK=$hooks/{hook}",
        "export ENVSYNC_HOOK",
        f'if [ -x "$hooks/{hook}{BEFORE}" ]; then',
        f'    "$hooks/{hook}{BEFORE}" "$@"{stops}',
        "fi",
        f"envsync={shlex.quote(program)}",
        'if [ ! -x "$envsync" ]; then',
        "    envsync=$(command -v envsync) || {",
        f'        echo "envsync: the {hook} hook does not find the program envsync" >&2',
        "        echo \"  put it on your PATH, or take the hook away: rm '$0'\" >&2",
        f'        echo "  (what was there before, if anything: $hooks/{hook}{BEFORE})" >&2',
        f"        exit {absent}",
        "    }",
        "fi",
        "status=0",
    ]


def _check(entry: Entry) -> list[str]:
    """Validates what is staged, where that has an envsync.yaml at all."""
    staged = shlex.quote(":" + f"{entry.folder}/envsync.yaml".lstrip("/"))
    context = f" --context {shlex.quote(entry.context)}" if entry.context else ""
    return [
        f"if git cat-file -e {staged} 2>/dev/null; then",
        f'    "$envsync" -C {_folder(entry)} validate --staged{context} || status=1',
        "fi",
    ]


def _apply(entry: Entry) -> list[str]:
    """Applies, unless Git is in the middle of a rebase or a sync applies by itself."""
    file = shlex.quote(f"{entry.folder}/envsync.yaml".lstrip("/"))
    context = shlex.quote(entry.context)
    return [
        "dir=$(git rev-parse --git-dir) || exit 0",
        f'if [ -z "${{ENVSYNC_SYNCING-}}" ] && [ -f {file} ] \\',
        '    && [ ! -d "$dir/rebase-merge" ] && [ ! -d "$dir/rebase-apply" ]; then',
        f'    "$envsync" -C {_folder(entry)} apply --context {context} </dev/null || {{',
        '        echo "envsync: the commit stands, and not all of it is applied" >&2',
        "        status=1",
        "    }",
        "fi",
    ]


def _folder(entry: Entry) -> str:
    return shlex.quote(entry.folder or ".")
