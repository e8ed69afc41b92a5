"""`envsync apply PLAN` of 1,000 new manifests beside terraform apply, and beside the bare floor:
the same bodies put by the bare HTTP library, and the same rows committed to SQLite."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.material import commit_all, repository, terraform_project
from benchmarks.peers import Peers
from benchmarks.planning import fresh
from benchmarks.serving import ENVSYNC, KEY, server
from benchmarks.timing import Command, side_by_side

COUNT = 1_000

HTTP_FLOOR = """
import asyncio, json, pathlib, sys, httpx, yaml_rs
address, key = sys.argv[1:]
bodies = {}
for path in sorted(pathlib.Path('manifests').iterdir()):
    body = yaml_rs.loads(path.read_text(), parse_datetime=False)
    del body['$schema']
    bodies[path.stem] = json.dumps(body).encode()
head = {'Authorization': f'Bearer {key}', 'Nylorun-Protocol': '14', 'If-Match': '0',
        'Content-Type': 'application/json'}
async def main():
    async with httpx.AsyncClient(base_url=address, headers=head) as client:
        for name, body in bodies.items():
            answer = await client.put(f'/v1/environment-manifests/{name}', content=body)
            answer.raise_for_status()
asyncio.run(main())
"""

COMMIT_FLOOR = f"""
import pathlib, sqlite3
pathlib.Path('floor.db').unlink(missing_ok=True)
db = sqlite3.connect('floor.db', isolation_level=None)
db.execute('PRAGMA journal_mode=WAL')
db.execute('PRAGMA synchronous=FULL')
db.execute('CREATE TABLE t (name TEXT PRIMARY KEY, body TEXT)')
for number in range({COUNT}):
    db.execute('BEGIN IMMEDIATE')
    db.execute('INSERT INTO t VALUES (?, ?)', (str(number), 'x' * 1500))
    db.execute('COMMIT')
"""


def run(folder: Path, runs: int, peers: Peers) -> dict[str, object]:
    rounds = []
    project = terraform_project(folder / "terraform-apply", COUNT)
    side_by_side([Command("init", peers.terraform("init"), project)], 1, 0)
    for turn in range(max(1, runs // 2)):
        (project / "terraform.tfstate").unlink(missing_ok=True)
        terraform = Command("terraform apply", peers.terraform("apply", "-auto-approve"), project)
        measured = side_by_side([terraform], 1, 0)
        with server(fresh(folder / f"apply-{turn}.db")) as running:
            repo = repository(folder / f"apply-{turn}", COUNT, running.address)
            commit_all(repo)
            environ = {"ENVSYNC_BENCH_KEY": KEY, "XDG_CACHE_HOME": str(folder / "cache")}
            plan = Command("plan", [ENVSYNC, "plan", "-o", "plan.json"], repo, environ)
            side_by_side([plan], 1, 0)
            apply = [ENVSYNC, "apply", "plan.json", "--yes", "--output", "json"]
            measured |= side_by_side([Command("envsync apply PLAN", apply, repo, environ)], 1, 0)
        with server(fresh(folder / f"floor-{turn}.db")) as running:
            bare = [sys.executable, "-c", HTTP_FLOOR, running.address, KEY]
            measured |= side_by_side([Command("bare HTTP, one by one", bare, repo)], 1, 0)
        commits = [sys.executable, "-c", COMMIT_FLOOR]
        measured |= side_by_side([Command("bare commits, one by one", commits, folder)], 1, 0)
        rounds.append({name: value.as_json() for name, value in measured.items()})
    ratios = [
        one["terraform apply"]["wall_median"] / one["envsync apply PLAN"]["wall_median"]
        for one in rounds
    ]
    return {
        "rounds": rounds,
        "times faster than terraform apply": [round(ratio, 1) for ratio in ratios],
        "targets": {"terraform apply": 15},
    }
