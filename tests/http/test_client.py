"""What HttpClient does with servers that answer well, badly, late, or not at all."""

from __future__ import annotations

import asyncio
import gzip
from email.utils import formatdate

import pytest

from envsync.errors import NetworkError
from envsync.http.client import HttpClient
from envsync.http.settings import HttpSettings
from tests.http.clock import StillClock
from tests.http.conftest import Send
from tests.http.faulty_server import (
    FaultyServer,
    Step,
    answer,
    chunked_and_cut,
    closes_without_answer,
    cut_mid_body,
    drips,
    endless,
    hangs,
    raw,
    resets,
    unused_port,
)


def test_an_answer_comes_back_whole(send: Send) -> None:
    with FaultyServer(answer(200, b'{"a": 1}', {"ETag": 'W/"x"'})) as server:
        got = send(f"{server.url}/v1/things", headers={"x-asked": "yes"})
    assert (got.status, got.body, got.headers["etag"]) == (200, b'{"a": 1}', 'W/"x"')
    assert server.seen[0].target == "/v1/things"
    assert server.seen[0].headers["x-asked"] == "yes"
    assert server.seen[0].headers["accept-encoding"] == "gzip"


def test_a_refusal_of_the_server_is_an_answer_and_not_an_error(send: Send) -> None:
    with FaultyServer(answer(409, b"{}")) as server:
        assert send(f"{server.url}/").status == 409
    assert len(server.seen) == 1


def test_a_body_is_sent_with_its_length(send: Send) -> None:
    with FaultyServer() as server:
        send(f"{server.url}/", "PUT", b'{"kind": "pod"}')
    assert server.seen[0].body == b'{"kind": "pod"}'
    assert server.seen[0].headers["content-length"] == "15"


def test_a_compressed_answer_is_unpacked(send: Send) -> None:
    packed = gzip.compress(b"manifests " * 1000)
    with FaultyServer(answer(200, packed, {"content-encoding": "gzip"})) as server:
        assert send(f"{server.url}/").body == b"manifests " * 1000


def test_connections_are_used_again() -> None:
    async def conversation(url: str) -> None:
        client = HttpClient(HttpSettings(environment={}))
        for _ in range(5):
            await client.send("GET", url, {}, repeatable=True)
        await client.aclose()

    with FaultyServer() as server:
        asyncio.run(conversation(f"{server.url}/"))
    assert (len(server.seen), server.connections) == (5, 1)


def test_never_more_than_the_set_number_of_requests_run_side_by_side() -> None:
    async def conversation(url: str) -> None:
        client = HttpClient(HttpSettings(environment={}, concurrency=3))
        await asyncio.gather(*(client.send("GET", url, {}, repeatable=True) for _ in range(40)))
        await client.aclose()

    with FaultyServer() as server:
        asyncio.run(conversation(f"{server.url}/"))
    assert len(server.seen) == 40
    assert server.connections <= 3
    assert server.side_by_side <= 3


# --- trying again


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_passing_refusal_is_asked_again(send: Send, clock: StillClock, status: int) -> None:
    with FaultyServer(answer(status), answer(status), answer(200)) as server:
        assert send(f"{server.url}/").status == 200
    assert len(server.seen) == 3
    assert clock.slept == [0.125, 0.25]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 412, 413, 500, 501])
def test_a_lasting_refusal_is_not(send: Send, status: int) -> None:
    with FaultyServer(answer(status), answer(200)) as server:
        assert send(f"{server.url}/").status == status
    assert len(server.seen) == 1


def test_after_the_last_attempt_the_answer_is_given_as_it_is(send: Send) -> None:
    with FaultyServer(answer(503, b"busy")) as server:
        got = send(f"{server.url}/", attempts=4)
    assert (got.status, got.body, len(server.seen)) == (503, b"busy", 4)


def test_retry_after_in_seconds_is_waited_for_with_jitter_on_top(
    send: Send, clock: StillClock
) -> None:
    with FaultyServer(answer(429, headers={"Retry-After": "7"}), answer(200)) as server:
        assert send(f"{server.url}/").status == 200
    assert clock.slept == [7.125]


def test_retry_after_as_a_date_is_waited_for(send: Send, clock: StillClock) -> None:
    date = formatdate(clock.wall() + 42, usegmt=True)
    with FaultyServer(answer(503, headers={"Retry-After": date}), answer(200)) as server:
        assert send(f"{server.url}/").status == 200
    assert clock.slept == [42.125]


def test_a_retry_after_beyond_the_budget_is_not_waited_for(send: Send, clock: StillClock) -> None:
    with FaultyServer(answer(429, headers={"Retry-After": "3600"}), answer(200)) as server:
        got = send(f"{server.url}/", budget_seconds=60.0)
    assert (got.status, clock.slept, len(server.seen)) == (429, [], 1)


@pytest.mark.parametrize("value", ["soon", "-3", "", "1e9", "99999999999999", "\u0663"])
def test_a_retry_after_that_makes_no_sense_is_as_none(
    send: Send, clock: StillClock, value: str
) -> None:
    step = answer(429, headers={"Retry-After": value.encode("utf-8").decode("latin-1")})
    with FaultyServer(step, answer(200)) as server:
        assert send(f"{server.url}/").status == 200
    assert clock.slept == [0.125]


def test_one_who_is_told_to_wait_holds_back_everybody(clock: StillClock) -> None:
    async def conversation(url: str) -> None:
        client = HttpClient(HttpSettings(environment={}, concurrency=1, attempts=1), clock=clock)
        await client.send("GET", url, {}, repeatable=True)
        await client.send("GET", url, {}, repeatable=True)
        await client.aclose()

    with FaultyServer(answer(429, headers={"Retry-After": "30"}), answer(200)) as server:
        asyncio.run(conversation(f"{server.url}/"))
    assert clock.slept == [30.0]


def test_when_the_budget_is_used_up_nothing_more_is_sent(clock: StillClock) -> None:
    async def conversation(url: str) -> None:
        client = HttpClient(HttpSettings(environment={}, budget_seconds=60), clock=clock)
        await client.send("GET", url, {}, repeatable=True)
        clock.now += 61
        try:
            await client.send("GET", url, {}, repeatable=True)
        finally:
            await client.aclose()

    with FaultyServer() as server:
        with pytest.raises(NetworkError, match="60 s that this command may spend") as caught:
            asyncio.run(conversation(f"{server.url}/"))
        assert len(server.seen) == 1
    assert (caught.value.code, caught.value.sent) == ("E615", False)


@pytest.mark.parametrize("fault", [closes_without_answer, resets, cut_mid_body(), chunked_and_cut])
def test_a_broken_connection_is_tried_again_when_repeating_does_no_harm(
    send: Send, fault: Step
) -> None:
    with FaultyServer(fault, answer(200, b"whole")) as server:
        assert send(f"{server.url}/").body == b"whole"
    assert len(server.seen) == 2


@pytest.mark.parametrize("fault", [resets, cut_mid_body(), chunked_and_cut])
def test_what_may_not_be_repeated_is_sent_once(send: Send, fault: Step) -> None:
    with FaultyServer(fault, answer(200)) as server, pytest.raises(NetworkError) as caught:
        send(f"{server.url}/", "POST", b"{}", repeatable=False)
    assert (caught.value.code, caught.value.sent, len(server.seen)) == ("E611", True, 1)


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_refusal_of_what_may_not_be_repeated_is_final(send: Send, status: int) -> None:
    with FaultyServer(answer(status), answer(200)) as server:
        assert send(f"{server.url}/", "POST", b"{}", repeatable=False).status == status
    assert len(server.seen) == 1


def test_what_may_not_be_repeated_is_tried_again_while_nothing_was_sent(
    send: Send, clock: StillClock
) -> None:
    with pytest.raises(NetworkError) as caught:
        send(f"http://127.0.0.1:{unused_port()}/", "POST", b"{}", repeatable=False)
    assert (caught.value.code, caught.value.sent) == ("E604", False)
    assert len(clock.slept) == 4


def test_bytes_that_left_in_an_earlier_attempt_are_not_forgotten() -> None:
    class ServerGoesMeanwhile(StillClock):
        async def sleep(self, seconds: float) -> None:
            await asyncio.to_thread(server.close)
            await super().sleep(seconds)

    async def conversation(url: str) -> None:
        client = HttpClient(HttpSettings(environment={}), clock=ServerGoesMeanwhile())
        try:
            await client.send("PUT", url, {}, b"{}", repeatable=True)
        finally:
            await client.aclose()

    with FaultyServer(resets) as server, pytest.raises(NetworkError) as caught:
        asyncio.run(conversation(f"{server.url}/"))
    assert (caught.value.code, caught.value.sent) == ("E604", True)


# --- no answer at all, and why


def test_refused(send: Send) -> None:
    port = unused_port()
    with pytest.raises(NetworkError) as caught:
        send(f"http://127.0.0.1:{port}/")
    assert caught.value.message == f"127.0.0.1:{port} cannot be reached: it refuses connections"
    assert caught.value.code == "E604"
    assert caught.value.remedy


def test_a_host_that_does_not_exist(send: Send, clock: StillClock) -> None:
    with pytest.raises(NetworkError) as caught:
        send("https://runtime.invalid/")
    assert (caught.value.code, caught.value.sent) == ("E605", False)
    assert "runtime.invalid" in caught.value.message


def test_an_answer_that_does_not_come(send: Send) -> None:
    with FaultyServer(hangs) as server, pytest.raises(NetworkError) as caught:
        send(f"{server.url}/", read_seconds=0.05, attempts=2)
    assert (caught.value.code, caught.value.sent, len(server.seen)) == ("E607", True, 2)


def test_an_answer_that_drips_forever_ends(send: Send) -> None:
    with FaultyServer(drips) as server, pytest.raises(NetworkError) as caught:
        send(f"{server.url}/", request_seconds=0.2, attempts=1)
    assert caught.value.code == "E607"


@pytest.mark.parametrize("fault", [cut_mid_body(), chunked_and_cut, resets])
def test_an_answer_that_is_cut(send: Send, fault: Step) -> None:
    with FaultyServer(fault) as server, pytest.raises(NetworkError) as caught:
        send(f"{server.url}/", attempts=2)
    assert (caught.value.code, caught.value.sent, len(server.seen)) == ("E611", True, 2)
    assert "cut before the answer was whole" in caught.value.message


@pytest.mark.parametrize("fault", [closes_without_answer, raw(b"SSH-2.0-OpenSSH_9.2\r\n")])
def test_a_connection_that_is_closed_without_an_answer(send: Send, fault: Step) -> None:
    with FaultyServer(fault) as server, pytest.raises(NetworkError) as caught:
        send(f"{server.url}/", attempts=2)
    assert (caught.value.code, caught.value.sent, len(server.seen)) == ("E621", True, 2)
    assert "closed the connection without an answer" in caught.value.message
    assert "another program" in caught.value.remedy


@pytest.mark.parametrize(
    "fault", [endless, answer(200, b"x", announced=10**9), answer(200, b"x" * 3_000_000)]
)
def test_an_answer_that_is_too_large(send: Send, fault: Step) -> None:
    with FaultyServer(fault) as server, pytest.raises(NetworkError) as caught:
        send(f"{server.url}/", max_answer_bytes=2 * 1024 * 1024)
    assert (caught.value.code, len(server.seen)) == ("E612", 1)
    assert "more than 2 MiB" in caught.value.message


def test_a_small_answer_that_unpacks_to_a_large_one(send: Send) -> None:
    bomb = gzip.compress(bytes(50_000_000))
    step = answer(200, bomb, {"content-encoding": "gzip"})
    with FaultyServer(step) as server, pytest.raises(NetworkError) as caught:
        send(f"{server.url}/", max_answer_bytes=2 * 1024 * 1024)
    assert caught.value.code == "E612"


def test_an_answer_that_does_not_unpack(send: Send) -> None:
    step = answer(200, b"not gzip", {"content-encoding": "gzip"})
    with FaultyServer(step) as server, pytest.raises(NetworkError) as caught:
        send(f"{server.url}/")
    assert (caught.value.code, len(server.seen)) == ("E618", 1)


@pytest.mark.parametrize(
    "said", [b"220 mail.example ESMTP\r\n\r\n", b"\x00\x01\x02\r\n\r\n", b"x" * 200_000]
)
def test_a_port_where_something_else_listens(send: Send, said: bytes) -> None:
    with FaultyServer(raw(said)) as server, pytest.raises(NetworkError) as caught:
        send(f"{server.url}/")
    assert (caught.value.code, len(server.seen)) == ("E613", 1)
    assert "does not speak HTTP" in caught.value.message


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_to_another_host_is_an_error_that_names_it(send: Send, status: int) -> None:
    with FaultyServer() as other:
        target = f"http://localhost:{other.port}/login?state=s3cr3t"
        step = answer(status, headers={"Location": target})
        with FaultyServer(step) as server, pytest.raises(NetworkError) as caught:
            send(f"{server.url}/v1/me", headers={"authorization": "Bearer k"})
        assert other.seen == []
    assert caught.value.code == "E614"
    assert f"redirects to http://localhost:{other.port}/login," in caught.value.message
    assert "s3cr3t" not in caught.value.message
    assert len(server.seen) == 1


def test_a_redirect_within_the_host_is_not_followed_either(send: Send) -> None:
    step = answer(308, headers={"Location": "/v2/me"})
    with FaultyServer(step) as server, pytest.raises(NetworkError) as caught:
        send(f"{server.url}/v1/me")
    assert f"{server.url}/v2/me" in caught.value.message
    assert "server:" in caught.value.remedy


def test_a_header_that_cannot_be_sent_is_refused_without_quoting_it(send: Send) -> None:
    import traceback

    key = "y".join(("canar", "\nx: "))
    with FaultyServer() as server, pytest.raises(NetworkError) as caught:
        send(f"{server.url}/", headers={"authorization": f"Bearer {key}"})
    assert caught.value.code == "E620"
    assert "canary" not in "".join(traceback.format_exception(caught.value))
    assert server.seen == []


def test_a_cancelled_request_leaves_the_client_usable() -> None:
    async def conversation(url: str) -> int:
        client = HttpClient(HttpSettings(environment={}, concurrency=1))
        task = asyncio.create_task(client.send("GET", url, {}, repeatable=True))
        await asyncio.to_thread(server.wait_for_a_request)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        got = await client.send("GET", url, {}, repeatable=True)
        await client.aclose()
        return got.status

    with FaultyServer(hangs, answer(200)) as server:
        assert asyncio.run(conversation(f"{server.url}/")) == 200
