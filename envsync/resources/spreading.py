"""Many independent pieces of work over the machine's processors, where that pays.

Python runs one thread at a time, so a part of the work goes to forked copies of this process. It
is an optimisation and nothing else: where there is no fork, one processor, little work, another
thread that runs, or a copy that fails, this process does all of it.
"""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NoReturn, TypeVar

T = TypeVar("T")
R = TypeVar("R")

WORTH_A_COPY = 400
"""Pieces of work that take longer than to fork a process and to read what it found."""

_MOST_COPIES = 3


def spread(work: Sequence[T], do: Callable[[T], R]) -> list[R]:
    """``[do(each) for each in work]``. What ``do`` returns is pickled; what it changes elsewhere
    is lost. It must neither start threads nor use an event loop."""
    parts = _parts(len(work))
    if parts < 2:
        return [do(each) for each in work]
    size = -(-len(work) // parts)
    shares = [work[start : start + size] for start in range(0, len(work), size)]
    copies = [_copy(share, do) for share in shares[1:]]
    done = [do(each) for each in shares[0]]
    for share, copy in zip(shares[1:], copies, strict=True):
        found: list[R] | None = None if copy is None else _result(*copy)
        done += [do(each) for each in share] if found is None else found
    return done


def _parts(pieces: int) -> int:
    """Into how many shares the work is cut; 1 where this process does it alone."""
    if not hasattr(os, "fork") or threading.active_count() > 1:
        return 1
    if hasattr(os, "sched_getaffinity"):
        processors = len(os.sched_getaffinity(0))
    else:
        processors = os.cpu_count() or 1
    return max(1, min(processors, _MOST_COPIES + 1, pieces // WORTH_A_COPY))


def _copy(share: Sequence[T], do: Callable[[T], R]) -> tuple[int, int] | None:
    """A forked process that does ``share``: its id and the pipe it answers on."""
    try:
        reading, writing = os.pipe()
    except OSError:
        return None
    try:
        process = os.fork()
    except OSError:
        os.close(reading)
        os.close(writing)
        return None
    if process == 0:
        os.close(reading)
        _answer(share, do, writing)
    os.close(writing)
    return process, reading


def _answer(share: Sequence[T], do: Callable[[T], R], writing: int) -> NoReturn:
    """The copy's whole life. It leaves without a word when anything goes wrong, and runs none of
    the handlers that belong to the process it was copied from."""
    with suppress(BaseException):
        data = pickle.dumps([do(each) for each in share], protocol=pickle.HIGHEST_PROTOCOL)
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(data)
        os._exit(0)
    os._exit(1)


def _result(process: int, reading: int) -> list[R] | None:
    """What a copy found; ``None`` when it did not get that far."""
    with os.fdopen(reading, "rb") as pipe:
        data = pipe.read()
    _, status = os.waitpid(process, 0)
    if status != 0:
        return None
    found: list[R] = pickle.loads(data)  # noqa: S301 - written by a copy of this process
    return found
