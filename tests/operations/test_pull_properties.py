"""Whatever a server holds, and whatever changes there: after a pull files and server agree."""

from __future__ import annotations

import asyncio
import copy
import random
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from envsync.api.runtime import RuntimeReader, RuntimeWriter
from envsync.contract.normalise import normalise
from envsync.documents import parse
from envsync.embedded import EmbeddedTransport
from envsync.errors import ApiError
from envsync.operations.pulled import Fate
from tests.contract.test_normalise import MANIFEST
from tests.operations.conftest import CONFIG, Place

NAME = st.from_regex(r"[a-c]{1,2}|[A-C]|[a-c]-2|envsync", fullmatch=True)
PROPERTY = settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def save(place: Place, bodies: dict[str, Any]) -> None:
    """What the server refuses it does not have."""

    async def work() -> None:
        transport = EmbeddedTransport(place.database)
        reader = RuntimeReader(transport, None)
        for name, body in bodies.items():
            view = await reader.get_manifest(name)
            with suppress(ApiError):
                await RuntimeWriter(reader).save_manifest(name, body, view.version if view else 0)
        await transport.aclose()

    asyncio.run(work())


def make(folder: str) -> Place:
    root = Path(folder) / "acme"
    root.mkdir()
    place = Place(root, Path(folder) / "server.db")
    place.write({"envsync.yaml": CONFIG.format(database=place.database)})
    return place


@given(st.dictionaries(NAME, MANIFEST, max_size=6), st.dictionaries(NAME, MANIFEST, max_size=6))
@PROPERTY
def test_after_a_pull_the_plan_is_empty(first: dict[str, Any], then: dict[str, Any]) -> None:
    """Once into an empty repository, once into files that are there. There is no Git, so nothing
    is refused for not being committed."""
    with tempfile.TemporaryDirectory() as folder:
        place = make(folder)
        for bodies in (first, then):
            save(place, bodies)
            report = place.pull()
            refused = {each.id for each in report.objects if each.fate is Fate.REFUSED}
            assert refused == {
                each.id
                for each in report.objects
                if each.problems and each.problems[0].code == "E453"
            }
            assert {change.id for change in place.plan().changes} <= refused
            again = place.pull()
            assert set(again.counts) <= {Fate.UNCHANGED, Fate.REFUSED}


FILE = """\
# top
$schema: ../schemas/environment-manifest.schema.json  # schema
kind: pod  # kind
# image
image: registry.acme.example/a:1  # image

resources:  # resources
  # cpus
  cpus: 4  # cpus
  # memory
  memory: 4GiB  # memory
storage: 20GiB  # storage

network:
  # hosts
  allowedHosts:  # list
    # z
    - z.example  # z
    # a
    - a.example  # a
    # m
    - "*.m.example"  # m

lifecycle: {idle: 60m, deleteAfter: 7d}  # both
setup:
  # one
  - command: make deps  # one
    timeout: 60s  # one
  # two
  - command: |  # two
      set -eu
      make build
      make test
  # three
  - command: 'npm ci'  # three
    cwd: web  # three
files:
  # f
  - path: .config  # f
    files:
      # notes
      notes.md: |  # notes
        # not a comment
        text
secrets:
  # S
  S:  # S
    type: environment_secret  # S
    # hosts of S
    allowedHosts: [a.example, b.example]  # S
  # L
  L: {type: environment_variable, required: false}  # L
# end
"""
BODY = {
    name: value for name, value in parse(FILE.encode(), "x.yaml").data.items() if name != "$schema"
}

Edit = Callable[[dict[str, Any], random.Random], None]


def memory(body: dict[str, Any], chance: random.Random) -> None:
    body["resources"]["memory"] = f"{chance.randrange(512, 8192)}MiB"


def cpus(body: dict[str, Any], chance: random.Random) -> None:
    body["resources"]["cpus"] = chance.choice([0.5, 1, 8])


def host_more(body: dict[str, Any], chance: random.Random) -> None:
    body["network"]["allowedHosts"].append(f"{chance.choice('bcxy')}{chance.randrange(9)}.example")


def host_less(body: dict[str, Any], chance: random.Random) -> None:
    hosts = body["network"]["allowedHosts"]
    if len(hosts) > 1:
        hosts.remove(chance.choice(hosts))


def idle(body: dict[str, Any], chance: random.Random) -> None:
    body["lifecycle"]["idle"] = f"{chance.randrange(1, 9)}h"


def step_more(body: dict[str, Any], chance: random.Random) -> None:
    place = chance.randrange(len(body["setup"]) + 1)
    body["setup"].insert(place, {"command": f"run {chance.randrange(99)}", "timeout": "2m"})


def step_changes(body: dict[str, Any], chance: random.Random) -> None:
    step = chance.choice(body["setup"])
    step["command"] = step["command"].replace("make", "gmake", 1).replace("npm ci", "npm ci --all")


def text_changes(body: dict[str, Any], chance: random.Random) -> None:
    body["files"][0]["files"]["notes.md"] += f"more {chance.randrange(9)}\n"


def slot_changes(body: dict[str, Any], chance: random.Random) -> None:
    body["secrets"]["L"]["description"] = f"number {chance.randrange(9)}"


def slot_more(body: dict[str, Any], chance: random.Random) -> None:
    body["secrets"]["N"] = {"type": "bearer", "url": "https://mcp.example/x"}


EDITS = [memory, cpus, host_more, host_less, idle, step_more, step_changes, text_changes,
         slot_changes, slot_more]  # fmt: skip


@given(st.lists(st.sampled_from(EDITS), min_size=1, max_size=3), st.randoms(use_true_random=False))
@PROPERTY
def test_only_what_was_changed_on_the_server_changes_in_the_file(
    edits: list[Edit], chance: random.Random
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = make(folder)
        place.write({"manifests/box.yaml": FILE})
        place.apply()
        body = copy.deepcopy(BODY)
        for edit in edits:
            edit(body, chance)
        save(place, {"box": normalise("manifest", body)})
        place.pull()
        assert place.plan().changes == ()
        after = place.read("manifests/box.yaml")
    old, new = FILE.splitlines(), after.splitlines()
    lost = list((Counter(old) - Counter(new)).elements())
    assert not [line for line in lost if line.lstrip().startswith("#")]
    assert len(lost) <= len(edits)
    assert after.index("# top") < after.index("# one") < after.index("# end")
    added = Counter(new) - Counter(old)
    assert added.total() <= 4 * len(edits)
