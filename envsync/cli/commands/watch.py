"""watch: plan, and where told to apply, whenever files or server change."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from envsync.cli import places
from envsync.cli.arguments import Arguments
from envsync.cli.console import Console
from envsync.cli.live import Live, can_be_live
from envsync.errors import ExitCode, UsageError
from envsync.operations.planning import PlanOptions
from envsync.operations.workspace import Workspace
from envsync.planning.selection import Selection
from envsync.watching import events
from envsync.watching.board import Board
from envsync.watching.event_json import event_line
from envsync.watching.event_text import event_lines
from envsync.watching.listening import Listener
from envsync.watching.loop import Loop
from envsync.watching.round import WatchOptions
from envsync.watching.source import Commits, Source, WorkingTree

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_ON_DRIFT: dict[str, Literal["refuse", "overwrite"]] = {
    "refuse": "refuse",
    "overwrite": "overwrite",
}


def run(arguments: Arguments, console: Console) -> ExitCode:
    """Watches until a signal, or carries out one round with ``--once``."""
    workspace = places.workspace(arguments, console)
    options = _options(arguments, workspace)
    return asyncio.run(_watch(arguments, console, workspace, options))


def _options(arguments: Arguments, workspace: Workspace) -> WatchOptions:
    applies = arguments.flag("apply")
    commits = arguments.text("source") == "commit"
    if arguments.text("ref") is not None and not commits:
        raise UsageError("E904", "--ref names a branch of commits", remedy="add: --source commit")
    context = workspace.context
    if applies and context.protected and not arguments.flag("yes"):
        raise UsageError(
            "E909",
            f"context `{context.name}` is protected: somebody must say that watch may write there",
            remedy=f"if that is right: envsync watch --apply --yes --context {context.name}",
        )
    audit = arguments.text("audit")
    on_drift = arguments.text("on_drift")
    return WatchOptions(
        plan=PlanOptions(
            selection=Selection(
                paths=places.selected(arguments, workspace.project.root),
                types=arguments.several("type"),
                names=arguments.several("name"),
            ),
            prune=arguments.flag("prune"),
            on_drift=None if on_drift is None else _ON_DRIFT[on_drift],
        ),
        apply=applies,
        approved=arguments.flag("yes"),
        allow_dirty=arguments.flag("allow_dirty"),
        from_tree=not commits,
        audit=places.start(arguments) / audit if audit is not None else None,
    )


async def _watch(
    arguments: Arguments, console: Console, workspace: Workspace, options: WatchOptions
) -> ExitCode:
    board = Board()
    once = arguments.flag("once")
    with ExitStack() as stack:
        live = None
        if not once and can_be_live(console):
            live = Live(console, board)
        teller = _Teller(console, live)
        source = _source(arguments, workspace)
        loop = Loop(
            workspace,
            source,
            options,
            tell=teller,
            show=live.show if live else lambda: None,
            board=board,
        )
        teller.root = lambda: loop.root
        listener = Listener(board)
        port = arguments.number("listen")
        if port is not None and not once:
            await listener.open(port)
        if live is not None:
            stack.enter_context(live)
        stack.enter_context(_signals(loop, live))
        teller(_started(arguments, workspace, options, listener.address))
        try:
            return await (loop.once() if once else loop.run())
        finally:
            await listener.close()
            teller.finish = stack.pop_all().close
            teller.end()


def _source(arguments: Arguments, workspace: Workspace) -> Source:
    if arguments.text("source") == "commit":
        return Commits(workspace, arguments.text("ref") or "HEAD")
    return WorkingTree(workspace)


def _started(
    arguments: Arguments, workspace: Workspace, options: WatchOptions, address: str
) -> events.Started:
    commits = not options.from_tree
    return events.Started(
        workspace.project.config.project,
        workspace.context.name,
        workspace.context.server,
        "commit" if commits else "worktree",
        (arguments.text("ref") or "HEAD") if commits else "",
        options.apply,
        address,
    )


class _Teller:
    """Prints each event as it comes: a line, lines, or a place below the live table."""

    def __init__(self, console: Console, live: Live | None) -> None:
        self._console = console
        self._live = live
        self._last: events.Event | None = None
        self.root: Callable[[], Path] = Path
        self.finish: Callable[[], object] = lambda: None

    def __call__(self, event: events.Event) -> None:
        self._last = event
        now = datetime.now(UTC)
        if self._console.is_json:
            self._console.data(event_line(event, now))
            return
        read = places.sources(self.root())
        rows = event_lines(event, now, read, self._console.width)
        if self._live is None:
            self._console.out(rows)
        else:
            self._live.tell(rows)

    def end(self) -> None:
        """Gives the terminal back, and leaves the last word on it."""
        self.finish()
        if self._live is not None and self._last is not None:
            last, self._live = self._last, None
            self(last)


@contextmanager
def _signals(loop: Loop, live: Live | None) -> Iterator[None]:
    """Ctrl-C and SIGTERM stop the loop, the second one at once; the terminal's own are obeyed."""
    running = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    stopping = False

    def stop(number: int) -> None:
        nonlocal stopping
        if stopping:
            signal.signal(number, before[signal.Signals(number)])
            signal.raise_signal(number)
        stopping = True
        loop.stop(number)

    added = []
    for number, handle in _handlers(stop, live):
        try:
            running.add_signal_handler(number, handle)
            added.append(number)
        except (NotImplementedError, ValueError, RuntimeError):
            if number in _SIGNALS:
                signal.signal(number, lambda found, _: running.call_soon_threadsafe(stop, found))
    try:
        yield
    finally:
        for each in added:
            running.remove_signal_handler(each)
        for each, earlier in before.items():
            signal.signal(each, earlier)


def _handlers(
    stop: Callable[[int], None], live: Live | None
) -> Iterator[tuple[int, Callable[[], None]]]:
    yield signal.SIGINT, lambda: stop(signal.SIGINT)
    yield signal.SIGTERM, lambda: stop(signal.SIGTERM)
    if live is None or not hasattr(signal, "SIGTSTP"):
        return

    def suspend() -> None:
        live.leave()
        signal.raise_signal(signal.SIGSTOP)
        live.enter()

    yield signal.SIGWINCH, live.draw
    yield signal.SIGTSTP, suspend
