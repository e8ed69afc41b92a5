"""What is told of each event, to people, to programs and to whoever collects metrics."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from http.client import HTTPConnection

import jsonschema_rs
import pytest

from envsync.applying.outcome import Outcome, Result
from envsync.contract.assets import asset
from envsync.contract.states import State
from envsync.errors import ExitCode, Position, Problem, UsageError
from envsync.operations.reports import StatusRow
from envsync.planning.plan import Change, Foreseen, Notice, Op, Plan, ServerIdentity
from envsync.rendering import cells
from envsync.rendering.text import plain
from envsync.resources.resource import Base, ObjectId
from envsync.watching import events
from envsync.watching.board import Board
from envsync.watching.contest import Contested
from envsync.watching.differences import Saved
from envsync.watching.event_json import event_line
from envsync.watching.event_text import event_lines
from envsync.watching.listening import Listener
from envsync.watching.metrics import metrics
from envsync.watching.screen import frame, screen_text

NOW = datetime(2026, 11, 29, 10, 30, 15, 123456, tzinfo=UTC)
EVIL = "evil\x1b[2J\u202e\n"
WEB = ObjectId("manifest", "web")
PROBLEM = Problem("E101", f"wrong {EVIL}", position=Position("manifests/web.yaml", 3, 9))
CHANGE = Change(
    WEB,
    Op.UPDATE,
    State.DIFFERS,
    Base(3, "a"),
    "b",
    path="manifests/web.yaml",
    foreseen=Foreseen(errors=(Notice("x", EVIL),)),
)
PLAN = Plan(
    "0" * 64,
    "acme",
    "local",
    ServerIdentity("https://runtime.example"),
    "7" * 64,
    (CHANGE, Change(ObjectId("manifest", "new"), Op.CREATE, State.NEW, held_back="drift")),
    commit="c" * 40,
)
OUTCOMES = (
    Outcome(WEB, Op.UPDATE, Result.APPLIED, Base(4, "b")),
    Outcome(WEB, Op.DELETE, Result.CONFLICT, None, PROBLEM, (EVIL,)),
)

EVERY: list[events.Event] = [
    events.Started("acme", "local", "embedded", "worktree", "", False),
    events.Started("acme", "local", "embedded", "commit", "HEAD", True, "http://127.0.0.1:1"),
    events.FilesChanged("7" * 64, "c" * 40, 12, ()),
    events.FilesChanged("7" * 64, "", 12, tuple(ObjectId("manifest", f"m{n}") for n in range(9))),
    events.FilesWrong((PROBLEM,)),
    events.FilesMended(),
    events.ServerChanged(
        (Saved(WEB, "saved", 3, EVIL, "2026-11-29T10:00:00Z"), Saved(WEB, "deleted"))
    ),
    events.Planned(PLAN, {State.DIFFERS: 1, State.DRIFT: 1}, 0.2),
    events.Withheld(PROBLEM),
    events.Applied(OUTCOMES, ExitCode.PARTIAL, 0.4),
    events.Parked(Contested(WEB, 3, EVIL)),
    events.Trouble(PROBLEM, 1.5, 2),
    events.Recovered(12.0),
    events.Rearmed(EVIL, 3, True),
    events.Rearmed("no watches", 3, False),
    events.Stopped(15, (WEB,), ExitCode.TERMINATED),
    events.Stopped(0, (), ExitCode.DONE),
]


def no_source(path: str) -> bytes | None:
    return None


@pytest.mark.parametrize("event", EVERY, ids=lambda event: type(event).__name__)
def test_each_line_of_json_is_as_the_schema_says(event: events.Event) -> None:
    schema = json.loads(asset("schemas/watch-event.schema.json").read_bytes())
    line = event_line(event, NOW)
    assert line.isascii()
    assert line.count("\n") == 1
    said = json.loads(line)
    assert said["at"] == "2026-11-29T10:30:15.123Z"
    validator = jsonschema_rs.validator_for(schema)
    assert [error.message for error in validator.iter_errors(said)] == []


def test_every_event_is_in_the_schema_and_the_reverse() -> None:
    schema = json.loads(asset("schemas/watch-event.schema.json").read_bytes())
    named = {each["$ref"].rpartition("/")[2] for each in schema["oneOf"]}
    assert named == {json.loads(event_line(event, NOW))["event"] for event in EVERY}


@pytest.mark.parametrize("event", EVERY, ids=lambda event: type(event).__name__)
def test_for_people_it_begins_with_the_time_and_holds_nothing_hostile(
    event: events.Event,
) -> None:
    text = plain(event_lines(event, NOW, no_source, 80))
    assert text[2] == text[5] == ":"
    assert "\x1b" not in text
    assert "\u202e" not in text


def board(rows: int = 3) -> Board:
    made = Board("acme", "local", "embedded", applies=True, commit="c" * 40, doing="watching")
    made.rows = (
        *tuple(
            StatusRow(ObjectId("manifest", f"box-{number:03}"), State.IN_SYNC, version=1)
            for number in range(rows - 1)
        ),
        StatusRow(ObjectId("manifest", "zz-drifted"), State.DRIFT, version=12),
    )
    made.planned_at = made.applied_at = made.seen_at = NOW.timestamp()
    return made


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (120, 60), (40, 10), (20, 5), (300, 7)])
@pytest.mark.parametrize("objects", [1, 3, 500])
def test_the_live_table_fits_whatever_terminal_there_is(
    columns: int, rows: int, objects: int
) -> None:
    recent = [event_lines(event, NOW, no_source, columns)[0] for event in EVERY]
    lines = frame(board(objects), recent, NOW.timestamp() + 5, columns, rows)
    assert len(lines) <= rows
    assert all(cells.width(plain([line]).rstrip("\n")) <= columns for line in lines)


def test_what_needs_a_look_stands_first() -> None:
    shown = plain(frame(board(500), [], NOW.timestamp(), 80, 24))
    assert "zz-drifted" in shown
    assert "objects more" in shown
    assert "1 drift" in shown


def test_a_frame_is_drawn_over_the_one_before() -> None:
    text = screen_text("one\ntwo\n")
    assert text == "\x1b[Hone\x1b[K\r\ntwo\x1b[K\x1b[J"


def test_the_metrics_are_prometheus_text_and_name_every_state() -> None:
    made = board()
    made.context = 'a"b\\c\nd'
    made.behind_since = NOW.timestamp() - 30
    made.outcomes_total["applied"] = 4
    text = metrics(made, NOW.timestamp())
    assert text.endswith("\n")
    assert 'context="a\\"b\\\\c\\nd"' in text
    for state in State:
        assert f'state="{state.value}"' in text
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    values = {line.split("{")[0]: line.rpartition(" ")[2] for line in lines}
    assert values["envsync_lag_seconds"] == "30"
    assert float(values["envsync_last_apply_timestamp_seconds"]) == pytest.approx(NOW.timestamp())
    helped = {line.split(" ")[2] for line in text.splitlines() if line.startswith("# HELP")}
    assert helped == set(values)


def ask(listener: Listener, method: str, path: str, **headers: str) -> tuple[int, str]:
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    answer = listener.answer(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode()).decode()
    top, _, body = answer.partition("\r\n\r\n")
    return int(top.split(" ")[1]), body


def test_health_is_bad_while_something_is_in_the_way() -> None:
    made = board()
    listener = Listener(made)
    assert ask(listener, "GET", "/healthz")[0] == 200
    made.trouble = PROBLEM
    status, body = ask(listener, "GET", "/healthz?verbose", host="localhost:9")
    assert status == 503
    assert json.loads(body)["problem"]["code"] == "E101"


@pytest.mark.parametrize(
    ("method", "path", "host", "status"),
    [
        ("GET", "/metrics", "127.0.0.1:1234", 200),
        ("HEAD", "/metrics", "[::1]:1234", 200),
        ("POST", "/metrics", "localhost", 405),
        ("GET", "/", "localhost", 404),
        ("GET", "/metrics", "rebound.example", 403),
        ("GET", "/metrics", "rebound.example:80", 403),
    ],
)
def test_only_two_pages_only_reads_only_for_this_machine(
    method: str, path: str, host: str, status: int
) -> None:
    found, body = ask(Listener(board()), method, path, host=host)
    assert found == status
    assert method != "HEAD" or not body


def test_it_listens_on_loopback_and_closes() -> None:
    async def scenario() -> None:
        listener = Listener(board())
        await listener.open(0)
        assert listener.address.startswith("http://127.0.0.1:")
        port = int(listener.address.rpartition(":")[2])

        def fetch() -> tuple[int, bytes]:
            connection = HTTPConnection("127.0.0.1", port, timeout=10)
            try:
                connection.request("GET", "/metrics")
                response = connection.getresponse()
                return response.status, response.read()
            finally:
                connection.close()

        status, body = await asyncio.to_thread(fetch)
        assert status == 200
        assert b"envsync_objects" in body
        with pytest.raises(UsageError) as taken:
            await Listener(board()).open(port)
        assert taken.value.code == "E556"
        await listener.close()

    asyncio.run(scenario())
