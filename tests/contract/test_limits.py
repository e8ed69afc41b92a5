"""The limits of our own server, at their edges."""

from typing import Any

import pytest

from envsync.contract.json_types import pointer_text
from envsync.contract.limits import server_limits
from envsync.contract.validator import validator


def found(**body: Any) -> list[tuple[str, ...]]:
    assert validator("environment-manifest").violations(body) == []
    return [
        (
            pointer_text(each.pointer) + (" (key)" if each.on_key else ""),
            each.code,
            each.message,
            each.label,
            each.remedy,
        )
        for each in server_limits("manifest", body)
    ]


def step(**keys: str) -> list[dict[str, str]]:
    return [{"command": "x", **keys}]


def hosts(count: int) -> list[str]:
    return [f"h{number}.example" for number in range(count)]


def variables(count: int) -> dict[str, Any]:
    return {f"V{number}": {"type": "environment_variable"} for number in range(count)}


INSIDE: dict[str, dict[str, Any]] = {
    "nothing": {},
    "the smallest share of a processor": {"resources": {"cpus": 0.1}},
    "the most processors": {"resources": {"cpus": 64}},
    "the least memory": {"resources": {"memory": "128MiB"}},
    "the least storage": {"kind": "pod", "storage": "1GiB"},
    "the most hosts": {"network": {"allowedHosts": hosts(256)}},
    "the most steps": {"setup": step() * 32},
    "the longest command": {"setup": [{"command": "x" * 16_384}]},
    "the longest timeout": {"setup": step(timeout="3600s")},
    "the workspace itself": {"setup": step(cwd="/workspace")},
    "the workspace by its dot": {"setup": step(cwd=".")},
    "a folder below the workspace": {"setup": step(cwd="/workspace/web/app")},
    "a relative folder": {"setup": step(cwd="web/app/")},
    "dots in a name": {"setup": step(cwd="a..b/...")},
    "the most entries of files": {"files": [{"path": "x", "files": {}}] * 64},
    "the most inline text": {"files": [{"path": "x", "files": {"a": "é" * 131_072}}]},
    "files at the workspace itself": {"files": [{"path": ".", "files": {"a/b.txt": ""}}]},
    "the most slots": {"secrets": variables(64)},
    "the most hosts of a slot": {
        "secrets": {"T": {"type": "environment_secret", "allowedHosts": hosts(32)}}
    },
    "a slot's label": {
        "secrets": {"issue-tracker": {"type": "bearer", "url": "https://t.example"}}
    },
    "no host for none": {"kind": "none", "network": {"allowedHosts": ["a.example"]}},
}


@pytest.mark.parametrize("body", INSIDE.values(), ids=INSIDE.keys())
def test_what_lies_inside_the_limits(body: dict[str, Any]) -> None:
    assert found(**body) == []


OUTSIDE: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "too small a share": (
        {"resources": {"cpus": 0.05}},
        (
            "/resources/cpus",
            "E241",
            "`resources.cpus` is 0.05, not between 0.1 and 64",
            "expected 0.1 to 64",
            "write 0.1",
        ),
    ),
    "too many processors": (
        {"resources": {"cpus": 65}},
        (
            "/resources/cpus",
            "E241",
            "`resources.cpus` is 65, not between 0.1 and 64",
            "expected 0.1 to 64",
            "write 64",
        ),
    ),
    "too little memory": (
        {"resources": {"memory": "127MiB"}},
        (
            "/resources/memory",
            "E241",
            "`127MiB` is less than 128MiB",
            "expected at least 128MiB",
            'write "128MiB"',
        ),
    ),
    "more memory than there is": (
        {"resources": {"memory": "9999999999TiB"}},
        (
            "/resources/memory",
            "E241",
            "`9999999999TiB` is more than any machine has",
            "expected at least 128MiB",
            "write a smaller size",
        ),
    ),
    "too little storage": (
        {"kind": "pod", "storage": "1023MiB"},
        (
            "/storage",
            "E241",
            "`1023MiB` is less than 1GiB",
            "expected at least 1GiB",
            'write "1GiB"',
        ),
    ),
    "too many hosts": (
        {"network": {"allowedHosts": hosts(257)}},
        (
            "/network/allowedHosts",
            "E240",
            "257 hosts are more than the 256 that the server takes",
            "expected at most 256",
            "remove 1 of them",
        ),
    ),
    "too many steps": (
        {"setup": step() * 40},
        (
            "/setup",
            "E240",
            "40 setup commands are more than the 32 that the server takes",
            "expected at most 32",
            "remove 8 of them",
        ),
    ),
    "too long a command, counted in bytes": (
        {"setup": [{"command": "é" * 8193}]},
        (
            "/setup/0/command",
            "E242",
            "the command has 16,386 bytes, more than 16,384",
            "expected at most 16,384 bytes",
            "put the script into `files` and run it from there",
        ),
    ),
    "a NUL in a command": (
        {"setup": [{"command": "a\0b"}]},
        (
            "/setup/0/command",
            "E243",
            "a NUL character stands in the text",
            "expected text without NUL",
            "remove the character",
        ),
    ),
    "too long a timeout": (
        {"setup": step(timeout="61m")},
        (
            "/setup/0/timeout",
            "E241",
            "`61m` is longer than an hour",
            "expected at most 1h",
            'write "1h", or split the command into steps',
        ),
    ),
    "a folder outside the workspace": (
        {"setup": step(cwd="/etc")},
        (
            "/setup/0/cwd",
            "E243",
            "the path `/etc` is absolute",
            "expected a path that is relative, or below /workspace",
            'write "etc"',
        ),
    ),
    "a neighbour of the workspace": (
        {"setup": step(cwd="/workspaces/x")},
        (
            "/setup/0/cwd",
            "E243",
            "the path `/workspaces/x` is absolute",
            "expected a path that is relative, or below /workspace",
            'write "workspaces/x"',
        ),
    ),
    "a way up": (
        {"setup": step(cwd="/workspace/../etc")},
        (
            "/setup/0/cwd",
            "E243",
            "the path `/workspace/../etc` goes up with `..`",
            "expected a path without `..`",
            "name the folder from the workspace down",
        ),
    ),
    "too many entries of files": (
        {"files": [{"path": "x", "files": {}}] * 65},
        (
            "/files",
            "E240",
            "65 entries are more than the 64 that the server takes",
            "expected at most 64",
            "remove 1 of them",
        ),
    ),
    "too much inline text, over all entries": (
        {"files": [{"path": "x", "files": {"a": "x" * 131_073}}] * 2},
        (
            "/files (key)",
            "E242",
            "the texts in `files` have 262,146 bytes in all, more than 262,144",
            "expected at most 262,144 bytes in all",
            "put what is large into an artifact, and name its `artifactId` and `version`",
        ),
    ),
    "an absolute path of files": (
        {"files": [{"path": "/workspace/x", "files": {}}]},
        (
            "/files/0/path",
            "E243",
            "the path `/workspace/x` is absolute",
            "expected a path that is relative",
            'write "x"',
        ),
    ),
    "a file that leaves its folder": (
        {"files": [{"path": "x", "files": {"../y": ""}}]},
        (
            "/files/0/files/..~1y (key)",
            "E243",
            "the path `../y` goes up with `..`",
            "expected a path without `..`",
            "name the folder from the workspace down",
        ),
    ),
    "a file that is a folder": (
        {"files": [{"path": "x", "files": {"y/": ""}}]},
        (
            "/files/0/files/y~1 (key)",
            "E243",
            "the path `y/` names no file",
            "expected a file's path",
            "write the file's name",
        ),
    ),
    "a NUL in a file's name": (
        {"files": [{"path": "x", "files": {"y\0": ""}}]},
        (
            "/files/0/files/y\0 (key)",
            "E243",
            "a NUL character stands in the text",
            "expected text without NUL",
            "remove the character",
        ),
    ),
    "too many slots": (
        {"secrets": variables(65)},
        (
            "/secrets",
            "E240",
            "65 slots are more than the 64 that the server takes",
            "expected at most 64",
            "remove 1 of them",
        ),
    ),
    "too many hosts of a slot": (
        {"secrets": {"T": {"type": "environment_secret", "allowedHosts": hosts(33)}}},
        (
            "/secrets/T/allowedHosts",
            "E240",
            "33 hosts are more than the 32 that the server takes",
            "expected at most 32",
            "remove 1 of them",
        ),
    ),
    "a variable of the sandbox": (
        {"secrets": {"Path": {"type": "environment_variable"}}},
        (
            "/secrets/Path (key)",
            "E244",
            "the variable `Path` is kept for the sandbox itself",
            "a reserved name",
            "choose another name, such as one with your project's prefix",
        ),
    ),
    "a label with a slash": (
        {"secrets": {"a/b": {"type": "bearer", "url": "https://t.example"}}},
        (
            "/secrets/a~1b (key)",
            "E244",
            "`a/b` cannot name a slot",
            "expected 1-128 visible characters without `/` and spaces",
            "write a label such as `issue-tracker`",
        ),
    ),
    "a harness that is none": (
        {"harness": "My Engine"},
        (
            "/harness",
            "E245",
            "`harness` is `My Engine`, which cannot name a harness",
            "expected 1-32 lower-case letters, digits and `-`, starting with a letter",
            'write its id, such as "nylorun"',
        ),
    ),
    "setup without a process": (
        {"kind": "none", "setup": step()},
        (
            "/setup (key)",
            "E246",
            "`setup` has no effect with `kind: none`, which has no disk and no process",
            "not used by `kind: none`",
            "remove `setup`, or write `kind: virtual`",
        ),
    ),
    "an image with a space": (
        {"kind": "pod", "image": "python 3.13"},
        (
            "/image",
            "E247",
            "`image` is `python 3.13`, which has a space or an invisible character",
            "expected a reference such as `python:3.13-slim`",
            "remove the space",
        ),
    ),
}


@pytest.mark.parametrize(("body", "row"), OUTSIDE.values(), ids=OUTSIDE.keys())
def test_what_lies_outside_is_said_in_these_words(
    body: dict[str, Any], row: tuple[str, ...]
) -> None:
    assert found(**body) == [row]


def test_a_reserved_name_is_free_for_a_slot_that_is_no_variable() -> None:
    assert found(secrets={"PATH": {"type": "bearer", "url": "https://t.example"}}) == []


def test_objects_of_another_type_have_no_limits_here() -> None:
    assert server_limits("something else", {"harness": "No"}) == []


@pytest.mark.parametrize("value", [None, 1, "x", [], {}, [1], {"a": 1}])
def test_a_body_of_another_shape_is_left_to_its_schema(value: Any) -> None:
    for key in ("resources", "storage", "network", "setup", "files", "secrets"):
        server_limits("manifest", {key: value})
