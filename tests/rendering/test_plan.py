"""A plan is a tree that a person can review, and a comment that is never too long."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from envsync.planning.plan import FieldChange, FieldOp, Foreseen, Notice
from envsync.rendering.colour import paint
from envsync.rendering.plan_markdown import plan_markdown
from envsync.rendering.plan_text import plan_lines
from envsync.rendering.text import plain
from tests.conftest import Snapshot
from tests.rendering import samples

EVERYTHING = samples.plan_report(
    samples.ANALYST,
    samples.LOADER,
    samples.REFUSED,
    samples.SCRATCH,
    held=(*samples.IN_SYNC, samples.MISSING),
)


@pytest.mark.parametrize("width", [80, 120])
def test_as_text(snapshot: Snapshot, width: int) -> None:
    snapshot(f"plan-{width}", plain(plan_lines(EVERYTHING, width)))


def test_as_text_in_colour(snapshot: Snapshot) -> None:
    snapshot("plan-colour", paint(plan_lines(EVERYTHING, 80)))


HELD_BACK = samples.plan_report(
    samples.DRIFT,
    samples.UNKNOWN_CHANGE,
    samples.MOVE,
    samples.GONE_IN_DRIFT,
    held=(*samples.IN_SYNC, *samples.GONE),
)


@pytest.mark.parametrize("width", [80, 120])
def test_drift_shows_three_sides_and_the_ways_out(snapshot: Snapshot, width: int) -> None:
    snapshot(f"plan-drift-{width}", plain(plan_lines(HELD_BACK, width)))


def test_drift_that_is_overwritten_is_shown_as_well() -> None:
    report = samples.plan_report(replace(samples.DRIFT, held_back=""))
    text = plain(plan_lines(report, 80))
    assert "  ~ manifest web-builder   drift: v12 was saved by application:ops" in text
    assert "keep theirs" not in text
    assert "1 to change" in text


def test_what_was_never_agreed_shows_the_fields() -> None:
    never = replace(samples.DRIFT, three_way=replace(samples.DRIFT.three_way, canonical=None))
    text = plain(plan_lines(samples.plan_report(never), 80))
    assert "~ resources.memory   8192MiB -> 4096MiB" in text


def test_drift_as_markdown(snapshot: Snapshot) -> None:
    snapshot("plan-drift-markdown", plan_markdown(HELD_BACK))


def test_no_change_is_one_sentence() -> None:
    assert plain(plan_lines(samples.plan_report(), 80)) == (
        "In sync: 34 objects match production at commit 4f2c1aa. (212 ms)\n"
    )


def test_what_is_left_out_is_said() -> None:
    report = samples.plan_report()
    report = replace(report, plan=replace(report.plan, left_out=("3 objects were not looked at",)))
    assert plain(plan_lines(report, 80)).endswith("\n3 objects were not looked at\n")


def test_as_markdown(snapshot: Snapshot) -> None:
    snapshot("plan-markdown", plan_markdown(EVERYTHING))


def test_markdown_says_in_sync() -> None:
    assert plan_markdown(samples.plan_report()).startswith(
        "### ✅ envsync: in sync with `production`"
    )


def many(number: int) -> tuple[str, int]:
    changes = tuple(
        replace(samples.ANALYST, id=samples.manifest(f"box-{index:05}")) for index in range(number)
    )
    text = plan_markdown(samples.plan_report(*changes, samples.SCRATCH, samples.REFUSED))
    return text, len(text.encode())


@pytest.mark.parametrize("number", [1, 90, 300, 10_000])
def test_markdown_keeps_to_its_budget(number: int) -> None:
    text, size = many(number)
    assert size <= 60_000
    assert "#### Refused by the server" in text
    assert "`manifest scratch` v3" in text
    assert text.count("<details>") == text.count("</details>")
    assert ("Left out to keep this short" in text) == (number > 90)


def test_what_is_left_out_of_markdown_is_counted() -> None:
    text, _ = many(300)
    shown = text.count("<details>")
    assert f"the details of {302 - shown} changes" in text


@pytest.mark.parametrize("text", samples.HOSTILE)
def test_hostile_values_stay_values(text: str) -> None:
    change = samples.update(
        "analyst-box",
        FieldChange(FieldOp.REPLACE, ("setup", 0, "command"), old="a\nb", new=f"a\n{text}"),
        FieldChange(FieldOp.ADD, ("network", "allowedHosts", 0), new=text),
        FieldChange(FieldOp.ADD, ("secrets", text), new={text: text}),
        foreseen=Foreseen(source="server", warnings=(Notice(text, text, text),)),
    )
    report = samples.plan_report(change)
    report = replace(report, plan=replace(report.plan, project=text, context=text))
    for shown in (plain(plan_lines(report, 80)), plan_markdown(report)):
        assert not set(shown) & set("\x1b\x07\u202e\u200b\udcff")
    outside = plan_markdown(report).split("<details>")[0]
    assert "<script>" not in outside
    for line in outside.splitlines():
        if line.startswith("|"):
            assert line.count("|") == 5
