"""pull from a server behind a port, while others save and processes are killed."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from pathlib import Path

from tests.e2e.conftest import Repository, Server

HEAD = "$schema: ../schemas/environment-manifest.schema.json\n"
BOX = HEAD + "# why it is so large\nresources: {cpus: 4, memory: 8GiB}  # the linker\n"


def test_two_clones_pass_a_change_through_the_server(
    start_server: Callable[..., Server], make_repository: Callable[..., Repository]
) -> None:
    address = start_server().address
    ours = make_repository({"box": BOX, "other": HEAD}, address, "ours")
    assert ours.run("apply").code == 0
    theirs = make_repository({}, address, "theirs")
    assert theirs.run("pull").code == 0
    theirs.commit("Import")
    assert theirs.run("plan", "--detailed-exitcode").code == 0
    theirs.edit("manifests/box.yaml", "memory: 8GiB", "memory: 9GiB")
    theirs.commit("More")
    assert theirs.run("apply").code == 0
    done = ours.run("pull", "--output", "json")
    assert done.code == 0
    assert ours.git("diff", "--unified=0").splitlines()[-2:] == [
        "-resources: {cpus: 4, memory: 8GiB}  # the linker",
        "+resources: {cpus: 4, memory: 9GiB}  # the linker",
    ]
    ours.commit("Keep theirs")
    assert ours.run("plan", "--detailed-exitcode").code == 0
    assert ours.run("rollback", "box@1").code == 0
    ours.commit("Back")
    assert ours.run("apply").code == 0
    assert (ours.root / "manifests/box.yaml").read_text() == BOX


def test_a_killed_pull_leaves_whole_files_and_is_ended_by_the_next(
    start_server: Callable[..., Server], make_repository: Callable[..., Repository]
) -> None:
    address = start_server().address
    boxes = {f"box-{number:03}": BOX for number in range(200)}
    assert make_repository(boxes, address, "ours").run("apply").code == 0
    for attempt in range(3):
        theirs = make_repository({}, address, f"theirs-{attempt}")
        folder = theirs.root / "manifests"
        process = theirs.start("pull")
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline:
            if _files(folder) > attempt * 60:
                process.send_signal(signal.SIGKILL)
                break
        process.communicate(timeout=60)
        wanted = HEAD + "resources:\n  cpus: 4\n  memory: 8GiB\n"
        assert {path.read_text() for path in folder.glob("box*.yaml")} <= {wanted}
        assert theirs.run("pull", "--allow-dirty").code == 0
        assert len(list(folder.glob("box*.yaml"))) == 200
        theirs.commit("All")
        assert theirs.run("plan", "--detailed-exitcode").code == 0


def _files(folder: Path) -> int:
    return len(list(folder.glob("box*.yaml"))) if folder.exists() else 0
