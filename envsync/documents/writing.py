"""Writing a file so that nobody ever sees half of it."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path
from typing import Final

from envsync.errors import FileError, Position

_ATTEMPTS: Final = 100
_CREATE: Final = (
    os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
)


def write_atomically(path: Path, data: bytes) -> None:
    """Makes ``data`` the content of ``path``: wholly or, when anything fails, not at all.

    The bytes go to a new file in the same folder and to the disk before they take the old one's
    name, with its mode. A symbolic link stays what it is: the file that it names is replaced.
    Raises FileError (E123) when the system refuses; the old file is untouched then.
    """
    try:
        target = path.resolve(strict=False)
        mode = _mode(target)
        temporary, descriptor = _new_file(target)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if mode is not None:
                temporary.chmod(mode)
            temporary.replace(target)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
        _sync_folder(target.parent)
    except (OSError, RuntimeError) as error:  # RuntimeError: a loop of links, in older Pythons
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise FileError(
            "E123",
            f"the file cannot be written: {reason}",
            position=Position(path.as_posix()),
            remedy="check the permissions and the free space of its folder; it is as it was",
        ) from error


def _mode(target: Path) -> int | None:
    try:
        found = target.stat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise OSError(f"{target.name} is not a regular file")
    return stat.S_IMODE(found.st_mode)


def _new_file(target: Path) -> tuple[Path, int]:
    """Beside ``target``, so that a rename cannot cross file systems. The umask gives a new file
    its mode, as if the person's editor had made it."""
    for _ in range(_ATTEMPTS):
        temporary = target.with_name(f".{target.name}.{secrets.token_hex(6)}.tmp")
        with contextlib.suppress(FileExistsError):
            return temporary, os.open(temporary, _CREATE, 0o666)
    raise OSError("no free name for a temporary file")


def _sync_folder(folder: Path) -> None:
    """The new name reaches the disk too, on systems where a folder can be opened."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
