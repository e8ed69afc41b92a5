"""The wire, against a server in another process."""

from __future__ import annotations

import json
import socket
import time
from contextlib import contextmanager

import pytest

PUT_HEAD = "PUT /v1/environment-manifests/{name} HTTP/1.1\r\nHost: x\r\n{headers}\r\n"


@contextmanager
def connection(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as it:
        yield it


def headers(key, **more):
    given = {
        "Authorization": f"Bearer {key}",
        "Nylorun-Protocol": "14",
        "Content-Type": "application/json",
        **{name.replace("_", "-"): value for name, value in more.items()},
    }
    return "".join(f"{name}: {value}\r\n" for name, value in given.items())


def put_head(key, name="wire", **more):
    return PUT_HEAD.format(name=name, headers=headers(key, **more)).encode()


def read_reply(it):
    """One reply: status, headers by lower-case name, body."""
    data = b""
    while b"\r\n\r\n" not in data:
        part = it.recv(65536)
        assert part, data
        data += part
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    named = dict(line.lower().split(": ", 1) for line in lines)
    length = int(named.get("content-length", 0))
    while len(body) < length:
        part = it.recv(65536)
        assert part, (head, body)
        body += part
    return int(first.split(" ")[1]), named, body


def is_closed(it):
    """Whether the server has closed its side, and no byte more came."""
    try:
        return it.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.fixture
def key(key_texts):
    return key_texts["application"]


def test_an_answer_has_its_exact_type_and_length(server, key):
    with connection(server) as it:
        it.sendall(f"GET /v1/me HTTP/1.1\r\nHost: x\r\n{headers(key)}\r\n".encode())
        status, named, body = read_reply(it)
    assert (status, named["content-type"]) == (200, "application/json")
    assert int(named["content-length"]) == len(body)
    assert "server" not in named
    assert json.loads(body)["via"] == "application:the-application"


def test_a_connection_is_kept_for_the_next_request(server, key):
    with connection(server) as it:
        for _ in range(3):
            it.sendall(f"GET /v1/me HTTP/1.1\r\nHost: x\r\n{headers(key)}\r\n".encode())
            assert read_reply(it)[0] == 200


def test_pipelined_requests_are_answered_in_order(server, key):
    one = f"GET /v1/nowhere HTTP/1.1\r\nHost: x\r\n{headers(key)}\r\n"
    two = f"GET /v1/me HTTP/1.1\r\nHost: x\r\n{headers(key)}Connection: close\r\n\r\n"
    with connection(server) as it:
        it.sendall((one + two).encode())
        data = b""
        while part := it.recv(65536):
            data += part
    assert data.index(b"404 Not Found") < data.index(b"200 OK")


def test_a_body_in_chunks(server, key):
    with connection(server) as it:
        it.sendall(put_head(key, Transfer_Encoding="chunked"))
        for part in (b'{"kind":', b' "none"}'):
            it.sendall(b"%x\r\n%s\r\n" % (len(part), part))
        it.sendall(b"0\r\n\r\n")
        status, _, body = read_reply(it)
    assert (status, json.loads(body)["kind"]) == (200, "none")


def test_a_body_that_comes_byte_by_byte(server, key):
    body = b'{"kind": "virtual"}'
    with connection(server) as it:
        it.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        it.sendall(put_head(key, Content_Length=len(body)))
        for byte in body:
            it.sendall(bytes([byte]))
        assert read_reply(it)[0] == 200


def test_a_body_that_never_ends_is_not_waited_for(server, key):
    with connection(server) as it:
        it.sendall(put_head(key, Content_Length=10) + b"{")
        started = time.monotonic()
        status, named, body = read_reply(it)
        assert (status, json.loads(body)) == (
            408,
            {
                "status": "rejected",
                "code": "request_rejected",
                "message": "The body did not arrive in time",
            },
        )
        assert named["connection"] == "close"
        assert time.monotonic() - started < 10
        assert is_closed(it)


def test_a_body_that_is_cut_saves_nothing(server, key):
    with connection(server) as it:
        it.sendall(put_head(key, "cut", Content_Length=30) + b'{"kind": "virtual"}')
    with connection(server) as it:
        path = "/v1/environment-manifests/cut"
        it.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n{headers(key)}\r\n".encode())
        assert read_reply(it)[0] == 404


def test_a_body_told_to_be_too_large(server, key):
    size = (1 << 20) + 1
    with connection(server) as it:
        it.sendall(put_head(key, Content_Length=size))
        it.sendall(b" " * size)
        status, named, body = read_reply(it)
    assert (status, named["connection"]) == (413, "close")
    assert json.loads(body)["code"] == "request_rejected"


def test_a_huge_body_is_refused_before_it_comes(server, key):
    with connection(server) as it:
        it.sendall(put_head(key, Content_Length=1 << 40))
        assert read_reply(it)[0] == 413


def test_expect_continue_saves_a_too_large_body_the_way(server, key):
    with connection(server) as it:
        it.sendall(put_head(key, Content_Length=1 << 21, Expect="100-continue"))
        assert read_reply(it)[0] == 413
    with connection(server) as it:
        it.sendall(put_head(key, Content_Length=2, Expect="100-continue"))
        assert it.recv(100).startswith(b"HTTP/1.1 100 Continue")
        it.sendall(b"{}")
        assert read_reply(it)[0] == 200


def test_chunks_that_are_too_large_together(server, key):
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    with connection(server) as it:
        it.sendall(put_head(key, Transfer_Encoding="chunked"))
        for _ in range(17):
            it.sendall(chunk)
        it.sendall(b"0\r\n\r\n")
        status, named, _ = read_reply(it)
        assert (status, named["connection"]) == (413, "close")


def test_chunks_without_an_end(server, key):
    chunk = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
    with connection(server) as it:
        it.sendall(put_head(key, Transfer_Encoding="chunked"))
        with pytest.raises(OSError, match=r"."):  # noqa: PT012 - the server hangs up on the way
            for _ in range(200):
                it.sendall(chunk)
    with connection(server) as it:
        it.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        assert read_reply(it)[0] == 200


def test_a_stranger_s_body_is_not_read(server):
    with connection(server) as it:
        it.sendall(put_head("0" * 64, Content_Length=1 << 20))
        status, _, body = read_reply(it)
    assert (status, json.loads(body)["code"]) == (401, "credential_invalid")


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"NONSENSE\r\n\r\n",
        b"GET /\r\n\r\n",
        b"GET /v1/me HTTP/1.1\r\nHost: x\r\nBad Header: y\r\n\r\n",
        b"PUT /v1/me HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n",
        b"PUT /v1/me HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        (
            b"PUT /v1/me HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ],
)
def test_what_is_no_request_ends_the_connection(server, request_bytes):
    with connection(server) as it:
        it.sendall(request_bytes)
        it.shutdown(socket.SHUT_WR)
        data = b""
        try:
            while part := it.recv(65536):
                data += part
        except ConnectionResetError:
            pass
    assert b" 200 " not in data
    with connection(server) as it:
        it.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        assert read_reply(it)[0] == 200


def test_head_has_a_length_and_no_body(server):
    with connection(server) as it:
        it.sendall(b"HEAD /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        data = b""
        while part := it.recv(65536):
            data += part
    head, _, body = data.partition(b"\r\n\r\n")
    assert b"content-length: 2" in head.lower()
    assert body == b""


def test_304_has_no_body(server, key):
    path = "/v1/environment-manifests"
    with connection(server) as it:
        it.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n{headers(key)}\r\n".encode())
        etag = read_reply(it)[1]["etag"]
        it.sendall(
            f"GET {path} HTTP/1.1\r\nHost: x\r\n{headers(key, If_None_Match=etag)}\r\n".encode()
        )
        status, named, body = read_reply(it)
        assert (status, named["etag"], body) == (304, etag, b"")
        # The connection is in step: the next answer is the next answer.
        it.sendall(f"GET /v1/me HTTP/1.1\r\nHost: x\r\n{headers(key)}\r\n".encode())
        assert read_reply(it)[0] == 200


def test_a_head_that_never_ends_is_refused(server):
    with connection(server) as it:
        it.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\nX: " + b"x" * 65536)
        status, named, body = read_reply(it)
        assert (status, named["connection"]) == (431, "close")
        assert json.loads(body)["message"] == "The request's head is larger than 65536 bytes"


def test_a_head_that_takes_too_long_is_refused(server):
    for sent in (b"", b"GET /health HTTP/1.1\r\n"):
        with connection(server) as it:
            it.sendall(sent)
            status, _, body = read_reply(it)
            assert status == 408
            assert json.loads(body)["message"] == "The request's head did not arrive in time"
            assert is_closed(it)


def test_a_second_head_is_bounded_as_the_first(server):
    with connection(server) as it:
        it.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        assert read_reply(it)[0] == 200
        it.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n")
        it.sendall(b"X: " + b"x" * (1 << 20))
        assert read_reply(it)[0] == 431


def test_a_kept_connection_may_be_idle_longer_than_a_head_may_take(server):
    with connection(server) as it, connection(server) as other:
        it.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        assert read_reply(it)[0] == 200
        # The server's time for a head goes by on the other connection.
        assert read_reply(other)[0] == 408
        it.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        assert read_reply(it)[0] == 200
