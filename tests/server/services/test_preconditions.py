"""If-Match in its three spellings, If-None-Match by the weak comparison."""

from __future__ import annotations

import pytest

from envsync.server.refusal import Refusal
from envsync.server.services.preconditions import etag_matches, if_match_version


@pytest.mark.parametrize("header", ["3", '"3"', 'W/"3"', "  3 ", '\t"3"', "W/3", "03"])
def test_a_version_may_be_spelt_in_three_ways(header: str) -> None:
    assert if_match_version(header) == 3


@pytest.mark.parametrize("header", [None, "", "   ", "\t"])
def test_blank_is_absent(header: str | None) -> None:
    assert if_match_version(header) is None


def test_zero_expects_nothing() -> None:
    assert if_match_version("0") == 0


@pytest.mark.parametrize(
    "header", ["-1", "+1", "1.0", "*", "abc", '"3', '3"', "3, 4", "1" * 16, "٣", 'w/"3"', "0x3"]
)
def test_anything_else_is_refused(header: str) -> None:
    with pytest.raises(Refusal) as caught:
        if_match_version(header)
    assert (caught.value.status, caught.value.code) == (400, "request_rejected")


@pytest.mark.parametrize("header", ['W/"abc"', '"abc"', '"x", W/"abc"', "*", ' W/"abc" ,"y"'])
def test_a_tag_is_known_again(header: str) -> None:
    assert etag_matches(header, 'W/"abc"')


@pytest.mark.parametrize("header", [None, "", "abc", '"ab"', '"abcd"', 'W/"ABC"'])
def test_another_tag_is_not(header: str | None) -> None:
    assert not etag_matches(header, 'W/"abc"')
