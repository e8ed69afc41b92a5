"""Writing a file so that nobody ever sees half of it."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from envsync.errors import FileError, Position

_ATTEMPTS: Final = 100
_SIDE_BY_SIDE: Final = 16
"""Waiting for the disk is what takes the time; many waits at once are hardly longer than one."""
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
        target, temporary = _prepare(path, data)
        _take_name(temporary, target)
        _sync_folder(target.parent)
    except (OSError, RuntimeError) as error:
        raise _cannot(path, error) from error


def write_together(files: Mapping[Path, bytes]) -> None:
    """``write_atomically`` of many files: every byte is on the disk before the first file changes.

    Folders that are missing are made. Raises FileError (E123) when a file cannot be written; as
    long as that is told before the first one changes, none has.
    """
    prepared: dict[Path, tuple[Path, Path]] = {}
    try:
        for folder in {path.parent for path in files}:
            folder.mkdir(parents=True, exist_ok=True)
        with ThreadPoolExecutor(_SIDE_BY_SIDE) as pool:
            works = {path: pool.submit(_prepare, path, data) for path, data in files.items()}
        for path, work in works.items():
            if work.exception() is None:
                prepared[path] = work.result()
        for path, work in works.items():
            fault = work.exception()
            if isinstance(fault, OSError | RuntimeError):
                raise _cannot(path, fault) from fault
            work.result()
        for path in files:
            target, temporary = prepared[path]
            try:
                _take_name(temporary, target)
            except OSError as error:
                raise _cannot(path, error) from error
    except OSError as error:
        path = next(iter(files)).parent
        raise _cannot(path, error) from error
    finally:
        for _, temporary in prepared.values():
            with contextlib.suppress(OSError):
                temporary.unlink()
    for folder in {target.parent for target, _ in prepared.values()}:
        with contextlib.suppress(OSError):
            _sync_folder(folder)


def _prepare(path: Path, data: bytes) -> tuple[Path, Path]:
    """The file that is meant, and a new one beside it that holds ``data``, also on the disk."""
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
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    return target, temporary


def _take_name(temporary: Path, target: Path) -> None:
    try:
        temporary.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def _cannot(path: Path, error: BaseException) -> FileError:
    """RuntimeError is a loop of links, in older Pythons."""
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return FileError(
        "E123",
        f"the file cannot be written: {reason}",
        position=Position(path.as_posix()),
        remedy="check the permissions and the free space of its folder; it is as it was",
    )


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
