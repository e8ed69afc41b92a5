"""Canonical JSON is RFC 8785, byte for byte."""

import json
import os
import struct
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from envsync.contract.canonical import canonical_json, digest

DATA = os.environ.get("ENVSYNC_TEST_DATA", "")

# RFC 8785 appendix B: IEEE 754 bits and what they are written as.
NUMBERS = {
    "0000000000000000": "0",
    "8000000000000000": "0",
    "0000000000000001": "5e-324",
    "8000000000000001": "-5e-324",
    "7fefffffffffffff": "1.7976931348623157e+308",
    "ffefffffffffffff": "-1.7976931348623157e+308",
    "4340000000000000": "9007199254740992",
    "c340000000000000": "-9007199254740992",
    "4430000000000000": "295147905179352830000",
    "44b52d02c7e14af5": "9.999999999999997e+22",
    "44b52d02c7e14af6": "1e+23",
    "44b52d02c7e14af7": "1.0000000000000001e+23",
    "444b1ae4d6e2ef4e": "999999999999999700000",
    "444b1ae4d6e2ef4f": "999999999999999900000",
    "444b1ae4d6e2ef50": "1e+21",
    "3eb0c6f7a0b5ed8c": "9.999999999999997e-7",
    "3eb0c6f7a0b5ed8d": "0.000001",
    "41b3de4355555553": "333333333.3333332",
    "41b3de4355555554": "333333333.33333325",
    "41b3de4355555555": "333333333.3333333",
    "41b3de4355555556": "333333333.3333334",
    "41b3de4355555557": "333333333.33333343",
    "becbf647612f3696": "-0.0000033333333333333333",
    "43143ff3c1cb0959": "1424953923781206.2",
}

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(min_value=-(2**53) + 1, max_value=2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@pytest.mark.parametrize(("bits", "written"), NUMBERS.items())
def test_numbers_are_written_as_the_rfc_lists_them(bits: str, written: str) -> None:
    (number,) = struct.unpack(">d", bytes.fromhex(bits))
    assert canonical_json(number) == written.encode()
    assert canonical_json({"n": [number]}) == f'{{"n":[{written}]}}'.encode()


def test_the_example_of_section_3_2() -> None:
    value = json.loads(
        r"""{
          "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
          "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
          "literals": [null, true, false]
        }"""
    )
    assert canonical_json(value) == (
        b'{"literals":[null,true,false],'
        b'"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        b'"string":"\xe2\x82\xac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )


def test_keys_are_sorted_by_utf_16_code_unit() -> None:
    keys = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
    written = json.loads(canonical_json(dict.fromkeys(keys, 0)))
    assert list(written) == ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), [float("-inf")], {"a": None, "b": float("nan")}, 2**53, "\ud800"],
)
def test_what_has_no_canonical_form_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="no canonical JSON"):
        canonical_json(value)


@given(JSON)
def test_the_quick_way_and_the_exact_way_agree(value: Any) -> None:
    assert canonical_json(value) == rfc8785.dumps(value)


@given(JSON)
def test_reading_and_writing_again_changes_nothing(value: Any) -> None:
    written = canonical_json(value)
    assert canonical_json(json.loads(written, parse_int=float)) == written


def test_the_digest_is_the_sha_256_of_the_canonical_text() -> None:
    assert digest({}) == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    assert digest({"b": 1, "a": 2.0}) == digest({"a": 2, "b": 1})


@pytest.mark.data
@pytest.mark.skipif(not DATA, reason="ENVSYNC_TEST_DATA names no folder of public test data")
@pytest.mark.parametrize("name", ["arrays", "french", "structures", "unicode", "values", "weird"])
def test_the_public_vectors(name: str) -> None:
    folder = Path(DATA) / "json-canonicalization" / "testdata"
    value = json.loads((folder / "input" / f"{name}.json").read_text("utf-8"))
    expected = bytes.fromhex((folder / "outhex" / f"{name}.txt").read_text("ascii"))
    assert canonical_json(value) == expected
