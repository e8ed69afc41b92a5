"""The live table: how everything stands, redrawn in place on a terminal's other screen.

Pure but for what it is handed: it makes text, and whoever has the terminal writes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from envsync.contract.states import State
from envsync.operations.reports import StatusRow
from envsync.rendering import cells
from envsync.rendering.status_report import status_table
from envsync.rendering.symbols import STOPPED
from envsync.rendering.text import EMPTY, Line, Span, Style, counted, elapsed, line, quiet, strong
from envsync.watching.board import Board

ENTER = "\x1b[?1049h\x1b[?25l\x1b[H\x1b[2J"
"""To the other screen, without a cursor."""

LEAVE = "\x1b[?25h\x1b[?1049l"
"""Back to what was there before."""

_CALM = (State.IN_SYNC, State.FOREIGN)


def frame(board: Board, recent: Sequence[Line], now: float, columns: int, rows: int) -> list[Line]:
    """The whole screen: exactly at most ``rows`` lines of at most ``columns`` cells.

    What needs a look comes first; what does not fit is counted. ``recent`` are the last events,
    the newest last. ``now`` is in seconds since 1970.
    """
    head = _head(board, now)
    tail = [EMPTY, *_doing(board, now)]
    room = max(0, rows - len(head) - len(tail))
    news = list(recent)[-min(5, max(0, room - 4)):] if room > 4 else []  # fmt: skip
    if news:
        news = [EMPTY, *news]
    table = _table(board, now, columns, room - len(news))
    return [_cut(each, columns) for each in (*head, *table, *news, *tail)][:rows]


def screen_text(painted: str) -> str:
    """What to write for a frame: over the old one, line by line, so that nothing flickers."""
    lines = painted.split("\n")[:-1]
    return "\x1b[H" + "\r\n".join(f"{each}\x1b[K" for each in lines) + "\x1b[J"


def _head(board: Board, now: float) -> list[Line]:
    commit = f"   commit {board.commit[:7]}" if board.commit else ""
    does = "applies" if board.applies else "plans only"
    server = f" ({board.server})" if board.server else ""
    return [
        line(strong(f"{board.project} -> {board.context}"), f"{server}{commit}   ", quiet(does)),
        EMPTY,
    ]


def _table(board: Board, now: float, columns: int, room: int) -> list[Line]:
    if room < 2 or not board.rows:
        return []
    ordered = sorted(board.rows, key=_urgency)
    fits = len(ordered) <= room - 1
    shown = ordered if fits else ordered[: max(0, room - 2)]
    moment = datetime.fromtimestamp(now, UTC)
    table = status_table(shown, moment, columns)
    if not fits:
        table.append(line(quiet(f"and {counted(len(ordered) - len(shown), 'object')} more")))
    return table


def _urgency(row: StatusRow) -> bool:
    return row.state in _CALM


def _doing(board: Board, now: float) -> list[Line]:
    said = []
    problem = board.trouble or next(iter(board.wrong), None) or board.withheld
    if problem is not None:
        where = f"{problem.position}: " if problem.position else ""
        said.append(line(STOPPED, Span(f" {where}{problem.message}", Style.ERROR)))
    counts = board.counts
    parts = ", ".join(f"{counts[each]:,} {each.value}" for each in State if counts.get(each))
    ages = ""
    if board.planned_at:
        ages = f"   planned {_age(board.planned_at, now)} ago, in {elapsed(board.plan_seconds)}"
    if board.applied_at:
        ages += f"   applied {_age(board.applied_at, now)} ago"
    said.append(line(f"{counted(len(board.rows), 'object')}: {parts or 'none yet'}", quiet(ages)))
    asked = f", server asked {_age(board.seen_at, now)} ago" if board.seen_at else ""
    said.append(line(quiet(f"{board.doing}{asked}   (Ctrl-C ends)")))
    return said


def _age(then: float, now: float) -> str:
    """Whole seconds up to a minute, whole minutes after that: the screen need not be redrawn
    more often."""
    seconds = max(0, int(now - then))
    if seconds < 60:
        return f"{seconds} s"
    return f"{seconds // 60} min" if seconds < 7200 else f"{seconds // 3600} h"


def _cut(row: Line, columns: int) -> Line:
    room, spans = columns, []
    for span in row:
        if room <= 0:
            break
        text = cells.clip(span.text, room)
        spans.append(Span(text, span.style))
        room -= cells.width(text)
    return tuple(spans)
