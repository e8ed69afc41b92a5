"""The loop: waits for a reason to look, looks, and begins again; until it is asked to stop.

Everything runs in one task but a round, which has its own so that a stop can end its reading. A
round that writes is never ended: its request in flight is finished.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Final

from envsync.applying.exit_code import exit_code
from envsync.applying.stop import StopSignal
from envsync.errors import EnvsyncError, ExitCode, FileError, NetworkError
from envsync.operations.workspace import Workspace
from envsync.project.config import Project
from envsync.watching import events
from envsync.watching.backoff import LONGEST, LONGEST_UNREACHABLE, backoff
from envsync.watching.board import Board
from envsync.watching.coalescing import Coalescer
from envsync.watching.folders import Folders, folders
from envsync.watching.outlook import Outlook
from envsync.watching.pace import Pace
from envsync.watching.round import SETTLE_SECONDS, Round, Tell, WatchOptions
from envsync.watching.source import Source

TICK_SECONDS: Final = 1.0
"""How often the root is looked at: one that was made again is another folder."""


class Loop:
    """Watches one workspace. ``show`` is called whenever the board may look different."""

    def __init__(
        self,
        workspace: Workspace,
        source: Source,
        options: WatchOptions,
        *,
        tell: Tell,
        show: Callable[[], None] = lambda: None,
        board: Board | None = None,
        stop: StopSignal | None = None,
    ) -> None:
        self.board = board or Board()
        self.board.project = workspace.project.config.project
        self.board.context = workspace.context.name
        self.board.applies = options.apply
        self._workspace = workspace
        self._source = source
        self._options = options
        self._tell = tell
        self._show = show
        self._stop = stop or StopSignal()
        self._round = Round(options, self.board, tell, self._stop)
        self._wake = asyncio.Event()
        self._events = Coalescer()
        self._pace = Pace()
        self._running: asyncio.AbstractEventLoop | None = None
        self._outlook = Outlook(
            self._folders,
            tell,
            lambda: self._call(self._noticed),
            lambda why: self._call(self._notice_broken, why),
        )
        self._dirty = True
        self._failures = 0
        self._failing_since = 0.0
        self._retry_at = 0.0
        self._poll_at = 0.0
        self._look_at = 0.0

    @property
    def root(self) -> Path:
        """Where the files of the last look lie."""
        look = self._round.look
        return (self._workspace if look is None else look.workspace).project.root

    def stop(self, number: int) -> None:
        """Asks the loop to end; ``number`` is the signal's. Must be called in its thread."""
        self._stop.stop(number)
        self._wake.set()

    async def once(self) -> ExitCode:
        """One round, and another one while files are just being changed. Raises
        ``EnvsyncError`` for what ``run`` would only tell."""
        try:
            while True:
                since = time.monotonic()
                look = await self._source.look()
                self._round.see_files(look)
                if look.has_errors:
                    raise FileError.of(look.errors)
                await self._round.see_server()
                await self._round.replan(since)
                await self._round.carry_out(settled=True)
                done = self._round.outcomes or self._round.again_at is None
                if done or self._stop.is_set:
                    return self._code_of_once()
                await asyncio.sleep(SETTLE_SECONDS)
        finally:
            await self._round.link.drop()
            self._source.close()

    def _code_of_once(self) -> ExitCode:
        plan = self._round.plan
        if self._round.outcomes:
            code = exit_code(self._round.outcomes, self._stop.number)
            # What was not even sent (drift, what the server would refuse) is not done either.
            return ExitCode.PARTIAL if code is ExitCode.DONE and self._round.left else code
        if plan is None or not plan.changes:
            return ExitCode.DONE
        return ExitCode.REFUSED if self._options.apply else ExitCode.CHANGES

    async def run(self) -> ExitCode:
        """Watches until ``stop``. Returns the exit code."""
        self._running = asyncio.get_running_loop()
        try:
            while not self._stop.is_set:
                await self._turn()
                self._show()
                await self._rest()
            return self._ended()
        finally:
            self._outlook.close()
            await self._round.link.drop()
            self._source.close()

    async def _turn(self) -> None:
        """Does what is due now."""
        outlook = self._outlook
        now = time.monotonic()
        due = self._events.due
        since, settled = now, due is None
        if due is not None and due <= now:
            since = self._events.since or now
            settled = self._events.take(now)
            self._dirty = True
        self._dirty = self._dirty or outlook.is_doubtful(now)
        if now >= outlook.sweep_at:
            outlook.swept(now)
            await self._sweep()
        again = self._round.again_at
        asked = again is not None and again <= now
        looks = self._dirty and now >= self._look_at
        if looks or ((asked or now >= self._poll_at) and now >= self._retry_at):
            await self._interruptible(self._work(settled=settled, since=since))

    async def _work(self, *, settled: bool, since: float) -> None:
        """A round, and what follows from its success or failure."""
        try:
            if self._dirty and time.monotonic() >= self._look_at:
                await self._look()
            if self._round.look is None or time.monotonic() < self._retry_at:
                self.board.doing = "waiting to try again"
                return
            self.board.doing = "asking the server"
            stirred = await self._round.see_server()
            await self._round.replan(since)
            self._recovered()
            settled = settled and not self._dirty and self._events.due is None
            await self._round.carry_out(settled=settled)
        except FileError:
            # A file went away between the look and the reading of it.
            self._dirty = True
            self._look_at = self._poll_at = time.monotonic() + SETTLE_SECONDS
        except EnvsyncError as error:
            await self._failed(error)
        else:
            self._succeeded(stirred=stirred)

    async def _look(self) -> None:
        outlook = self._outlook
        self.board.doing = "reading the files"
        outlook.check()
        self._dirty = False
        try:
            look = await self._source.look()
        except EnvsyncError:
            self._dirty = True
            raise
        self._round.see_files(look)
        self._pace.stir()
        if outlook.check():
            self._dirty = True  # what happened there before it was watched
        if outlook.moved:
            outlook.moved = False
            self._round.link.doubt()  # an embedded server's database went with the folder

    def _recovered(self) -> None:
        if self._failures:
            self._tell(events.Recovered(time.monotonic() - self._failing_since))
        self._failures, self._retry_at = 0, 0.0
        self.board.trouble = None

    def _succeeded(self, *, stirred: bool) -> None:
        now = time.monotonic()
        self.board.rounds_total += 1
        if stirred or self._round.again_at is not None:
            self._pace.stir()
        else:
            self._pace.idle()
        self._poll_at = now + self._pace.wait
        if self.board.wrong:
            self.board.doing = "waiting until the files are mended"
        elif self._round.again_at is None:
            self.board.doing = "watching"

    async def _failed(self, error: EnvsyncError) -> None:
        await self._round.link.drop()
        now = time.monotonic()
        if not self._failures:
            self._failing_since = now
        self._failures += 1
        away = isinstance(error, NetworkError)
        longest = LONGEST_UNREACHABLE if away else LONGEST
        wait = backoff(self._failures, random.random(), longest=longest)  # noqa: S311
        self._retry_at = self._poll_at = now + wait
        if self._dirty:
            self._look_at = self._retry_at
        self.board.errors_total += 1
        self.board.doing = "waiting to try again"
        problem = error.problems[0]
        if self.board.trouble is None or self.board.trouble.code != problem.code:
            self._tell(events.Trouble(problem, wait, self._failures))
        self.board.trouble = problem

    async def _interruptible(self, work: Coroutine[object, None, None]) -> None:
        """Carries ``work`` out; a stop ends it unless it writes."""
        task = asyncio.ensure_future(work)
        while not task.done():
            waiting = asyncio.ensure_future(self._wake.wait())
            await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            self._wake.clear()
            self._show()
            if self._stop.is_set and not self._round.applying:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
                return
            if self._stop.is_set:
                await asyncio.wait({task})
        task.result()

    async def _rest(self) -> None:
        """Waits until something is due or happens."""
        now = time.monotonic()
        times = [now + TICK_SECONDS]
        if self._failures:
            times.append(self._retry_at)
        else:
            times += [self._poll_at, self._round.again_at or self._poll_at]
        if self._events.due is not None:
            times.append(self._events.due)
        if self._dirty:
            times.append(self._look_at)
        if not self._stop.is_set:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), max(0.001, min(times) - now))
            self._wake.clear()

    async def _sweep(self) -> None:
        """Looks at the stamps of all files, in case a wake-up was lost."""
        if self._round.look is not None and not self._dirty:
            loop = asyncio.get_running_loop()
            self._dirty = await loop.run_in_executor(None, self._source.is_stale)

    def _call(self, what: Callable[..., None], *arguments: str) -> None:
        """Has ``what`` called in the loop's thread; this is another one."""
        if self._running is not None:
            with suppress(RuntimeError):  # the loop has ended meanwhile
                self._running.call_soon_threadsafe(what, *arguments)

    def _noticed(self) -> None:
        self._events.note(time.monotonic())
        self._wake.set()

    def _notice_broken(self, why: str) -> None:
        self._outlook.broke(why)
        self._noticed()

    def _folders(self) -> Folders:
        root = self._workspace.project.root
        return folders(root, self._project(), files=self._options.from_tree)

    def _project(self) -> Project | None:
        look = self._round.look
        return self._workspace.project if look is None else look.workspace.project

    def _ended(self) -> ExitCode:
        pending = self.board.pending if self._options.apply else ()
        unsure = self._options.apply and self._round.plan is None
        number = self._stop.number or 0
        code = ExitCode.DONE
        if pending or unsure:
            code = ExitCode.TERMINATED if number == 15 else ExitCode.INTERRUPTED
        self._tell(events.Stopped(number, pending, code))
        return code
