"""`envsync plan` against a server in its own process, beside octodns-sync and terraform plan."""

from __future__ import annotations

import shutil
from pathlib import Path

from benchmarks.material import commit_all, dns_zone, repository, terraform_project
from benchmarks.peers import Peers
from benchmarks.serving import ENVSYNC, KEY, server
from benchmarks.timing import Command, Figures, side_by_side

COUNT = 2_000


def run(folder: Path, runs: int, peers: Peers) -> dict[str, object]:
    cache = folder / "cache"
    environ = {"ENVSYNC_BENCH_KEY": KEY, "XDG_CACHE_HOME": str(cache)}

    def cold() -> None:
        shutil.rmtree(cache, ignore_errors=True)

    zone = dns_zone(folder / "dns", COUNT)
    octodns = [str(peers.fast.parent / "octodns-sync"), "--config-file", "config.yaml", "--doit"]
    project = terraform_project(folder / "terraform", COUNT)
    side_by_side(
        [
            Command("octodns, first", [*octodns, "--force"], zone),
            Command("terraform init", peers.terraform("init"), project),
            Command("terraform, first", peers.terraform("apply", "-auto-approve"), project),
        ],
        1,
        0,
    )
    database = fresh(folder / "plan.db")
    with server(database) as running:
        repo = repository(folder / "plan", COUNT, running.address)
        commit_all(repo)
        apply = [ENVSYNC, "apply", "--yes", "--output", "json"]
        side_by_side([Command("first apply", apply, repo, environ)], 1, 0)
        plan = [ENVSYNC, "plan"]
        figures = side_by_side(
            [
                Command("envsync plan, cold", plan, repo, environ, before=cold),
                Command("envsync plan, cached", plan, repo, environ),
                Command("octodns-sync", octodns, zone),
                Command("terraform plan", peers.terraform("plan"), project),
            ],
            runs,
        )
        figures |= one_changed(repo, environ, runs)
    growth = {str(count): growing(folder, count, environ, runs) for count in (100, 1_000, 10_000)}
    cold_time = figures["envsync plan, cold"].wall_median
    warm_time = figures["envsync plan, cached"].wall_median
    peers_named = ("octodns-sync", "terraform plan")
    return {
        "figures": {name: value.as_json() for name, value in figures.items()},
        "cold, times faster than": {
            name: round(figures[name].wall_median / cold_time, 1) for name in peers_named
        },
        "cached, times faster than": {
            name: round(figures[name].wall_median / warm_time, 1) for name in peers_named
        },
        "one changed, as a multiple of none": round(
            figures["one changed"].wall_median / figures["none changed"].wall_median, 2
        ),
        "growth, cold": growth,
        "targets": {"cold": 3, "cached": 5, "one changed": 1.3, "MiB at 10,000": 300},
    }


def one_changed(repo: Path, environ: dict[str, str], runs: int) -> dict[str, Figures]:
    """A plan with one edited manifest beside the plan without any, taken in turn."""
    path = repo / "manifests" / "service-01000.yaml"
    before = path.read_text()
    after = before.replace("timeout: 20m", "timeout: 25m")
    plan = [ENVSYNC, "plan"]
    figures = side_by_side(
        [
            Command("none changed", plan, repo, environ, before=lambda: edit(path, before)),
            Command("one changed", plan, repo, environ, before=lambda: edit(path, after)),
        ],
        runs,
    )
    edit(path, before)
    return figures


def edit(path: Path, text: str) -> None:
    if path.read_text() != text:
        path.write_text(text)


def growing(folder: Path, count: int, environ: dict[str, str], runs: int) -> dict[str, float]:
    cache = Path(environ["XDG_CACHE_HOME"])
    with server(fresh(folder / f"grow-{count}.db")) as running:
        repo = repository(folder / f"grow-{count}", count, running.address)
        commit_all(repo)
        apply = [ENVSYNC, "apply", "--yes", "--output", "json"]
        side_by_side([Command("first apply", apply, repo, environ)], 1, 0)
        plan = Command(
            "plan",
            [ENVSYNC, "plan"],
            repo,
            environ,
            before=lambda: shutil.rmtree(cache, ignore_errors=True),
        )
        return side_by_side([plan], runs)["plan"].as_json()


def fresh(database: Path) -> str:
    for path in database.parent.glob(database.name + "*"):
        path.unlink()
    return str(database)
