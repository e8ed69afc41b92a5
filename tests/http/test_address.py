"""Which addresses a context may have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envsync.http.address import AddressError, parse_address


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("https://runtime.example", "https://runtime.example"),
        ("https://runtime.example/", "https://runtime.example"),
        ("HTTPS://Runtime.Example:443/", "https://runtime.example"),
        ("https://runtime.example:8443/base/", "https://runtime.example:8443/base"),
        ("https://b\u00fccher.example", "https://xn--bcher-kva.example"),
        ("http://localhost:4010", "http://localhost:4010"),
        ("http://127.0.0.1:4010", "http://127.0.0.1:4010"),
        ("http://127.9.9.9", "http://127.9.9.9"),
        ("http://[::1]:4010", "http://[::1]:4010"),
        ("https://[2001:db8::1]", "https://[2001:db8::1]"),
    ],
)
def test_an_address_has_one_spelling(text: str, meant: str) -> None:
    assert str(parse_address(text)) == meant


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("runtime.example", "E601"),
        ("", "E601"),
        ("https://", "E601"),
        ("ftp://runtime.example", "E601"),
        ("https://runtime.example:0", "E601"),
        ("https://runtime.example:99999", "E601"),
        ("https://runtime.example:https", "E601"),
        ("https://runtime.example?a=b", "E601"),
        ("https://runtime.example#a", "E601"),
        (" https://runtime.example", "E601"),
        ("https://runtime.example/\n", "E601"),
        ("https://[::1", "E601"),
        ("http://runtime.example", "E602"),
        ("http://10.0.0.7:4010", "E602"),
        ("http://localhost.evil.example", "E602"),
        ("http://127.0.0.1.evil.example", "E602"),
        ("https://key@runtime.example", "E603"),
        ("https://user:word@runtime.example/x", "E603"),
    ],
)
def test_what_is_not_an_address_is_refused_with_a_way_out(text: str, code: str) -> None:
    with pytest.raises(AddressError) as caught:
        parse_address(text)
    assert caught.value.code == code
    assert caught.value.remedy


@pytest.mark.parametrize(
    "text", ["https://user:canary@runtime.example", "canary@", "ftp://canary@x", "https://canary@"]
)
def test_a_credential_in_an_address_is_not_shown_again(text: str) -> None:
    with pytest.raises(AddressError) as caught:
        parse_address(text)
    assert "canary" not in str(caught.value.problems)


@given(st.text())
def test_any_text_is_an_address_or_an_address_error(text: str) -> None:
    for candidate in (text, f"https://{text}"):
        try:
            address = parse_address(candidate)
        except AddressError:
            continue
        assert parse_address(str(address)) == address


def test_a_query_is_encoded() -> None:
    address = parse_address("https://runtime.example/base")
    url = address.url("/v1/x", (("label", "a=b c"), ("label", "d")))
    assert url == "https://runtime.example/base/v1/x?label=a%3Db%20c&label=d"
