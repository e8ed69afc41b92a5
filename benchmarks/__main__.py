"""`python -m benchmarks [NAME ...]`: runs the benchmarks and writes one JSON result."""

from __future__ import annotations

import argparse
import compileall
import json
import os
import platform
import sys
import tempfile
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import applying, history, peers, planning, server, startup, validating, watching
from benchmarks.material import ROOT
from tests.postgresql import binaries, cluster

NAMES = ("startup", "validating", "planning", "history", "applying", "server", "watching")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--runs", type=int, default=5, help="counted runs of each command")
    parser.add_argument("-o", type=Path, default=ROOT / "benchmarks" / "results.json")
    arguments = parser.parse_args()
    chosen = arguments.names or NAMES
    if unknown := set(chosen) - set(NAMES):
        parser.error(f"no benchmark called {', '.join(sorted(unknown))}")
    # As after an installation: modules are compiled once, not at every start.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    compileall.compile_dir(ROOT / "envsync", quiet=1)
    before = json.loads(arguments.o.read_text()) if arguments.o.exists() else {}
    with tempfile.TemporaryDirectory(prefix="envsync-bench-") as name:
        for benchmark in chosen:
            print(f"{benchmark} ...", file=sys.stderr, flush=True)
            measured = measure(benchmark, Path(name), arguments.runs)
            before[benchmark] = {
                "taken": datetime.now(UTC).isoformat(timespec="seconds"),
                "machine": machine(),
                "load": os.getloadavg()[0],
                **measured,
            }
            arguments.o.write_text(json.dumps(before, indent=2) + "\n")
    print(json.dumps({name: before[name] for name in chosen}, indent=2))
    return 0


def measure(name: str, folder: Path, runs: int) -> dict[str, object]:
    alone = {"startup": startup.run, "history": history.run, "watching": watching.run}
    if name in alone:
        return alone[name](folder, runs)
    if name == "server":
        programs = binaries()
        postgresql = cluster(programs, durable=True) if programs else nullcontext()
        with postgresql as address:
            return server.run(folder, runs, address)
    installed = peers.install()
    suite = {"validating": validating.run, "planning": planning.run, "applying": applying.run}
    return suite[name](folder, runs, installed)


def machine() -> str:
    python = platform.python_version()
    return f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {python}"


if __name__ == "__main__":
    sys.exit(main())
