"""Named checks: seed rules that JSON Schema cannot say."""

from typing import Any

import pytest

from envsync.contract.checks import violations
from envsync.contract.json_types import pointer_text
from envsync.contract.validator import validator


def found(secrets: dict[str, Any]) -> list[tuple[str, ...]]:
    body = {"secrets": secrets}
    assert validator("environment-manifest").is_valid(body)
    return [
        (
            pointer_text(each.pointer) + (" (key)" if each.on_key else ""),
            each.code,
            each.message,
            each.label,
            each.remedy,
        )
        for each in violations("manifest", body)
    ]


def secret(*hosts: str) -> dict[str, Any]:
    return {"type": "environment_secret", "allowedHosts": list(hosts)}


def bearer(url: str) -> dict[str, Any]:
    return {"type": "bearer", "url": url}


def test_a_slot_that_becomes_a_variable_is_named_like_one() -> None:
    assert found({"github-token": secret("api.github.example")}) == [
        (
            "/secrets/github-token (key)",
            "E220",
            "`github-token` cannot name a variable",
            "expected 1-128 letters, digits and `_`, not starting with a digit",
            "write `GITHUB_TOKEN`",
        )
    ]


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("1PASSWORD", "write `_1PASSWORD`"),
        ("a.b", "write `A_B`"),
        ("é", "write `_`"),
        ("", "write `MY_VARIABLE`"),
    ],
)
def test_the_remedy_is_a_name_that_works(name: str, remedy: str) -> None:
    ((_, code, _, _, said),) = found({name: {"type": "environment_variable"}})
    assert (code, said) == ("E220", remedy)


def test_the_names_of_other_slots_are_labels() -> None:
    assert found({"issue-tracker": bearer("https://mcp.tracker.example")}) == []


def test_a_host_takes_one_secret() -> None:
    assert found({"A": secret("x.example", "API.example"), "B": secret("api.example")}) == [
        (
            "/secrets/B/allowedHosts/0",
            "E221",
            "the slots `A` and `B` are both bound to the host `api.example`",
            "`secrets.A.allowedHosts[1]` has it already",
            "keep one of the two slots for that host",
        )
    ]


def test_a_url_takes_one_credential_of_either_type() -> None:
    slots = {
        "a": bearer("https://t.example/mcp"),
        "b": {"type": "headers", "url": "https://t.example/mcp"},
    }
    assert found(slots) == [
        (
            "/secrets/b/url",
            "E221",
            "the slots `a` and `b` are both bound to the URL `https://t.example/mcp`",
            "`secrets.a.url` has it already",
            "keep one of the two slots for that URL",
        )
    ]


@pytest.mark.parametrize(
    "slots",
    [
        {"A": secret("a.example", "A.example")},
        {"A": secret("a.example"), "B": secret("b.example")},
        {"a": bearer("https://t.example/a"), "b": bearer("https://t.example/b")},
        {"A": secret("t.example"), "b": bearer("https://t.example/")},
    ],
    ids=["one host twice in one slot", "two hosts", "two paths", "a host and a URL"],
)
def test_what_does_not_conflict(slots: dict[str, Any]) -> None:
    assert found(slots) == []


@pytest.mark.parametrize("body", [{}, {"secrets": None}, {"secrets": {"a": 1}}, {"secrets": []}])
def test_a_body_of_another_shape_is_left_to_its_schema(body: dict[str, Any]) -> None:
    assert violations("manifest", body) == []
    assert violations("something else", body) == []
