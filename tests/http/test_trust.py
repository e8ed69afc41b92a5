"""Whose certificates are believed, and what is said when one is not."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from envsync.errors import NetworkError
from envsync.http.settings import HttpSettings
from envsync.http.trust import ssl_context, trust_of
from tests.http.authority import Authority
from tests.http.conftest import Send
from tests.http.faulty_server import FaultyServer


def test_a_named_bundle_is_trusted(send: Send, authority: Authority) -> None:
    with FaultyServer(tls=authority.server_context("127.0.0.1")) as server:
        assert send(f"{server.url}/", ca_bundle=authority.bundle).status == 200


def test_ssl_cert_file_is_trusted(send: Send, authority: Authority) -> None:
    environment = {"SSL_CERT_FILE": str(authority.bundle)}
    with FaultyServer(tls=authority.server_context("127.0.0.1")) as server:
        assert send(f"{server.url}/", environment=environment).status == 200


def test_ca_bundle_wins_over_ssl_cert_file(
    send: Send, authority: Authority, other_authority: Authority
) -> None:
    with FaultyServer(tls=authority.server_context("127.0.0.1")) as server:
        got = send(
            f"{server.url}/",
            ca_bundle=authority.bundle,
            environment={"SSL_CERT_FILE": str(other_authority.bundle)},
        )
    assert got.status == 200


def test_a_certificate_of_an_unknown_authority_is_refused_and_described(
    send: Send, authority: Authority
) -> None:
    with (
        FaultyServer(tls=authority.server_context("127.0.0.1", "runtime.example")) as server,
        pytest.raises(NetworkError) as caught,
    ):
        send(f"{server.url}/", headers={"authorization": "Bearer canary"})
    assert (caught.value.code, caught.value.sent) == ("E608", False)
    assert f"the certificate of 127.0.0.1:{server.port} is not trusted" in caught.value.message
    assert "CN=runtime of acme for 127.0.0.1, runtime.example" in caught.value.message
    assert "issued by CN=acme test authority" in caught.value.message
    assert "ca_bundle:" in caught.value.remedy
    assert server.seen == []


def test_a_bundle_stands_instead_of_everything_else(
    send: Send, authority: Authority, other_authority: Authority
) -> None:
    with (
        FaultyServer(tls=authority.server_context("127.0.0.1")) as server,
        pytest.raises(NetworkError, match="not trusted"),
    ):
        send(f"{server.url}/", ca_bundle=other_authority.bundle)
    assert server.seen == []


def test_a_certificate_for_another_host_is_refused(send: Send, authority: Authority) -> None:
    with (
        FaultyServer(tls=authority.server_context("runtime.example")) as server,
        pytest.raises(NetworkError) as caught,
    ):
        send(f"{server.url}/", ca_bundle=authority.bundle)
    assert caught.value.code == "E608"
    assert "127.0.0.1" in caught.value.message
    assert "for runtime.example" in caught.value.message


def test_a_certificate_that_has_ended_is_refused(send: Send, authority: Authority) -> None:
    with (
        FaultyServer(tls=authority.server_context("127.0.0.1", days=-3)) as server,
        pytest.raises(NetworkError) as caught,
    ):
        send(f"{server.url}/", ca_bundle=authority.bundle)
    assert caught.value.code == "E608"
    assert "expired" in caught.value.message


def test_https_to_a_plain_port(send: Send) -> None:
    with FaultyServer() as server, pytest.raises(NetworkError) as caught:
        send(f"https://127.0.0.1:{server.port}/")
    assert (caught.value.code, caught.value.sent) == ("E609", False)
    assert "does not speak TLS" in caught.value.message


def test_http_to_a_tls_port(send: Send, authority: Authority) -> None:
    with (
        FaultyServer(tls=authority.server_context("127.0.0.1")) as server,
        pytest.raises(NetworkError) as caught,
    ):
        send(f"http://127.0.0.1:{server.port}/")
    assert caught.value.code == "E610"
    assert caught.value.remedy == f"write https://127.0.0.1:{server.port}"


def test_nothing_turns_verification_off(authority: Authority) -> None:
    environments = [
        {},
        {"SSL_CERT_FILE": str(authority.bundle)},
        {"PYTHONHTTPSVERIFY": "0", "CURL_CA_BUNDLE": "", "REQUESTS_CA_BUNDLE": ""},
    ]
    for environment in environments:
        context = ssl_context(trust_of(HttpSettings(environment=environment)))
        assert context.verify_mode is ssl.CERT_REQUIRED
        assert context.check_hostname


def test_an_unusable_bundle_is_named_with_the_setting_that_named_it(
    send: Send, tmp_path: Path
) -> None:
    empty = tmp_path / "empty.pem"
    empty.write_text("not a certificate\n")
    for settings, named in (
        ({"ca_bundle": tmp_path / "absent.pem"}, "ca_bundle"),
        ({"ca_bundle": empty}, "ca_bundle"),
        ({"environment": {"SSL_CERT_FILE": str(empty)}}, "SSL_CERT_FILE"),
    ):
        with pytest.raises(NetworkError) as caught:
            send("https://runtime.example/", **settings)
        assert caught.value.code == "E617"
        assert named in caught.value.remedy
        assert ".pem cannot be used" in caught.value.message
