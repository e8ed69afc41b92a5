"""Policies: the team's own rules, asked of the canonical form, placed in the file."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

import pytest

from envsync.project.config import Project
from envsync.resources.reading import Declarations, declare

Write = Callable[[Mapping[str, str | bytes]], Project]

NO_UPLOADS = {
    "title": "no upload hosts",
    "description": "ask security for an exception",
    "properties": {
        "network": {"properties": {"allowedHosts": {"items": {"not": {"const": "paste.example"}}}}}
    },
}
SMALL = {"properties": {"resources": {"properties": {"memory": {"enum": ["1024MiB", "2048MiB"]}}}}}


def told(found: Declarations) -> list[str]:
    return [f"{problem.code} {problem.position}" for problem in found.problems]


def test_the_title_is_the_message_and_the_description_the_way_out(write: Write) -> None:
    project = write(
        {
            "policies/hosts.schema.json": json.dumps(NO_UPLOADS),
            "manifests/a.yaml": "network:\n  allowedHosts:\n    - z.example\n    - Paste.Example\n",
        }
    )
    found = declare(project, "local")
    assert told(found) == ["E430 manifests/a.yaml:4:7"]
    (problem,) = found.problems
    assert problem.message.startswith("no upload hosts: ")
    assert problem.remedy == "ask security for an exception"
    assert problem.related[0][0].path == "policies/hosts.schema.json"
    assert found.declared == ()


@pytest.mark.parametrize(
    ("memory", "allowed"), [("2GiB", True), ("2048MiB", True), ("1GiB", True), ("3GiB", False)]
)
def test_no_spelling_gets_around_a_policy(write: Write, memory: str, allowed: bool) -> None:
    project = write(
        {
            "policies/small.schema.json": json.dumps(SMALL),
            "manifests/a.yaml": f"resources: {{memory: {memory}}}\n",
            "manifests/default.yaml": "{}",
        }
    )
    assert told(declare(project, "local")) == ([] if allowed else ["E430 manifests/a.yaml:1:21"])


def test_a_policy_sees_what_the_overlay_changed(write: Write) -> None:
    project = write(
        {
            "policies/small.schema.json": json.dumps(SMALL),
            "manifests/a.yaml": "resources: {memory: 1GiB}\n",
            "overlays/production/manifests/a.yaml": "resources: {memory: 64GiB}\n",
        }
    )
    assert told(declare(project, "local")) == []
    assert told(declare(project, "production")) == [
        "E430 overlays/production/manifests/a.yaml:1:21"
    ]


@pytest.mark.parametrize(
    ("policy", "place"),
    [
        ('{"type": "nonsense"}', "1"),
        ("[]", "1"),
        ('{"$ref": "https://elsewhere.example/x.json"}', "1"),
        ('{\n  "x-type": "repository"\n}', "2"),
        ("{", "1"),
    ],
)
def test_a_policy_that_cannot_be_used_stops_everything(
    write: Write, policy: str, place: str
) -> None:
    found = declare(write({"policies/p.schema.json": policy, "manifests/a.yaml": "{}"}), "local")
    assert found.has_errors
    assert [str(p.position).rsplit(":", 1)[0] for p in found.problems] == [
        f"policies/p.schema.json:{place}"
    ]


def test_a_changed_policy_is_asked_again(write: Write) -> None:
    files: dict[str, str | bytes] = {"manifests/a.yaml": "resources: {memory: 4GiB}\n"}
    assert told(declare(write(files), "local")) == []
    files["policies/small.schema.json"] = json.dumps(SMALL)
    assert told(declare(write(files), "local")) == ["E430 manifests/a.yaml:1:21"]
    files["policies/small.schema.json"] = "{}"
    assert told(declare(write(files), "local")) == []
