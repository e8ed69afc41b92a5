"""Hosts: full names, with a wildcard where a pattern is allowed."""

import pytest

from envsync.contract.hosts import is_exact_host, is_host_pattern, normalise_hosts

EXACT = [
    "pypi.example",
    "a.b",
    "API.GitHub.example",
    "xn--bcher-kva.example",
    "1and1.example",
    "4.example",
    f"{'a' * 63}.example",
    ".".join(["a" * 61] * 4) + ".b",
]
NEITHER = [
    "",
    "localhost",
    "*",
    "*.",
    "*.example*",
    "a.*.example",
    "**.example",
    "*.*.pkg.example",
    "-a.example",
    "a-.example",
    "a..example",
    ".a.example",
    "a.example.",
    "a_b.example",
    "https://a.example",
    "a.example:443",
    "a.example/x",
    "user@a.example",
    "10.0.0.1",
    "1.2",
    "[::1]",
    "bücher.example",
    " a.example",
    "a.example\n",
    f"{'a' * 64}.example",
    ".".join(["a" * 61] * 4) + ".bcdefg",
]


@pytest.mark.parametrize("host", EXACT)
def test_a_full_name_is_a_host_and_a_pattern(host: str) -> None:
    assert is_exact_host(host)
    assert is_host_pattern(host)


@pytest.mark.parametrize("pattern", ["*.pkg.example", "*.a.b"])
def test_a_wildcard_is_a_pattern_but_no_host(pattern: str) -> None:
    assert is_host_pattern(pattern)
    assert not is_exact_host(pattern)


@pytest.mark.parametrize("text", [*NEITHER, "*.example", "*.10.0.0.1"])
def test_anything_else_is_neither(text: str) -> None:
    assert not is_exact_host(text)
    assert not is_host_pattern(text)


def test_hosts_have_one_spelling_and_one_order() -> None:
    assert normalise_hosts(["B.example", "*.a.example", "b.example", "a.example"]) == [
        "*.a.example",
        "a.example",
        "b.example",
    ]
