"""A new file is written in one style, and the compiled reader can be trusted with it."""

from __future__ import annotations

from typing import Any

from hypothesis import given

from envsync.documents import parse
from envsync.documents.edits import identical
from envsync.documents.house import compose_text
from envsync.errors import FileError
from tests.contract.test_normalise import JSON, MANIFEST

FILE = """\
$schema: ../schemas/environment-manifest.schema.json
kind: pod
resources:
  cpus: 0.5
  memory: 2GiB
network:
  allowedHosts:
    - a.example
    - "*.b.example"
lifecycle: {}
setup:
  - command: "no"
  - command: apt-get update && apt-get install -y jq
  - command: |
      set -eu
      uv sync

      make
    timeout: 10m
files:
  - path: .config
    files:
      .env.local: |
        A=1
      "*.md": "  indented\\n"
secrets:
  STRIPE_KEY:
    type: environment_secret
    required: false
    inject:
      header: Authorization
      format: Basic {base64:{value}:}
"""


def test_house_style() -> None:
    document = parse(FILE.encode(), "x.yaml")
    assert compose_text(document.data).decode() == FILE


def test_the_compiled_reader_reads_what_is_written_every_day() -> None:
    data = {"$schema": "../s.json", "resources": {"cpus": 4, "memory": "2GiB"},
            "setup": [{"command": "set -eu\nmake\n", "timeout": "10m"}, {"command": "npm ci"}],
            "network": {"allowedHosts": ["a.example", "*.b.example"]}}  # fmt: skip
    assert parse(compose_text(data), "x.yaml").fast


@given(MANIFEST.filter(bool))
def test_what_is_written_is_read_back(data: dict[str, Any]) -> None:
    assert identical(parse(compose_text(data), "x.yaml").data, data)


@given(JSON)
def test_any_value_is_written_so_that_it_is_read_back_or_refused(value: Any) -> None:
    try:
        found: object = parse(compose_text({"k": value}), "x.yaml").data
    except (ValueError, FileError):
        found = None
    assert found is None or identical(found, {"k": value})
