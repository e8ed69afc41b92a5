"""history: which commit said which version, and what no commit explains."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from envsync.errors import EnvsyncError
from envsync.operations.history import history
from envsync.rendering.text import plain
from envsync.rendering.timeline import history_json, history_lines
from tests.operations.conftest import CONFIG, Place
from tests.operations.test_states import BOX, body, said, yaml

Make = Callable[..., Place]
Row = tuple[str, str, str]


def rows(place: Place, name: str = "box") -> list[Row]:
    """Version, subject of its commit, origin."""
    report = asyncio.run(history(place.workspace(), name))
    return [
        (
            f"v{each.version}" if each.version else "",
            each.commit.subject if each.commit else "",
            each.origin.value,
        )
        for each in report.entries
    ]


def commit(place: Place, cpus: int, subject: str) -> None:
    place.write({BOX: yaml(cpus)})
    place.git("add", "-A")
    place.git("commit", "-qm", subject)


@pytest.fixture
def place(make_place: Make) -> Place:
    return make_place()


def test_commits_and_versions_are_one_timeline(place: Place) -> None:
    commit(place, 1, "first")
    place.apply()
    place.saves({"box": body(9)})
    commit(place, 2, "passed over")
    commit(place, 3, "third")
    place.saves({"box": body(3)})
    place.saves({"box": body(1)})
    commit(place, 4, "newest")
    assert rows(place) == [
        ("", "newest", "not applied yet"),
        ("v4", "first", "put back"),
        ("v3", "third", "committed"),
        ("", "passed over", "never applied"),
        ("v2", "", "drift"),
        ("v1", "first", "committed"),
    ]


def test_a_revert_is_a_commit_of_its_own(place: Place) -> None:
    for cpus, subject in ((1, "first"), (2, "second"), (1, "revert")):
        commit(place, cpus, subject)
        place.apply()
    assert rows(place) == [
        ("v3", "revert", "committed"),
        ("v2", "second", "committed"),
        ("v1", "first", "committed"),
    ]


def test_a_commit_that_says_nothing_new_is_left_out(place: Place) -> None:
    commit(place, 1, "first")
    place.write({BOX: "# Only a comment.\n" + yaml(1)})
    place.commit()
    assert rows(place) == [("", "first", "not applied yet")]


def test_the_same_content_again_after_others_is_the_same_commit_s(place: Place) -> None:
    commit(place, 1, "first")
    place.apply()
    place.saves({"box": body(9)})
    place.saves({"box": body(1)})
    assert rows(place) == [
        ("v3", "first", "committed"),
        ("v2", "", "drift"),
        ("v1", "first", "committed"),
    ]


def test_a_move_is_followed(place: Place) -> None:
    commit(place, 1, "first")
    moved = "moved: [{type: manifest, from: box, to: crate}]\n"
    place.write({"envsync.yaml": CONFIG.format(database=place.database) + moved})
    place.git("mv", BOX, "manifests/crate.yaml")
    place.commit()
    place.apply()
    assert rows(place, "crate") == [("v1", "first", "committed")]


def test_without_git_the_versions_are_all_there_is(place: Place) -> None:
    place.saves({"box": body(1)})
    place.git("checkout", "-q", "--orphan", "none")
    place.git("branch", "-qD", "main")
    assert rows(place) == [("v1", "", "unknown")]


def test_a_name_that_nobody_ever_had_is_an_error(place: Place) -> None:
    with pytest.raises(EnvsyncError, match="has no manifest `nothing`"):
        asyncio.run(history(place.workspace(), "nothing"))


def test_it_is_shown_with_who_applied_what(place: Place) -> None:
    said(place, 1)
    place.apply()
    place.saves({"box": body(9)})
    commit(place, 2, "a subject\twith \x1b[31m colour")
    report = asyncio.run(history(place.workspace(), "box"))
    text = plain(history_lines(report, datetime.now(UTC), None))
    head, newest, drift, first = text.splitlines()
    assert head.split() == ["VERSION", "COMMIT", "BY", "WHAT", "WHEN"]
    assert "\x1b" not in text
    assert newest.split()[:1] + newest.split()[2:3] == ["-", "Alice"]
    assert newest.endswith("not applied yet")
    assert drift.split()[:2] == ["v2", "-"]
    assert drift.endswith("drift")
    assert first.split()[0] == "v1"
    assert "  by local:" in first
    told = json.loads(history_json(report))
    assert [each["version"] for each in told["entries"]] == [2, 1]
    assert [each["origin"] for each in told["entries"]] == ["drift", "committed"]
    assert told["entries"][1]["commit"]["author"] == "Alice"
    assert [each["origin"] for each in told["notApplied"]] == ["not applied yet"]
