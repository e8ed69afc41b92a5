"""The keys of a context: taken from the environment or from a private file, at the last moment."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from envsync.errors import FileError
from envsync.project.context import Context, KeyReference

if TYPE_CHECKING:
    from envsync.contract.secret_text import SecretText

_KEY = re.compile(r"[\x21-\x7e]+")
_LONGEST_KEY = 64 * 1024
# Without O_NONBLOCK a named pipe would be waited for, for ever.
_OPEN = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)


def resolve_key(context: Context, env: Mapping[str, str]) -> SecretText | None:
    """The application key of ``context``; ``None`` for an embedded server, which needs none.

    Raises ``FileError``, with the place in envsync.yaml that says where the key should be, when
    it is not there, is empty, holds what no key has, or lies in a file that others can read.
    """
    if context.embedded or context.key is None:
        return None
    return read_reference(context.key, context.name, env)


def read_reference(
    reference: KeyReference, context_name: str, env: Mapping[str, str]
) -> SecretText:
    """The secret that ``reference`` stands for. Raises ``FileError`` as ``resolve_key`` does."""
    from envsync.contract.secret_text import SecretText

    if reference.source == "env":
        text = _from_variable(reference, context_name, env)
    else:
        text = _from_file(reference, context_name)
    if not _KEY.fullmatch(text):
        raise FileError(
            "E411",
            f"{reference} holds blanks, line breaks or characters outside ASCII, as no key does",
            position=reference.position,
            remedy="store the key alone, on one line",
        )
    return SecretText(text)


def _from_variable(reference: KeyReference, context_name: str, env: Mapping[str, str]) -> str:
    text = env.get(reference.target)
    if text:
        return text
    state = "is not set" if text is None else "is empty"
    raise FileError(
        "E410",
        f"context `{context_name}` takes its key from the environment variable "
        f"{reference.target}, which {state}",
        position=reference.position,
        remedy=f"set {reference.target} to the key of the server, or name another place with "
        "`key: env:NAME` or `key: file:PATH`",
    )


def _from_file(reference: KeyReference, context_name: str) -> str:
    path = Path(reference.target)
    try:
        descriptor = os.open(path, _OPEN)
    except OSError as error:
        raise FileError(
            "E410",
            f"context `{context_name}` takes its key from {path}, which cannot be read: "
            f"{_reason(error)}",
            position=reference.position,
            remedy=f"write the key into {path} and run: chmod 600 {path}",
        ) from None
    try:
        _require_private(os.fstat(descriptor), reference)
        data = os.read(descriptor, _LONGEST_KEY)
    finally:
        os.close(descriptor)
    if not data.strip():
        raise FileError(
            "E410",
            f"context `{context_name}` takes its key from {path}, which is empty",
            position=reference.position,
            remedy=f"write the key into {path}",
        )
    # Editors and `echo` end the last line; the line end is no part of a key.
    return data.decode("latin-1").removesuffix("\n").removesuffix("\r")


def _require_private(status: os.stat_result, reference: KeyReference) -> None:
    """Raises ``FileError`` unless the file is a regular one that only its owner can read."""
    path = reference.target
    if not stat.S_ISREG(status.st_mode):
        raise FileError("E410", f"{path} is not a regular file", position=reference.position)
    if sys.platform == "win32":
        return
    if status.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise FileError(
            "E412",
            f"others than its owner can open the key file {path} "
            f"(mode {stat.S_IMODE(status.st_mode):04o})",
            position=reference.position,
            remedy=f"run: chmod 600 {path}",
        )
    if status.st_uid not in (os.geteuid(), 0):
        raise FileError(
            "E412",
            f"the key file {path} belongs to another user (uid {status.st_uid})",
            position=reference.position,
            remedy="copy the key into a file of your own with mode 0600",
        )


def _reason(error: OSError) -> str:
    return error.strerror or type(error).__name__
