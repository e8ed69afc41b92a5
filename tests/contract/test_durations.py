"""Durations: a whole number above zero and one unit, without a space."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envsync.contract.durations import format_duration, parse_duration


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("1ms", 1),
        ("90s", 90_000),
        ("30m", 1_800_000),
        ("2h", 7_200_000),
        ("7d", 604_800_000),
        ("010s", 10_000),
    ],
)
def test_a_duration_is_read_in_milliseconds(text: str, milliseconds: int) -> None:
    assert parse_duration(text) == milliseconds


@pytest.mark.parametrize(
    "text",
    [
        "",
        "30",
        "30 m",
        "1h30m",
        "5min",
        "1w",
        "1.5h",
        "-1s",
        "0s",
        "30M",
        "30m\n",
        "٣s",
        "9" * 19 + "s",
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"duration|zero"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("text", "shortest"),
    [
        ("60s", "1m"),
        ("3600s", "1h"),
        ("24h", "1d"),
        ("90m", "90m"),
        ("1000ms", "1s"),
        ("1001ms", "1001ms"),
        ("36h", "36h"),
    ],
)
def test_a_duration_is_written_in_the_largest_exact_unit(text: str, shortest: str) -> None:
    assert format_duration(parse_duration(text)) == shortest


@given(st.integers(min_value=1, max_value=10**17))
def test_what_is_written_is_read_back(milliseconds: int) -> None:
    assert parse_duration(format_duration(milliseconds)) == milliseconds
