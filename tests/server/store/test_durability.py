"""Answered means kept: processes that are killed, and processes that share a database."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys

from envsync.server.store.opening import open_store

WRITER = """
import asyncio, os, sys
from envsync.server.store.opening import open_store

async def write(store, name):
    await store.write(lambda tx: tx.execute("add_tenant", id=name, now="then"))
    os.write(1, (name + "\\n").encode())

async def write_for_ever(store, worker):
    number = 0
    while True:
        await write(store, f"{sys.argv[2]}-{worker}-{number}")
        number += 1

async def write_some(store, count):
    await asyncio.gather(*(write(store, f"{sys.argv[2]}-{n}") for n in range(count)))

async def main():
    store = open_store(sys.argv[1])
    if len(sys.argv) > 3:
        await write_some(store, int(sys.argv[3]))
        await store.aclose()
    else:
        await asyncio.gather(*(write_for_ever(store, worker) for worker in range(32)))

asyncio.run(main())
"""


def writer(location: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, location, *arguments], stdout=subprocess.PIPE, text=True
    )


def kept(location: str) -> set[str]:
    async def use() -> set[str]:
        store = open_store(location)
        try:
            rows = await store.read(lambda tx: tx.all("backup_tenants"), heavy=True)
        finally:
            await store.aclose()
        return {row["id"] for row in rows}

    return asyncio.run(use())


def test_what_was_answered_before_a_kill_is_kept(location: str) -> None:
    for life in range(3):
        process = writer(location, f"life{life}")
        assert process.stdout is not None
        answered = [process.stdout.readline() for _ in range(100)]
        process.send_signal(signal.SIGKILL)
        # What was under way in the pipe was answered too.
        answered += process.stdout.read().splitlines(keepends=True)
        process.wait()
        process.stdout.close()
        names = {line.strip() for line in answered if line.endswith("\n")}
        assert len(names) >= 100
        assert names <= kept(location)


def test_two_processes_write_to_one_database(location: str) -> None:
    processes = [writer(location, name, "150") for name in ("one", "other")]
    for process in processes:
        process.communicate()
        assert process.returncode == 0
    names = kept(location)
    assert {f"{name}-{n}" for name in ("one", "other") for n in range(150)} <= names
