"""`envsync validate` beside check-jsonschema, and beside the floor: reading and parsing."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.material import repository
from benchmarks.peers import Peers
from benchmarks.serving import ENVSYNC
from benchmarks.timing import Command, side_by_side

FLOOR = (
    "import pathlib, sys, yaml_rs\n"
    "for path in sorted(pathlib.Path('manifests').iterdir()):\n"
    "    yaml_rs.loads(path.read_bytes().decode(), parse_datetime=False)\n"
)


def run(folder: Path, runs: int, peers: Peers) -> dict[str, object]:
    small = repository(folder / "validate-2000", 2_000)
    large = repository(folder / "validate-10000", 10_000)
    ours = [ENVSYNC, "validate", "--no-cache"]
    schema = ["--schemafile", "schemas/environment-manifest.schema.json"]
    files = sorted(str(path.relative_to(small)) for path in (small / "manifests").iterdir())
    check = ["-m", "check_jsonschema", *schema, *files]
    beside = side_by_side(
        [
            Command("envsync validate", ours, small),
            Command("check-jsonschema, clib", [str(peers.fast), *check], small),
            Command("check-jsonschema", [str(peers.plain), *check], small),
        ],
        max(2, runs // 2),
        warm_up=0,
    )
    floor = side_by_side(
        [
            Command("envsync validate, 10,000", ours, large),
            Command("read and parse, 10,000", [sys.executable, "-c", FLOOR], large),
        ],
        runs,
    )
    mine = beside["envsync validate"].wall_median
    return {
        "figures": {name: value.as_json() for name, value in (beside | floor).items()},
        "times faster than": {
            name: round(beside[name].wall_median / mine, 1)
            for name in ("check-jsonschema, clib", "check-jsonschema")
        },
        "10,000 as a multiple of reading and parsing": round(
            floor["envsync validate, 10,000"].wall_median
            / floor["read and parse, 10,000"].wall_median,
            2,
        ),
        "targets": {"clib": 10, "plain": 20, "multiple of the floor": 3},
    }
