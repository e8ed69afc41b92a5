"""The grammars of names, each with what it accepts and what it refuses."""

from collections.abc import Callable

import pytest

from envsync.contract import names

GRAMMARS: dict[str, tuple[Callable[[str], bool], list[str], list[str]]] = {
    "manifest": (
        names.is_manifest_name,
        ["a", "9", "analyst-box", "Analyst_Box.v2", "a" * 64],
        ["", "-a", ".a", "_a", "a b", "a/b", "é", "a\n", "a" * 65],
    ),
    "environment id": (
        names.is_environment_id,
        ["a", "users/alice/web", "ci/4711", "a" * 200],
        ["", "/a", "a/", "a//b", "a/.b", "a b", "a\n", "a" * 201],
    ),
    "label key": (
        names.is_label_key,
        ["a", "team", "acme.example/tier", "a" * 63],
        ["", "-a", "a-", "a/", "a b", "a\n", "a" * 64],
    ),
    "label value": (
        names.is_label_value,
        ["", "gold", "two words", "~" * 256],
        ["é", "a\tb", "a\n", "a" * 257],
    ),
    "variable": (
        names.is_variable_name,
        ["A", "_a", "GITHUB_TOKEN", "a1", "A" * 128],
        ["", "1A", "A-B", "A.B", "É", "A\n", "A" * 129],
    ),
    "slot label": (
        names.is_slot_label,
        ["tracker", "issue-tracker.v2", "é", "x" * 128],
        ["", "a/b", "a b", "a\tb", "a\n", "a\u200bb", "\x7f", "x" * 129],
    ),
    "harness": (
        names.is_harness_id,
        ["nylorun", "a", "my-engine-2"],
        ["", "A", "1a", "a_b", "a\n", "a" * 33],
    ),
    "header": (
        names.is_header_name,
        ["Authorization", "X-Api-Key", "!#$%&'*+.^_`|~"],
        ["", "A:", "A B", "É", "A\n"],
    ),
    "key id": (names.is_key_id, ["ci", "deploy-1"], ["", "CI", "1a", "a" * 33]),
    "subject": (
        names.is_subject,
        ["carol", "carol of acme", "!", "x" * 200],
        ["", " a", "a ", "é", "a\n", "x" * 201],
    ),
}


@pytest.mark.parametrize(
    ("grammar", "text"),
    [(name, text) for name, (_, texts, _) in GRAMMARS.items() for text in texts],
)
def test_a_name_inside_the_grammar_is_accepted(grammar: str, text: str) -> None:
    assert GRAMMARS[grammar][0](text)


@pytest.mark.parametrize(
    ("grammar", "text"),
    [(name, text) for name, (_, _, texts) in GRAMMARS.items() for text in texts],
)
def test_a_name_outside_the_grammar_is_refused(grammar: str, text: str) -> None:
    assert not GRAMMARS[grammar][0](text)


@pytest.mark.parametrize(
    "name", ["PATH", "path", "Home", "https_proxy", "SSL_CERT_FILE", "NYLORUN_X", "nylorun_x"]
)
def test_variables_of_the_sandbox_are_reserved_in_any_case(name: str) -> None:
    assert names.is_reserved_variable(name)


@pytest.mark.parametrize("name", ["PATHS", "MY_PATH", "NYLORUN", "GITHUB_TOKEN"])
def test_other_variables_are_free(name: str) -> None:
    assert not names.is_reserved_variable(name)
