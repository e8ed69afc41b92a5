"""A proxy between a real client and a real server that can do what networks do.

It forwards HTTP/1.1 requests one by one. A ``rule`` sees each request before it goes on and says
what shall happen: pass, lose the answer, answer something else, cut the answer, kill the client.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from types import TracebackType


class Fate(Enum):
    PASS = "pass"
    DROP_BEFORE = "close before the server sees it"
    DROP_AFTER = "the server acts, the answer is lost"
    CUT = "the server acts, half of the answer arrives"


@dataclass(frozen=True)
class Answer:
    """An answer of the proxy's own; the server never sees the request."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b'{"status":"rejected","code":"request_rejected","message":"Later"}'


@dataclass(frozen=True)
class Seen:
    """One request. ``number`` counts from 0; ``writes`` tells a save or delete from a read."""

    number: int
    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def writes(self) -> bool:
        return self.method in ("PUT", "DELETE") and "dryRun=true" not in self.target


Rule = Callable[[Seen], Fate | Answer]


class Interposer:
    """Listens on a loopback port while it is entered. ``seen`` lists what came by."""

    def __init__(self, upstream: str, rule: Rule = lambda seen: Fate.PASS) -> None:
        host, _, port = upstream.removeprefix("http://").partition(":")
        self._upstream = (host, int(port))
        self.rule = rule
        self.seen: list[Seen] = []
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: set[socket.socket] = set()
        self._ended = False

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Interposer:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended = True
        # shutdown() wakes the thread that waits in accept(); close() alone would not.
        for each in (self._listener, *self._open):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _accept(self) -> None:
        while not self._ended:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self._open.add(client)
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        try:
            with client, client.makefile("rb") as reader:
                while self._one(client, reader):
                    pass
        except (OSError, ValueError):
            return
        finally:
            self._open.discard(client)

    def _one(self, client: socket.socket, reader: object) -> bool:
        """Serves one request; whether the connection lives on."""
        raw, method, target, headers, body = read_message(reader)
        with self._lock:
            seen = Seen(len(self.seen), method, target, headers, body)
            self.seen.append(seen)
        fate = self.rule(seen)
        if isinstance(fate, Answer):
            client.sendall(written(fate))
            return True
        if fate is Fate.DROP_BEFORE:
            return False
        answer = self._forward(raw + body)
        if fate is Fate.DROP_AFTER:
            return False
        if fate is Fate.CUT:
            client.sendall(answer[: len(answer) - 20])
            return False
        client.sendall(answer)
        return True

    def _forward(self, data: bytes) -> bytes:
        with socket.create_connection(self._upstream) as server, server.makefile("rb") as reader:
            server.sendall(data)
            head, _, _, _, body = read_message(reader)
            return head + body


def read_message(reader: object) -> tuple[bytes, str, str, dict[str, str], bytes]:
    """The head, the first two words of its first line, the headers and the body."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        line: bytes = reader.readline()  # type: ignore[attr-defined]
        if not line:
            raise ValueError("the connection ended")
        head += line
    first, *rest = head.decode("latin-1").split("\r\n")
    words = first.split(" ")
    pairs = (line.partition(":") for line in rest if line)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    size = int(headers.get("content-length", 0))
    body: bytes = reader.read(size)  # type: ignore[attr-defined]
    return head, words[0], words[1], headers, body


def written(answer: Answer) -> bytes:
    headers = {
        "Content-Type": "application/json",
        "Content-Length": str(len(answer.body)),
        **answer.headers,
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {answer.status} Said\r\n{lines}\r\n".encode() + answer.body
