"""What drift costs: a plan that must read 10,000 commits of 2,000 manifests, beside one that need
not. Git's own log of the same path stands beside it as the floor."""

from __future__ import annotations

import json
import subprocess
import urllib.request
from pathlib import Path

from benchmarks.material import commit_all, repository
from benchmarks.planning import fresh
from benchmarks.serving import ENVSYNC, KEY, server
from benchmarks.timing import Command, side_by_side

MANIFESTS = 2_000
COMMITS = 10_000
CHANGED = "service-01000"


def run(folder: Path, runs: int) -> dict[str, object]:
    environ = {"ENVSYNC_BENCH_KEY": KEY, "XDG_CACHE_HOME": str(folder / "cache")}
    with server(fresh(folder / "history.db")) as running:
        repo = repository(folder / "history", MANIFESTS, running.address)
        commit_all(repo)
        grow(repo)
        apply = [ENVSYNC, "apply", "--yes", "--output", "json"]
        plan = [ENVSYNC, "plan"]
        side_by_side([Command("first apply", apply, repo, environ)], 1, 0)
        figures = side_by_side([Command("nothing differs", plan, repo, environ)], runs)
        path = repo / "manifests" / f"{CHANGED}.yaml"
        path.write_text(path.read_text().replace("timeout: 20m", "timeout: 25m"))
        git(repo, "commit", "-q", "-a", "-m", "One change")
        figures |= side_by_side(
            [Command("one is ahead, found in the newest commits", plan, repo, environ)], runs
        )
        save_past_the_repository(running.address)
        log = [
            "git",
            "log",
            "--all",
            "--full-history",
            "--format=%H",
            "--",
            f"manifests/{path.name}",
        ]
        figures |= side_by_side(
            [
                Command("one drifted, all commits read", plan, repo, environ),
                Command("git log of that path", log, repo),
            ],
            runs,
        )
    quiet = figures["nothing differs"].wall_median
    ahead = figures["one is ahead, found in the newest commits"].wall_median
    return {
        "commits": COMMITS,
        "manifests": MANIFESTS,
        "figures": {name: value.as_json() for name, value in figures.items()},
        "ahead, as a multiple of nothing": round(ahead / quiet, 2),
        "targets": {"ahead, as a multiple of nothing": 1.3, "drifted, seconds": 1},
    }


def grow(repo: Path) -> None:
    """Adds ``COMMITS`` commits, each with another memory size in one manifest, the last one back
    at what the files say."""
    names = [f"manifests/service-{number:05}.yaml" for number in range(MANIFESTS)]
    texts = {name: (repo / name).read_text() for name in names}
    lines = []
    for number in range(COMMITS):
        name = names[number % MANIFESTS]
        text = texts[name]
        if number < COMMITS - MANIFESTS:
            text = text.replace("idle: 15m", f"idle: {number + 16}m")
        message = f"Change {number}"
        lines.append(
            f"commit refs/heads/{branch(repo)}\n"
            f"committer Benchmark <benchmark@team.example> {1_800_000_000 + number} +0000\n"
            f"data {len(message)}\n{message}\n"
            + (f"from refs/heads/{branch(repo)}^0\n" if number == 0 else "")
            + f"M 100644 inline {name}\ndata {len(text.encode())}\n{text}\n"
        )
    subprocess.run(
        ["git", "fast-import", "--quiet"], cwd=repo, check=True, input="".join(lines).encode()
    )
    git(repo, "reset", "-q", "--hard")
    git(repo, "gc", "--quiet")  # packed, as a clone is


def branch(repo: Path) -> str:
    return (repo / ".git" / "HEAD").read_text().rpartition("/")[2].strip()


def git(repo: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=Benchmark", "-c", "user.email=benchmark@team.example"]
    subprocess.run(["git", *identity, *arguments], cwd=repo, check=True)


def save_past_the_repository(address: str) -> None:
    """Somebody saves a content that no commit ever had."""
    request = urllib.request.Request(
        f"{address}/v1/environment-manifests/{CHANGED}",
        data=json.dumps({"kind": "virtual", "setup": [{"command": "by hand"}]}).encode(),
        method="PUT",
        headers={
            "Authorization": f"Bearer {KEY}",
            "Nylorun-Protocol": "14",
            "Content-Type": "application/json",
        },
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        assert answer.status == 200
