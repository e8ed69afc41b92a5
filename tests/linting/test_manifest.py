"""Fields that are valid alone and wrong together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Lint = Callable[..., Any]


def test_a_host_that_is_there_twice_names_both_places(linted: Lint) -> None:
    found = linted("network:\n  allowedHosts:\n    - a.example\n    - b.example\n    - A.Example\n")
    assert found.codes == ["W321"]
    assert str(found.problems[0].position) == "manifests/box.yaml:5:7"
    assert str(found.problems[0].related[0][0]) == "manifests/box.yaml:3:7"


@pytest.mark.parametrize(
    ("hosts", "marked"),
    [
        ("'*.pkg.example', a.pkg.example", ["a.pkg.example"]),
        ("'*.pkg.example', '*.deep.pkg.example'", ["'*.deep.pkg.example'"]),
        ("'*.pkg.example', pkg.example", []),
        ("'*.pkg.example', otherpkg.example", []),
    ],
)
def test_a_host_that_a_wildcard_allows(linted: Lint, hosts: str, marked: list[str]) -> None:
    found = linted(f"kind: pod\nnetwork: {{allowedHosts: [{hosts}]}}\n")
    assert found.marked("W322") == marked
    assert found.of("W321") == []


SECRET = "secrets:\n  A: {type: environment_secret, allowedHosts: [api.example]}\n"


@pytest.mark.parametrize(
    ("network", "hit"),
    [
        ("", True),
        ("network: {}\n", True),
        ("network: {allowedHosts: [other.example]}\n", True),
        ("network: {allowedHosts: ['*.api.example']}\n", True),
        ("network: {allowedHosts: [API.example]}\n", False),
        ("kind: pod\nnetwork: {allowedHosts: ['*.example']}\n", False),
    ],
)
def test_a_secret_for_a_host_that_is_never_reached(linted: Lint, network: str, hit: bool) -> None:
    found = linted(network + SECRET)
    assert found.marked("W323") == (["api.example"] if hit else [])


def test_a_slip_in_a_host_is_understood(linted: Lint) -> None:
    found = linted("network: {allowedHosts: [api.exmaple]}\n" + SECRET)
    assert found.of("W323")[0].label == "did you mean `api.exmaple`?"


def test_slots_that_go_through_no_sandbox_are_left_alone(linted: Lint) -> None:
    text = (
        "secrets: {t: {type: bearer, url: 'https://mcp.example/'}, L: {type: environment_variable}}"
    )
    assert linted(text).codes == []


@pytest.mark.parametrize(
    ("idle", "delete_after", "hit"),
    [("2h", "30m", True), ("60m", "1h", True), ("30m", "14d", False), ("1ms", "2ms", False)],
)
def test_deleted_before_it_is_idle(linted: Lint, idle: str, delete_after: str, hit: bool) -> None:
    found = linted(f"lifecycle: {{idle: {idle}, deleteAfter: {delete_after}}}\n")
    assert bool(found.of("W325")) == hit


@pytest.mark.parametrize(("count", "hit"), [(230, False), (231, True), (256, True), (257, False)])
def test_close_to_the_limit_of_hosts(linted: Lint, count: int, hit: bool) -> None:
    hosts = "".join(f"    - h{index}.example\n" for index in range(count))
    found = linted(f"network:\n  allowedHosts:\n{hosts}")
    assert bool(found.of("W324")) == hit


@pytest.mark.parametrize(
    ("size", "hit"), [(14_000, False), (15_000, True), (16_384, True), (17_000, False)]
)
def test_close_to_the_limit_of_a_command(linted: Lint, size: int, hit: bool) -> None:
    found = linted(f"setup:\n  - command: {'x' * size}\n")
    assert bool(found.of("W324")) == hit
    assert all(str(p.position).endswith(":2:5") for p in found.problems)


def test_close_to_the_limit_of_texts(linted: Lint) -> None:
    text = "x" * 120_000
    found = linted(f"files:\n  - path: a\n    files: {{b: {text}, c: {text}}}\n")
    assert found.codes == ["W324"]


def test_a_manifest_of_every_day_has_nothing_to_say(linted: Lint) -> None:
    assert (
        linted(
            """\
$schema: ../schemas/environment-manifest.schema.json
kind: pod
image: registry.acme.example/agents/python:3.13
network:
  allowedHosts: [pypi.example, files.pypi.example, api.github.example]
lifecycle: {idle: 30m, deleteAfter: 14d}
setup:
  - command: apt-get update && apt-get install -y --no-install-recommends jq
  - command: |
      set -euo pipefail
      curl -fsSL https://pypi.example/install.sh | sh
      uv sync --frozen
  - {command: npm ci, cwd: web, timeout: 10m}
secrets:
  GITHUB_TOKEN: {type: environment_secret, allowedHosts: [api.github.example]}
"""
        ).problems
        == []
    )
