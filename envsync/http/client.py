"""HttpClient: sends a request and comes back with an answer, or says plainly why there is none."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from envsync.http.address import Address, parse_address
from envsync.http.certificate import describe_certificate
from envsync.http.clock import Budget, Clock, SystemClock
from envsync.http.faults import (
    Fault,
    budget_used_up,
    certificate_refused,
    closed_silently,
    cut_short,
    fault_of,
    no_answer_in_time,
    redirected,
    tls_instead_of_plain,
    too_large,
)
from envsync.http.lane import Lane
from envsync.http.library import httpx
from envsync.http.proxies import proxy_for
from envsync.http.retrying import RETRIED_STATUSES, backoff, retry_after
from envsync.http.settings import HttpSettings
from envsync.http.trust import ssl_context, trust_of
from envsync.http.wire_log import WireLog, WireRecord

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_ACCEPTED_ENCODING = "gzip"
"""This one only, whatever decoders happen to be installed: the same bytes on every machine."""


class RawAnswer(Struct, frozen=True):
    """``headers`` has lower-case names; the values of a repeated header are joined with commas.
    ``resent`` says that an earlier attempt may have reached the server too."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    resent: bool = False


class _Call(Struct, frozen=True):
    method: str
    url: str
    headers: Mapping[str, str]
    content: bytes | None
    repeatable: bool


class HttpClient:
    """One for a whole command: it holds the budget, the connections and one limiter for each host.

    Redirects are never followed: one is an error that names where it points.
    """

    def __init__(
        self,
        settings: HttpSettings | None = None,
        *,
        user_agent: str = "envsync",
        wire_log: WireLog | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._settings = settings or HttpSettings()
        self._headers = {"user-agent": user_agent, "accept-encoding": _ACCEPTED_ENCODING}
        self._wire_log = wire_log
        self._clock: Clock = clock or SystemClock()
        self._budget = Budget(self._settings.budget_seconds, self._clock)
        self._lanes: dict[str, Lane] = {}
        self._timeouts = {
            "connect": self._settings.connect_seconds,
            "read": self._settings.read_seconds,
            "write": self._settings.write_seconds,
            "pool": self._settings.connect_seconds,
        }

    async def send(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        content: bytes | None = None,
        *,
        repeatable: bool,
    ) -> RawAnswer:
        """The answer, whatever its status but for redirects.

        A connection that could not be made is tried again; so are, when ``repeatable``, a
        connection that broke later and the answers 429, 502, 503 and 504. When the attempts or
        the budget are used up, the last such answer is returned as it is.
        Raises ``NetworkError``; ``sent`` on it says whether the server may have seen the request.
        """
        call = _Call(method, url, {**self._headers, **headers}, content, repeatable)
        lane = self._lane(url)
        attempt, left = 0, False
        while True:
            attempt += 1
            try:
                answer = await self._attempt(lane, call, attempt)
            except Fault as fault:
                left = fault.sent = fault.sent or left
                wait = backoff(attempt, self._clock.chance())
                if not self._tries_again(fault, call, attempt, wait):
                    raise await self._explained(fault, lane) from fault.__cause__
            else:
                answer = replace(answer, resent=left)
                left = True
                wait = self._wait_after(answer, lane, attempt)
                final = answer.status not in RETRIED_STATUSES or not repeatable
                if final or attempt >= self._settings.attempts or wait >= self._budget.left():
                    return answer
            await self._clock.sleep(wait)

    async def aclose(self) -> None:
        """Close every connection."""
        lanes, self._lanes = self._lanes, {}
        for lane in lanes.values():
            await lane.aclose()

    def _tries_again(self, fault: Fault, call: _Call, attempt: int, wait: float) -> bool:
        harmless = call.repeatable or not fault.sent
        affordable = attempt < self._settings.attempts and wait < self._budget.left()
        return fault.passing and harmless and affordable

    def _wait_after(self, answer: RawAnswer, lane: Lane, attempt: int) -> float:
        """Seconds to wait before the next attempt. What the server asks for holds everybody back
        who wants to reach it; the jitter on top keeps them from returning all at once."""
        jitter = backoff(attempt, self._clock.chance())
        if answer.status not in RETRIED_STATUSES:
            return 0.0
        asked = retry_after(answer.headers.get("retry-after", ""), self._clock.wall())
        if asked is None:
            return jitter
        lane.hold(asked)
        return asked + jitter

    async def _attempt(self, lane: Lane, call: _Call, attempt: int) -> RawAnswer:
        async with lane.place() as transport:
            while held := lane.held():
                if held >= self._budget.left():
                    raise budget_used_up(lane.address, self._settings.budget_seconds, held)
                await self._clock.sleep(held)
            if not self._budget.left():
                raise budget_used_up(lane.address, self._settings.budget_seconds)
            started = self._clock.monotonic()
            try:
                answer = await self._exchange(transport, lane, call)
            except Fault as fault:
                self._log(call, attempt, started, fault=fault.message)
                raise
            self._log(call, attempt, started, answer=answer)
        if answer.status in _REDIRECTS:
            raise redirected(call.url, answer.headers.get("location", ""))
        return answer

    async def _exchange(
        self, transport: httpx.AsyncBaseTransport, lane: Lane, call: _Call
    ) -> RawAnswer:
        address = lane.address
        request = httpx.Request(
            call.method,
            call.url,
            headers=dict(call.headers),
            content=call.content,
            extensions={"timeout": self._timeouts},
        )
        seconds = min(self._settings.request_seconds, self._budget.left())
        try:
            async with asyncio.timeout(seconds):
                response = await transport.handle_async_request(request)
                try:
                    body = await self._body(response, address)
                finally:
                    await response.aclose()
        except httpx.LocalProtocolError as error:
            # Its text may quote a header's value, and that may be a key: drop it altogether.
            raise fault_of(error, address, lane.proxy) from None
        except (httpx.TransportError, httpx.DecodingError, ssl.SSLError) as error:
            raise fault_of(error, address, lane.proxy) from error
        except TimeoutError as error:
            if not self._budget.left():
                used_up = budget_used_up(address, self._settings.budget_seconds)
                used_up.sent = True
                raise used_up from error
            raise no_answer_in_time(address, sent=True) from error
        headers = {name.lower(): value for name, value in response.headers.items()}
        return RawAnswer(response.status_code, headers, body)

    async def _body(self, response: httpx.Response, address: Address) -> bytes:
        cap = self._settings.max_answer_bytes
        announced = response.headers.get("content-length", "")
        if announced.isascii() and announced.isdigit() and int(announced[:20]) > cap:
            raise too_large(address, cap)
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > cap:
                raise too_large(address, cap)
        return bytes(body)

    async def _explained(self, fault: Fault, lane: Lane) -> Fault:
        """``fault`` with what can be found out about it: what a refused certificate says, and
        whether a port that hangs up on plain HTTP would rather have TLS."""
        unencrypted = lane.address.scheme == "http" and fault.code in (closed_silently, cut_short)
        if lane.proxy or not (unencrypted or fault.code == certificate_refused):
            return fault
        seconds = min(self._settings.connect_seconds, self._budget.left())
        about = await asyncio.to_thread(describe_certificate, lane.address, seconds)
        if unencrypted:
            return tls_instead_of_plain(lane.address) if about else fault
        return fault.with_more(about)

    def _lane(self, url: str) -> Lane:
        origin = url[: url.find("/", url.find("//") + 2)]
        lane = self._lanes.get(origin)
        if lane is None:
            lane = self._lanes[origin] = self._new_lane(parse_address(origin))
        return lane

    def _new_lane(self, address: Address) -> Lane:
        proxy = proxy_for(address, self._settings.environment)
        context: ssl.SSLContext | None = None
        if address.scheme == "https" or proxy.url.startswith("https:"):
            context = ssl_context(trust_of(self._settings))

        via = None
        if proxy.url:
            encrypted = proxy.url.startswith("https:")
            via = httpx.Proxy(proxy.url, ssl_context=context if encrypted else None)

        def connect() -> httpx.AsyncBaseTransport:
            return httpx.AsyncHTTPTransport(
                verify=context or _no_trust(),
                trust_env=False,
                proxy=via,
                limits=httpx.Limits(max_connections=1, max_keepalive_connections=1),
            )

        return Lane(address, self._settings.concurrency, self._clock, connect, proxy=proxy.shown)

    def _log(
        self,
        call: _Call,
        attempt: int,
        started: float,
        *,
        answer: RawAnswer | None = None,
        fault: str = "",
    ) -> None:
        if self._wire_log is None:
            return
        self._wire_log(
            WireRecord(
                method=call.method,
                url=call.url,
                attempt=attempt,
                status=answer.status if answer else 0,
                milliseconds=(self._clock.monotonic() - started) * 1000,
                sent=len(call.content or b""),
                received=len(answer.body) if answer else 0,
                fault=fault,
            )
        )


def _no_trust() -> ssl.SSLContext:
    """For connections without TLS: a context that trusts nobody. Making one that does is slow."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
