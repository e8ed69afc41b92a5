"""Group commit: one thread takes what is waiting and commits it together.

A commit costs a trip to the disk, whatever it holds. While one is under way further works queue
up, and share the next: a single writer waits for no one, many writers share the cost.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any, Final, Protocol, TypeVar, cast

from msgspec import Struct

from envsync.errors import StoreError
from envsync.server.store.interface import Transaction

T = TypeVar("T")
_ATTEMPTS: Final = 8


class Conflict(Exception):  # noqa: N818 - an event to react to
    """Other writers were in the way: nothing was done, run it again, alone if ``alone``."""


class Spoilt(Exception):  # noqa: N818 - an event to react to
    """The transaction as a whole failed for ``cause``.

    ``final`` says that its works are not to be run one by one: that would fail likewise, wait as
    long each time, or do again what was perhaps done.
    """

    def __init__(self, cause: StoreError, *, final: bool = False) -> None:
        super().__init__(str(cause))
        self.cause = cause
        self.final = final


class Writer(Protocol):
    """A connection that writes, used by one thread.

    ``begin``, the works and ``commit`` raise ``Spoilt`` or ``Conflict`` when the database fails;
    then ``abandon`` has to make the connection usable again.
    """

    def begin(self, *, alone: bool) -> Transaction: ...

    def settle(self) -> None:
        """Keeps what the work did that ran since the last ``settle`` or ``undo``."""
        ...

    def undo(self) -> None: ...

    def commit(self) -> None: ...

    def abandon(self) -> None: ...

    def translated(self, error: Exception) -> Exception | None:
        """``Spoilt`` or ``Conflict`` when ``error`` comes from the database, else ``None``."""
        ...

    def crowded(self, attempts: int) -> StoreError: ...

    def close(self) -> None: ...


class _Work(Struct, frozen=True):
    run: Callable[[Transaction], Any]
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]


class _Result(Struct, frozen=True):
    value: Any = None
    error: Exception | None = None


class GroupCommitter:
    """The writers of one store: a queue, and ``threads`` that drain it."""

    def __init__(self, connect: Callable[[], Writer], *, batch: int, threads: int = 1) -> None:
        self._connect = connect
        self._batch = batch
        self._queue: SimpleQueue[_Work | None] = SimpleQueue()
        self._guard = threading.Lock()
        self._wanted = threads
        self._threads: list[threading.Thread] = []
        self._closed = False

    async def write(self, run: Callable[[Transaction], T]) -> T:
        """Runs ``run`` in the next batch; returns after its COMMIT."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        with self._guard:
            if self._closed:
                raise RuntimeError("the store is closed")
            if len(self._threads) < self._wanted:
                self._start_thread()
            self._queue.put(_Work(run, loop, future))
        return await future

    def close(self) -> None:
        """Commits what waits, then ends the threads. Blocks."""
        with self._guard:
            if self._closed:
                return
            self._closed = True
            for _ in self._threads:
                self._queue.put(None)
        for thread in self._threads:
            thread.join()

    def _start_thread(self) -> None:
        # A daemon: what is answered is durable, so nothing is lost when the process just ends.
        thread = threading.Thread(target=self._drain, name="envsync-commit", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _drain(self) -> None:
        writer: Writer | None = None
        while (works := self._take()) is not None:
            try:
                if writer is None:
                    writer = self._connect()
                results = _carry_out(writer, works)
            except Exception as error:  # noqa: BLE001 - whoever waits must be told
                results = [_Result(error=error)] * len(works)
                if writer is not None:
                    with contextlib.suppress(Exception):
                        writer.close()
                    writer = None
            _answer(works, results)
        if writer is not None:
            writer.close()

    def _take(self) -> list[_Work] | None:
        """The works that wait, at least one; ``None`` when this thread is to end."""
        first = self._queue.get()
        if first is None:
            return None
        works = [first]
        with contextlib.suppress(Empty):
            while len(works) < self._batch:
                work = self._queue.get_nowait()
                if work is None:
                    self._queue.put(None)
                    break
                works.append(work)
        return works


def _carry_out(writer: Writer, works: list[_Work]) -> list[_Result]:
    """One commit for all of ``works``; one each when that fails, so that none hurts another."""
    try:
        return _persist(writer, works)
    except Spoilt as spoilt:
        if len(works) == 1 or spoilt.final:
            return [_Result(error=spoilt.cause)] * len(works)
    return [_carry_out(writer, [work])[0] for work in works]


def _persist(writer: Writer, works: list[_Work]) -> list[_Result]:
    """Tries until no other writer is in the way; from the second time on it asks to be alone."""
    for attempt in range(_ATTEMPTS):
        try:
            return _attempt(writer, works, alone=attempt > 0)
        except Conflict:
            time.sleep(random.uniform(0, 0.002 * 2**attempt))  # noqa: S311 - not a secret
    raise Spoilt(writer.crowded(_ATTEMPTS), final=True)


def _attempt(writer: Writer, works: list[_Work], *, alone: bool) -> list[_Result]:
    try:
        tx = _begun(writer, alone=alone)
        results = [_run(writer, tx, work) for work in works]
        writer.commit()
    except Exception:
        writer.abandon()
        raise
    return results


def _begun(writer: Writer, *, alone: bool) -> Transaction:
    try:
        return writer.begin(alone=alone)
    except Spoilt as spoilt:
        raise Spoilt(spoilt.cause, final=True) from spoilt.cause


def _run(writer: Writer, tx: Transaction, work: _Work) -> _Result:
    try:
        value = work.run(tx)
    except Exception as error:
        translated = writer.translated(error)
        if translated is not None:
            raise translated from error
        writer.undo()
        return _Result(error=error)
    writer.settle()
    return _Result(value)


def _answer(works: list[_Work], results: list[_Result]) -> None:
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[_Work, _Result]]] = defaultdict(list)
    for work, result in zip(works, results, strict=True):
        by_loop[work.loop].append((work, result))
    for loop, answers in by_loop.items():
        # The loop may have ended in the meantime, and whoever waited with it.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(_deliver, answers)


def _deliver(answers: list[tuple[_Work, _Result]]) -> None:
    for work, result in answers:
        if work.future.done():
            continue
        if result.error is None:
            work.future.set_result(result.value)
        else:
            work.future.set_exception(cast("BaseException", result.error))
