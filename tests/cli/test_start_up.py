"""``--version`` and ``--help`` import next to nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest

from envsync import __version__
from tests.cli.conftest import process

DEAR = {
    "argparse",
    "asyncio",
    "cryptography",
    "dataclasses",
    "difflib",
    "email",
    "httpx",
    "inspect",
    "jsonschema",
    "jsonschema_rs",
    "logging",
    "orjson",
    "re",
    "sqlite3",
    "ssl",
    "starlette",
    "tomllib",
    "truststore",
    "typing",
    "uvicorn",
    "yaml",
    "yaml_rs",
}
PROBE = """
import sys
before = set(sys.modules)
from envsync.cli.main import main
sys.stdout = open("/dev/null", "w")
assert main(sys.argv[1:]) == 0
sys.__stdout__.write(" ".join(sorted(set(sys.modules) - before)))
"""


@pytest.mark.parametrize("line", ["--version", "--help", "plan --help", "serve keys --help"])
def test_nothing_of_weight_is_imported(line: str) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-c", PROBE, *line.split()],
        capture_output=True,
        check=True,
        text=True,
    )
    imported = set(done.stdout.split())
    assert not imported & DEAR
    ours = {name for name in imported if name.startswith("envsync")}
    assert {name.split(".")[1] for name in ours if "." in name} == {"cli"}


def test_version() -> None:
    done = process("--version")
    assert (done.code, done.out, done.err) == (0, f"envsync {__version__}\n", "")
    assert process("--no-color", "--version").out == done.out
