"""Outcomes: one line for each change, the rest counted, and JSON that is whole."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from envsync.applying.outcome import Result
from envsync.errors import ExitCode
from envsync.rendering.outcomes import apply_json, apply_lines
from envsync.rendering.text import plain
from tests.conftest import Snapshot
from tests.rendering import samples


@pytest.mark.parametrize("width", [80, 120])
def test_as_text(snapshot: Snapshot, width: int) -> None:
    snapshot(f"apply-{width}", plain(apply_lines(samples.apply_report(), width)))


def test_done_is_one_line_for_each_and_one_for_all() -> None:
    report = samples.apply_report()
    done = tuple(each for each in report.outcomes if each.result is Result.APPLIED)[:1]
    report = replace(report, outcomes=done, exit_code=ExitCode.DONE)
    assert plain(apply_lines(report, 80)) == (
        "  ~ manifest analyst-box  v8    saved\n\napplied 1   (1.8 s)\n"
    )


def test_nothing_to_do_says_so() -> None:
    report = replace(samples.apply_report(), outcomes=(), exit_code=ExitCode.DONE)
    assert plain(apply_lines(report, 80)) == "nothing to apply   (1.8 s)\n"


def test_json_holds_every_object() -> None:
    data = json.loads(apply_json(samples.apply_report()))
    assert len(data["outcomes"]) == len(samples.outcomes())
    assert data["exitCode"] == 3
    assert data["counts"] == {"applied": 3, "unchanged": 35, "conflict": 1, "not-attempted": 1}
    conflict = data["outcomes"][3]
    assert (conflict["name"], conflict["result"], conflict["problem"]["code"]) == (
        "api-runner",
        "conflict",
        "E523",
    )
