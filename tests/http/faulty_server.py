"""A server that misbehaves as told, on the loopback, in a thread of this process.

A script is a list of steps, one for each request in the order of their arrival; the last step is
repeated. A step gets the connection and the request, and says whether the connection stays open.
Nothing here sleeps: what hangs hangs until the server is closed.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Seen:
    """A request as it arrived; header names are lower-case."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes


@dataclass
class Connection:
    """One accepted connection. ``released`` is set when the server closes."""

    socket: socket.socket
    released: threading.Event
    buffered: bytearray = field(default_factory=bytearray)

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def read_request(self) -> Seen | None:
        head = self._until(b"\r\n\r\n", not_starting_with=b"\x16")
        if head is None:
            return None
        lines = head.decode("latin-1").split("\r\n")
        method, target, _ = lines[0].split(" ", 2)
        pairs = (line.partition(":") for line in lines[1:] if line)
        headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        body = self._exactly(int(headers.get("content-length", "0")))
        return Seen(method, target, headers, body)

    def _until(self, end: bytes, *, not_starting_with: bytes) -> bytes | None:
        while end not in self.buffered:
            if not self._more():
                return None
            if self.buffered.startswith(not_starting_with):
                self.send(b"HTTP/1.1 400 That is TLS\r\ncontent-length: 0\r\n\r\n")
                return None
        at = self.buffered.index(end) + len(end)
        taken = bytes(self.buffered[:at])
        del self.buffered[:at]
        return taken

    def _exactly(self, size: int) -> bytes:
        while len(self.buffered) < size and self._more():
            pass
        taken = bytes(self.buffered[:size])
        del self.buffered[:size]
        return taken

    def _more(self) -> bool:
        data = self.socket.recv(65536)
        self.buffered += data
        return bool(data)


Step = Callable[[Connection, Seen], bool]


def answer(
    status: int = 200,
    body: bytes = b"{}",
    headers: Mapping[str, str] | None = None,
    *,
    announced: int | None = None,
) -> Step:
    """A well-formed answer; ``announced`` is a content-length other than the true one."""

    def step(connection: Connection, seen: Seen) -> bool:
        length = len(body) if announced is None else announced
        lines = [f"HTTP/1.1 {status} Anything", f"content-length: {length}"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        head = "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"
        connection.send(head + (b"" if seen.method == "HEAD" else body))
        return announced is None

    return step


def cut_mid_body() -> Step:
    """Half of an answer, then the end of the connection."""
    return answer(body=b'{"half":', announced=1000)


def chunked_and_cut(connection: Connection, seen: Seen) -> bool:
    connection.send(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n")
    return False


def closes_without_answer(connection: Connection, seen: Seen) -> bool:
    return False


def resets(connection: Connection, seen: Seen) -> bool:
    """The connection is torn down: the client gets ECONNRESET, not an end."""
    connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return False


def hangs(connection: Connection, seen: Seen) -> bool:
    """Takes the request and never answers."""
    connection.released.wait()
    return False


def drips(connection: Connection, seen: Seen) -> bool:
    """One byte of body now and then, forever."""
    connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n")
    while not connection.released.wait(0.02):
        connection.send(b"x")
    return False


def endless(connection: Connection, seen: Seen) -> bool:
    """An answer without an announced length that does not end."""
    connection.send(b"HTTP/1.1 200 OK\r\n\r\n")
    while not connection.released.is_set():
        connection.send(b"x" * 65536)
    return False


def raw(data: bytes) -> Step:
    """Any bytes, and then the end."""

    def step(connection: Connection, seen: Seen) -> bool:
        connection.send(data)
        return False

    return step


def tunnels_to(port: int) -> Step:
    """A proxy that lets CONNECT through, whatever host it names, to ``port`` of the loopback."""

    def step(connection: Connection, seen: Seen) -> bool:
        assert seen.method == "CONNECT"
        with socket.create_connection(("127.0.0.1", port)) as target:
            connection.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
            back = threading.Thread(target=_pipe, args=(target, connection.socket), daemon=True)
            back.start()
            _pipe(connection.socket, target)
            back.join(10)
        return False

    return step


def _pipe(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    for end in (source, target):
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


class FaultyServer:
    """``with FaultyServer(step, ...) as server`` listens on ``server.url``."""

    def __init__(self, *script: Step, tls: ssl.SSLContext | None = None) -> None:
        self._script = list(script) or [answer()]
        self._tls = tls
        self._lock = threading.Lock()
        self._released = threading.Event()
        self._arrived = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._threads: list[threading.Thread] = []
        self._open: list[socket.socket] = []
        self.seen: list[Seen] = []
        self.connections = 0
        self.side_by_side = 0
        self._running = 0

    @property
    def url(self) -> str:
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"

    def methods(self) -> list[str]:
        return [seen.method for seen in self.seen]

    def __enter__(self) -> FaultyServer:
        self._start(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def wait_for_a_request(self) -> None:
        """Until the first request is being answered."""
        assert self._arrived.wait(10)

    def close(self) -> None:
        self._released.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(10)

    def _start(self, work: Callable[..., None], *args: object) -> None:
        thread = threading.Thread(target=work, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self._released.is_set():
            try:
                accepted, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._start(self._serve, accepted)

    def _serve(self, accepted: socket.socket) -> None:
        with contextlib.suppress(OSError, ValueError), self._wrapped(accepted) as conversation:
            connection = Connection(conversation, self._released)
            while (seen := connection.read_request()) is not None:
                with self._step(seen) as step:
                    stays = step(connection, seen)
                if not stays:
                    return

    @contextlib.contextmanager
    def _step(self, seen: Seen) -> Iterator[Step]:
        with self._lock:
            self.seen.append(seen)
            self._arrived.set()
            step = self._script.pop(0) if len(self._script) > 1 else self._script[0]
            self._running += 1
            self.side_by_side = max(self.side_by_side, self._running)
        try:
            yield step
        finally:
            with self._lock:
                self._running -= 1

    @contextlib.contextmanager
    def _wrapped(self, accepted: socket.socket) -> Iterator[socket.socket]:
        with accepted:
            inner = accepted
            if self._tls is not None:
                accepted.settimeout(10)
                inner = self._tls.wrap_socket(accepted, server_side=True)
                inner.settimeout(None)
            with inner:
                with self._lock:
                    self._open.append(inner)
                yield inner


def unused_port() -> int:
    """A port of the loopback that nobody listens on (a moment ago)."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port
