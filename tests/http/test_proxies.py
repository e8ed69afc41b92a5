"""Which proxy stands between, as the environment says."""

from __future__ import annotations

import pytest

from envsync.errors import NetworkError
from envsync.http.address import parse_address
from envsync.http.effective import effective
from envsync.http.proxies import proxy_for
from envsync.http.settings import HttpSettings
from tests.http.authority import Authority
from tests.http.conftest import Send
from tests.http.faulty_server import FaultyServer, answer, tunnels_to

PROXY = "http://proxy.example:3128"


def chosen(url: str, **environment: str) -> str:
    return proxy_for(parse_address(url), environment).url


@pytest.mark.parametrize(
    ("environment", "proxy"),
    [
        ({}, ""),
        ({"HTTPS_PROXY": PROXY}, PROXY),
        ({"https_proxy": PROXY, "HTTPS_PROXY": "http://other.example"}, PROXY),
        ({"HTTPS_PROXY": "proxy.example:3128"}, PROXY),
        ({"ALL_PROXY": PROXY}, PROXY),
        ({"HTTP_PROXY": PROXY}, ""),
        ({"HTTPS_PROXY": "  "}, ""),
    ],
)
def test_the_proxy_is_the_one_the_environment_names(
    environment: dict[str, str], proxy: str
) -> None:
    assert chosen("https://runtime.example", **environment) == proxy


@pytest.mark.parametrize(
    ("exceptions", "direct"),
    [
        ("runtime.example", True),
        ("example", True),
        (".example", True),
        ("*.example", True),
        ("*", True),
        ("a.example, runtime.example", True),
        ("a.example runtime.example", True),
        ("RUNTIME.EXAMPLE", True),
        ("runtime.example:443", True),
        ("runtime.example:8443", False),
        ("time.example", False),
        ("runtime.example.org", False),
        ("", False),
        (",", False),
    ],
)
def test_no_proxy_names_hosts_and_what_is_below_them(exceptions: str, direct: bool) -> None:
    got = chosen("https://runtime.example", HTTPS_PROXY=PROXY, NO_PROXY=exceptions)
    assert (got == "") is direct


@pytest.mark.parametrize(
    ("exceptions", "direct"),
    [("10.0.0.0/8", True), ("10.1.2.3", True), ("10.1.2.3:443", True), ("10.2.0.0/16", False)],
)
def test_no_proxy_names_networks(exceptions: str, direct: bool) -> None:
    got = chosen("https://10.1.2.3", HTTPS_PROXY=PROXY, NO_PROXY=exceptions)
    assert (got == "") is direct


def test_no_proxy_names_an_ipv6_address() -> None:
    for entry in ("2001:db8::1", "[2001:db8::1]", "[2001:db8::1]:443", "2001:db8::/32"):
        assert chosen("https://[2001:db8::1]", HTTPS_PROXY=PROXY, NO_PROXY=entry) == ""


@pytest.mark.parametrize("url", ["http://localhost:1", "https://127.0.0.1", "https://[::1]:2"])
def test_the_loopback_is_reached_directly(url: str) -> None:
    assert chosen(url, HTTPS_PROXY=PROXY, HTTP_PROXY=PROXY, ALL_PROXY=PROXY) == ""


@pytest.mark.parametrize("value", ["socks5://proxy.example", "http://", "http://h:0", "http://[x"])
def test_a_proxy_that_cannot_be_used_is_named_by_its_variable(value: str) -> None:
    with pytest.raises(NetworkError) as caught:
        chosen("https://runtime.example", HTTPS_PROXY=value)
    assert caught.value.code == "E616"
    assert "HTTPS_PROXY" in caught.value.message


def test_a_request_goes_through_the_proxy(send: Send) -> None:
    with FaultyServer(answer(407, headers={"Proxy-Authenticate": "Basic"})) as proxy:
        environment = {"HTTPS_PROXY": f"http://user:canary@127.0.0.1:{proxy.port}"}
        with pytest.raises(NetworkError) as caught:
            send("https://runtime.example/v1/me", environment=environment)
    assert (caught.value.code, caught.value.sent) == ("E616", False)
    assert "407" in caught.value.message
    assert "canary" not in str(caught.value.problems)
    assert (proxy.seen[0].method, proxy.seen[0].target) == ("CONNECT", "runtime.example:443")
    assert proxy.seen[0].headers["proxy-authorization"].startswith("Basic ")


def test_behind_a_proxy_the_certificate_of_the_server_counts(
    send: Send, authority: Authority
) -> None:
    right = authority.server_context("runtime.example")
    wrong = authority.server_context("other.example")
    with FaultyServer(tls=right) as server, FaultyServer(tunnels_to(server.port)) as proxy:
        got = send(
            "https://runtime.example/v1/me",
            headers={"authorization": "Bearer key"},
            environment={"HTTPS_PROXY": proxy.url},
            ca_bundle=authority.bundle,
        )
    assert got.status == 200
    assert server.seen[0].headers["host"] == "runtime.example"
    assert "authorization" not in proxy.seen[0].headers
    with FaultyServer(tls=wrong) as server, FaultyServer(tunnels_to(server.port)) as proxy:
        settings = {"environment": {"HTTPS_PROXY": proxy.url}, "ca_bundle": authority.bundle}
        with pytest.raises(NetworkError) as caught:
            send("https://runtime.example/", **settings)
    assert (caught.value.code, server.seen) == ("E608", [])


def test_a_proxy_that_is_not_there(send: Send) -> None:
    with pytest.raises(NetworkError) as caught:
        send("https://runtime.example/", environment={"HTTPS_PROXY": "http://127.0.0.1:9"})
    assert caught.value.code in {"E604", "E616"}
    assert "proxy" in f"{caught.value.message} {caught.value.remedy}"


def test_the_report_says_what_is_in_effect_without_secrets() -> None:
    environment = {"HTTPS_PROXY": "http://user:canary@proxy.example:3128"}
    report = effective(HttpSettings(environment=environment), "https://runtime.example")
    assert report.proxy == "http://proxy.example:3128"
    assert report.proxy_reason == "HTTPS_PROXY is set"
    assert report.trust == "the operating system's trust store"
    assert report.connect_seconds == 10
    assert "canary" not in repr(report)
    direct = effective(
        HttpSettings(environment={**environment, "NO_PROXY": "example"}), "https://runtime.example"
    )
    assert (direct.proxy, direct.proxy_reason) == ("", "NO_PROXY covers it with example")


def test_the_report_names_the_bundle() -> None:
    settings = HttpSettings(environment={"SSL_CERT_FILE": "/etc/acme/ca.pem"})
    report = effective(settings, "https://runtime.example")
    assert report.trust == "/etc/acme/ca.pem (SSL_CERT_FILE)"
