"""Status: a table that fits, and JSON that says null for what nobody knows."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from envsync.rendering.status_report import status_json, status_lines
from envsync.rendering.tables import Column, table_lines
from envsync.rendering.text import plain
from envsync.rendering.times import age, ago
from tests.conftest import Snapshot
from tests.rendering import samples

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)


@pytest.mark.parametrize("width", [80, 120, None])
def test_as_text(snapshot: Snapshot, width: int | None) -> None:
    snapshot(f"status-{width}", plain(status_lines(samples.status_report(), NOW, width)))


def test_a_table_fits_its_width() -> None:
    text = plain(status_lines(samples.status_report(), NOW, 80))
    assert max(map(len, text.splitlines())) <= 80


def test_json_keeps_apart_none_and_unknown() -> None:
    rows = json.loads(status_json(samples.status_report()))["rows"]
    assert rows[0]["environments"] == 3
    assert rows[1] == {
        "type": "manifest",
        "name": "data-loader",
        "state": "new",
        "here": "edited",
        "version": None,
        "savedBy": None,
        "savedAt": None,
        "environments": None,
        "onOlder": None,
        "path": None,
    }


def test_numbers_stand_right_and_wide_characters_align() -> None:
    rows = table_lines(
        (Column("name"), Column("n", right=True)), [["日本", "7"], ["abcdef", "1234"]]
    )
    assert plain(rows) == "NAME       N\n日本       7\nabcdef  1234\n"


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("2026-11-29T11:59:48Z", "12 s"),
        ("2026-11-29T12:00:03Z", "0 s"),
        ("2026-11-29T11:30:00+00:00", "30 min"),
        ("2026-11-29T02:00:00Z", "10 h"),
        ("2026-11-20T12:00:00Z", "9 d"),
        ("2026-01-29T12:00:00Z", "10 months"),
        ("2020-11-29T12:00:00Z", "6 years"),
        ("yesterday", "yesterday"),
        ("", "-"),
    ],
)
def test_times_are_relative(said: str, shown: str) -> None:
    assert age(said, NOW) == shown


def test_ago_is_said_of_times_only() -> None:
    assert ago("2026-11-29T11:59:48Z", NOW) == "12 s ago"
    assert ago("yesterday", NOW) == "yesterday"
