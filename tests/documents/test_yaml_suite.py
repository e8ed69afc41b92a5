"""The public YAML test suite: inside the profile the same, outside of it refused with a place."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from envsync.documents import parse
from envsync.documents.edits import identical
from envsync.documents.nodes import data_of
from envsync.documents.text import decode
from envsync.documents.yaml_reader import compose
from envsync.errors import FileError

DATA = os.environ.get("ENVSYNC_TEST_DATA")
pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(DATA is None, reason="ENVSYNC_TEST_DATA names no folder"),
]

# Valid YAML that the profile refuses, by the reason. E101 are forms that one of the readers in
# common use does not read: anchors with odd names, `:` far from its key, block scalars without
# indentation, bare documents.
REFUSED_VALID = {
    "E101": 31,
    "E103": 2,
    "E104": 29,
    "E106": 20,
    "E107": 7,
    "E108": 3,
    "E110": 38,
    "E112": 21,
    "E121": 1,
}
REFUSED_INVALID = 94
READ_THE_SAME = 158
WITHOUT_JSON = 2
"""Read, but the suite says nothing of the value."""


@dataclass(frozen=True)
class Case:
    name: str
    text: str
    invalid: bool
    values: list[object] | None


def cases() -> Iterator[Case]:
    for file in sorted((Path(DATA or "") / "yaml-test-suite" / "src").glob("*.yaml")):
        first: dict[str, object] = {}
        for number, entry in enumerate(yaml.load(file.read_text("utf-8"), yaml.SafeLoader)):
            first = first or entry
            text = str(entry.get("yaml", first["yaml"]))
            values = entry.get("json")
            if "yaml" not in entry:
                values = first.get("json")
            yield Case(
                f"{file.stem}-{number}",
                visible(text),
                bool(entry.get("fail")),
                None if values is None else list(json_values(str(values))),
            )


def visible(text: str) -> str:
    """The suite's notation for white space, as the white space itself."""
    text = re.sub("—*»", "\t", text.replace("␣", " "))
    text = text.replace("⇔", "\ufeff").replace("↵", "").replace("←", "\r")
    return text.removesuffix("∎\n")


def json_values(text: str) -> Iterator[object]:
    decoder, at, text = json.JSONDecoder(), 0, text.strip()
    while at < len(text):
        value, at = decoder.raw_decode(text, at)
        yield value
        at += len(text[at:]) - len(text[at:].lstrip())


def test_the_suite() -> None:
    refused_valid: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for case in cases():
        try:
            found = data_of(compose(decode(case.text.encode(), case.name)))
        except FileError as error:
            for problem in error.problems:
                at = problem.position
                assert at is not None, case.name
                assert 1 <= at.line <= case.text.count("\n") + 1, case.name
                assert problem.remedy, case.name
            if case.invalid:
                counts["refused invalid"] += 1
            else:
                refused_valid[error.code] += 1
            continue
        assert not case.invalid, case
        if case.values is None:
            counts["without json"] += 1
        else:
            assert len(case.values) == 1, case
            assert identical(found, case.values[0]), case
            counts["the same"] += 1
    assert refused_valid == REFUSED_VALID
    assert counts == {
        "refused invalid": REFUSED_INVALID,
        "the same": READ_THE_SAME,
        "without json": WITHOUT_JSON,
    }


def test_the_fast_path_reads_the_suite_as_the_exact_reader_does() -> None:
    fast = 0
    for case in cases():
        try:
            document = parse(case.text.encode(), case.name)
        except FileError:
            continue
        if document.fast:
            fast += 1
            assert identical(
                document.data, data_of(compose(decode(case.text.encode(), case.name)))
            ), case
    assert fast == 26
