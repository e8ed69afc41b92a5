"""What the network library raises, in words: one ``NetworkError`` for each way to get no answer."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from urllib.parse import urljoin, urlsplit

from envsync.errors import NetworkError
from envsync.http.address import Address
from envsync.http.library import httpx

_TLS_ALERT = (r"\x15\x03", r"\x16\x03")
_PLAIN_INSTEAD_OF_TLS = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "PACKET_LENGTH_TOO_LONG")
_NOTHING_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError)
_LASTING_DNS_FAILURES = frozenset({socket.EAI_NONAME})


class Fault(NetworkError):  # noqa: N818  it is a fault of the network, not ours
    """A ``NetworkError`` that knows whether trying again can help (``passing``)."""

    def __init__(
        self, code: str, message: str, *, remedy: str = "", sent: bool, passing: bool = True
    ) -> None:
        super().__init__(code, message, remedy=remedy)
        self.sent = sent
        self.passing = passing

    def with_more(self, more: str) -> Fault:
        """The same fault, its message followed by ``more``."""
        message = f"{self.message}; {more}" if more else self.message
        return Fault(self.code, message, remedy=self.remedy, sent=self.sent, passing=self.passing)


certificate_refused = "E608"
cut_short = "E611"
closed_silently = "E621"


def tls_instead_of_plain(address: Address) -> Fault:
    where = f"{address.host}:{address.port}"
    return Fault(
        "E610",
        f"{where} speaks TLS, and the address says http",
        remedy=f"write https://{where}",
        sent=False,
        passing=False,
    )


def budget_used_up(address: Address, seconds: float, asked: float = 0.0) -> Fault:
    """The whole command has waited as long as it may; nothing of this request was sent.
    ``asked`` is the pause in seconds that the server wants, if that is the reason."""
    why = f"; {address.host} asks for a pause of {asked:.0f} s" if asked else ""
    return Fault(
        "E615",
        f"the {seconds:.0f} s that this command may spend on the network are used up{why}",
        remedy="run it again: what is done already is not done twice",
        sent=False,
        passing=False,
    )


def no_answer_in_time(address: Address, *, sent: bool) -> Fault:
    return Fault(
        "E607",
        f"{address.host}:{address.port} took the request and did not answer in time",
        remedy="try again; if it stays so, ask who runs the server",
        sent=sent,
    )


def too_large(address: Address, cap: int) -> Fault:
    return Fault(
        "E612",
        f"{address.host}:{address.port} sent an answer of more than {cap // (1024 * 1024)} MiB",
        remedy="check that the address is that of a Runtime",
        sent=True,
        passing=False,
    )


def redirected(url: str, location: str) -> Fault:
    """Redirects are not followed: a key belongs to the host that it was given for. Who redirects
    has done nothing else with the request."""
    target = urljoin(url, location).partition("?")[0] if location else "nowhere it names"
    here, there = urlsplit(url), urlsplit(target)
    if here.hostname == there.hostname:
        remedy = "write the address that it points to in the context's `server:`"
    else:
        remedy = f"if {there.netloc} is your server, write its address in the context's `server:`"
    return Fault(
        "E614",
        f"{here.netloc} redirects to {target}, and a key is not sent after a redirect",
        remedy=remedy,
        sent=False,
        passing=False,
    )


def fault_of(
    error: httpx.TransportError | httpx.DecodingError | ssl.SSLError,
    address: Address,
    proxy: str = "",
) -> Fault:
    """``error``, met on the way to ``address``, as a sentence and a way out. ``proxy`` is the
    proxy on that way, without its credentials."""
    sent = not isinstance(error, _NOTHING_SENT)
    where = f"{address.host}:{address.port}"
    if isinstance(error, httpx.LocalProtocolError):
        return Fault(
            "E620",
            f"the request to {where} holds a header that HTTP cannot carry",
            remedy="check the key: it is one line of visible ASCII characters",
            sent=False,
            passing=False,
        )
    if isinstance(error, httpx.ProxyError):
        return Fault(
            "E616",
            f"the proxy did not let us through to {where}: {error}",
            remedy="check HTTPS_PROXY and its credentials, or name the host in NO_PROXY",
            sent=False,
            passing=False,
        )
    if proxy and isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        return _no_way_through(error, proxy, where)
    if isinstance(error, httpx.TimeoutException):
        return _timeout(error, address, sent)
    if isinstance(error, httpx.DecodingError):
        return Fault(
            "E618",
            f"{where} sent an answer that cannot be decoded",
            remedy="look at what stands between: a proxy that alters answers, or another server",
            sent=True,
            passing=False,
        )
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLError):
            return _tls(cause, where, sent)
        if isinstance(cause, socket.gaierror):
            return _unknown_host(cause, address)
    if isinstance(error, httpx.ConnectError):
        return _unreachable(error, where)
    if isinstance(error, httpx.RemoteProtocolError):
        return _broken_answer(error, address)
    return Fault(
        cut_short,
        f"the connection to {where} was cut before the answer was whole",
        remedy="try again; if it stays so, look for a proxy or load balancer between",
        sent=sent,
    )


def _no_way_through(error: httpx.TransportError, proxy: str, where: str) -> Fault:
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLError):
            return _tls(cause, where, sent=False)
    return Fault(
        "E616",
        f"the proxy {proxy}, which is in the way to {where}, cannot be reached",
        remedy="check HTTPS_PROXY, or name the host in NO_PROXY",
        sent=False,
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.__cause__ or seen.__context__


def _timeout(error: httpx.TimeoutException, address: Address, sent: bool) -> Fault:
    if isinstance(error, httpx.ConnectTimeout):
        return Fault(
            "E606",
            f"{address.host}:{address.port} did not accept a connection in time",
            remedy="check the address and the network: a firewall drops what it does not allow",
            sent=False,
        )
    return no_answer_in_time(address, sent=sent)


def _tls(cause: ssl.SSLError, where: str, sent: bool) -> Fault:
    if isinstance(cause, ssl.SSLCertVerificationError):
        why = (cause.verify_message or "it cannot be verified").rstrip(".")
        return Fault(
            certificate_refused,
            f"the certificate of {where} is not trusted: {why}",
            remedy="if the server is yours, name its CA's certificate with `ca_bundle:` in the "
            "context, or with SSL_CERT_FILE",
            sent=False,
            passing=False,
        )
    if cause.reason in _PLAIN_INSTEAD_OF_TLS:
        return Fault(
            "E609",
            f"{where} does not speak TLS: the address says https and the port answers otherwise",
            remedy="check the port; a server on this machine may be meant with http://",
            sent=False,
            passing=False,
        )
    reason = (cause.reason or "the handshake failed").replace("_", " ").lower()
    return Fault(
        "E619",
        f"no encrypted connection to {where}: {reason}",
        remedy="check that the server offers TLS 1.2 or newer",
        sent=sent,
        passing=False,
    )


def _unknown_host(cause: socket.gaierror, address: Address) -> Fault:
    lasting = cause.errno in _LASTING_DNS_FAILURES
    return Fault(
        "E605",
        f"no address is known for the host {address.host}",
        remedy="check the spelling, and whether a VPN or a proxy is needed",
        sent=False,
        passing=not lasting,
    )


def _unreachable(error: httpx.ConnectError, where: str) -> Fault:
    refused = any(isinstance(cause, ConnectionRefusedError) for cause in _causes(error))
    why = "it refuses connections" if refused or "refused" in str(error).lower() else str(error)
    return Fault(
        "E604",
        f"{where} cannot be reached: {why or 'no connection'}",
        remedy="check the address, and whether the server runs",
        sent=False,
    )


def _broken_answer(error: httpx.RemoteProtocolError, address: Address) -> Fault:
    where, text = f"{address.host}:{address.port}", str(error)
    if address.scheme == "http" and any(alert in text for alert in _TLS_ALERT):
        return tls_instead_of_plain(address)
    if "without sending a response" in text:
        return Fault(
            closed_silently,
            f"{where} closed the connection without an answer",
            remedy="try again; if it stays so, check the port: another program may listen there",
            sent=True,
        )
    if "peer closed" in text or "incomplete" in text:
        return Fault(
            cut_short,
            f"the connection to {where} was cut before the answer was whole",
            remedy="try again; if it stays so, look for a proxy or load balancer between",
            sent=True,
        )
    return Fault(
        "E613",
        f"{where} does not speak HTTP",
        remedy="check the port: another program may listen there",
        sent=True,
        passing=False,
    )
