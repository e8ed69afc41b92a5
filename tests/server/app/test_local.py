"""The server inside the program."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys

from envsync.server.local import open_local

HEAVY = [
    "anyio",
    "cryptography",
    "h11",
    "httptools",
    "httpx",
    "jsonschema",
    "jsonschema_rs",
    "psycopg",
    "starlette",
    "uvicorn",
    "yaml",
]


async def get(app, path):
    answered = []

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        answered.append(message)

    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "headers": [(b"nylorun-protocol", b"14")],
    }
    await app(scope, receive, send)
    return answered[0]["status"], json.loads(answered[1]["body"])


def test_it_acts_as_the_local_administrator(tmp_path):
    async def work():
        server = open_local(tmp_path / "server.db", user="alice")
        try:
            return [await get(server.app, path) for path in ("/v1/me", "/v1/tenant/keys")]
        finally:
            await server.aclose()

    me, keys = asyncio.run(work())
    assert (me[0], me[1]["via"]) == (200, "local:alice")
    assert keys == (200, {"keys": []})


def test_the_protocol_is_asked_for_here_too(tmp_path):
    async def work():
        server = open_local(tmp_path / "server.db", user="alice")
        answered = []

        async def send(message):
            answered.append(message)

        scope = {"type": "http", "method": "GET", "path": "/v1/me", "headers": []}
        await server.app(scope, None, send)
        await server.aclose()
        return answered[0]["status"]

    assert asyncio.run(work()) == 426


def test_a_read_imports_nothing_heavy(tmp_path):
    program = f"""
import asyncio, sys
sys.path.insert(0, {str(tmp_path)!r})
from pathlib import Path
from envsync.server.local import open_local

async def send(message):
    assert message.get("status", 200) == 200, message

async def receive():
    return {{"type": "http.request", "body": b"", "more_body": False}}

async def work():
    server = open_local(Path({str(tmp_path)!r}) / "server.db", user="alice")
    headers = [(b"nylorun-protocol", b"14")]
    scope = {{"type": "http", "method": "GET", "headers": headers}}
    await server.app({{**scope, "path": "/v1/environment-manifests"}}, receive, send)
    await server.app({{**scope, "path": "/health"}}, receive, send)
    await server.aclose()

asyncio.run(work())
print(*sorted(set({HEAVY!r}) & set(sys.modules)))
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ended.stdout.split() == []
