"""A bounded load on a loopback server: keep-alive connections over bare asyncio streams, since a
full HTTP client would be the slowest part. Run as a program, it prints one JSON line."""

from __future__ import annotations

import asyncio
import json
import sys
import time

BODY = {
    "kind": "virtual",
    "resources": {"cpus": 2, "memory": "1024MiB"},
    "network": {"allowedHosts": ["packages.example", "registry.example"]},
    "setup": [{"command": "build --locked", "timeout": "10m"}],
}


def request(method: str, path: str, key: str, body: bytes = b"", extra: str = "") -> bytes:
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {key}\r\n"
        f"Nylorun-Protocol: 14\r\n{extra}"
    )
    if body:
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + b"\r\n" + body


async def exchange(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, data: bytes) -> int:
    writer.write(data)
    head = await reader.readuntil(b"\r\n\r\n")
    lower = head.lower()
    at = lower.index(b"content-length:") + 15
    await reader.readexactly(int(lower[at : lower.index(b"\r\n", at)]))
    return int(head[9:12])


async def client(number: int, each: int, port: int, key: str, what: str) -> int:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    wrong = 0
    for turn in range(each):
        if what == "put":
            body = json.dumps({**BODY, "lifecycle": {"idle": f"{turn + 1}m"}}).encode()
            data = request("PUT", f"/v1/environment-manifests/load-{number}", key, body)
        elif what == "get":
            data = request("GET", "/v1/environment-manifests/load-0", key)
        else:
            data = request("GET", "/", key)
        wrong += await exchange(reader, writer, data) != 200
    writer.close()
    return wrong


async def load(port: int, key: str, what: str, clients: int, total: int) -> dict[str, float]:
    each = max(1, total // clients)
    started = time.perf_counter()
    wrong = await asyncio.gather(
        *(client(number, each, port, key, what) for number in range(clients))
    )
    seconds = time.perf_counter() - started
    return {"per_second": round(each * clients / seconds, 1), "not_200": sum(wrong)}


if __name__ == "__main__":
    port_text, key_text, what_text, clients_text, total_text = sys.argv[1:]
    answer = load(int(port_text), key_text, what_text, int(clients_text), int(total_text))
    print(json.dumps(asyncio.run(answer)))
