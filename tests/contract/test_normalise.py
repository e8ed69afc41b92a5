"""One canonical form: defaults filled in, one spelling for each value."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envsync.contract.canonical import digest
from envsync.contract.durations import parse_duration
from envsync.contract.normalise import normalise
from envsync.contract.sizes import parse_size
from envsync.contract.validator import validator

BARE = {
    "kind": "virtual",
    "resources": {"cpus": 2, "memory": "1024MiB"},
    "harness": "nylorun",
    "lifecycle": {},
}

HOST = st.from_regex(r"[a-z]{1,5}\.(example|test)", fullmatch=True)
SIZE = st.builds("{}{}".format, st.integers(1, 9999), st.sampled_from(["KiB", "MiB", "GiB"]))
DURATION = st.builds(
    "{}{}".format, st.integers(1, 99_999), st.sampled_from(["ms", "s", "m", "h", "d"])
)
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=20)
STEP = st.fixed_dictionaries({"command": TEXT}, optional={"cwd": TEXT, "timeout": DURATION})
FILES = st.one_of(
    st.fixed_dictionaries({"path": TEXT, "files": st.dictionaries(TEXT, TEXT, max_size=2)}),
    st.fixed_dictionaries({"path": TEXT, "artifactId": TEXT, "version": st.integers(1, 9)}),
)
COMMON = {"required": st.booleans(), "description": TEXT}
SLOT = st.one_of(
    st.fixed_dictionaries(
        {
            "type": st.just("environment_secret"),
            "allowedHosts": st.lists(HOST, min_size=1, max_size=3),
        },
        optional={
            **COMMON,
            "inject": st.just({"header": "Authorization", "format": "Bearer {value}"}),
        },
    ),
    st.fixed_dictionaries({"type": st.just("environment_variable")}, optional=COMMON),
    st.fixed_dictionaries(
        {"type": st.sampled_from(["bearer", "headers"]), "url": st.just("https://mcp.example/x")},
        optional={**COMMON, "identity": st.just({"header": "X-User"})},
    ),
)
MANIFEST = st.fixed_dictionaries(
    {},
    optional={
        "kind": st.sampled_from(["none", "virtual", "pod"]),
        "resources": st.fixed_dictionaries(
            {}, optional={"cpus": st.integers(1, 8) | st.floats(0.5, 8), "memory": SIZE}
        ),
        "network": st.fixed_dictionaries({}, optional={"allowedHosts": st.lists(HOST, max_size=4)}),
        "harness": st.just("nylorun"),
        "lifecycle": st.fixed_dictionaries(
            {}, optional={"idle": DURATION, "deleteAfter": DURATION}
        ),
        "setup": st.lists(STEP, max_size=3),
        "files": st.lists(FILES, max_size=2),
        "secrets": st.dictionaries(st.from_regex(r"[A-Z]{1,4}", fullmatch=True), SLOT, max_size=3),
    },
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


def canonical(**body: Any) -> dict[str, Any]:
    return normalise("manifest", body)


def test_an_empty_manifest_is_a_virtual_one_with_its_defaults() -> None:
    assert canonical() == BARE


def test_a_pod_has_storage_too() -> None:
    assert canonical(kind="pod") == BARE | {"kind": "pod", "storage": "5GiB"}


def test_kind_none_has_neither_resources_nor_storage() -> None:
    assert canonical(kind="none") == {"kind": "none", "harness": "nylorun", "lifecycle": {}}


@pytest.mark.parametrize(
    ("field", "spellings"),
    [
        ("memory", [{"memory": "2GiB"}, {"memory": "2048MiB"}, {"memory": "2097152KiB"}]),
        ("memory, rounded up", [{"memory": "3MiB"}, {"memory": "2049KiB"}]),
        ("cpus", [{"cpus": 2}, {"cpus": 2.0}, {}]),
        ("defaults", [{}, {"memory": "1024MiB"}, {"memory": "1GiB", "cpus": 2}]),
    ],
)
def test_resources_have_one_spelling(field: str, spellings: list[Any]) -> None:
    assert len({digest(canonical(resources=each)) for each in spellings}) == 1


@pytest.mark.parametrize(
    "spellings",
    [
        pytest.param([{}, {"kind": "virtual"}, {"harness": "nylorun"}], id="defaults"),
        pytest.param([{}, {"lifecycle": {}}, {"resources": {}}], id="empty mappings"),
        pytest.param(
            [
                {},
                {"network": {}},
                {"network": {"allowedHosts": []}},
                {"setup": []},
                {"files": []},
                {"secrets": {}},
            ],
            id="an empty collection is none",
        ),
        pytest.param(
            [
                {"network": {"allowedHosts": ["a.example", "b.example"]}},
                {"network": {"allowedHosts": ["B.example", "A.EXAMPLE", "a.example"]}},
            ],
            id="hosts are a set",
        ),
        pytest.param(
            [
                {"lifecycle": {"idle": "60m", "deleteAfter": "48h"}},
                {"lifecycle": {"deleteAfter": "2d", "idle": "1h"}},
            ],
            id="durations",
        ),
        pytest.param(
            [
                {"setup": [{"command": "x", "timeout": "600s"}]},
                {"setup": [{"timeout": "10m", "command": "x"}]},
            ],
            id="timeouts",
        ),
        pytest.param(
            [
                {"kind": "pod"},
                {"kind": "pod", "storage": "5GiB"},
                {"kind": "pod", "storage": "5120MiB"},
                {"kind": "pod", "storage": "4097MiB"},
            ],
            id="storage",
        ),
        pytest.param(
            [
                {"secrets": {"T": {"type": "environment_secret", "allowedHosts": ["a.example"]}}},
                {
                    "secrets": {
                        "T": {
                            "type": "environment_secret",
                            "required": True,
                            "allowedHosts": ["A.example", "a.example"],
                            "inject": {"format": "Bearer {value}", "header": "Authorization"},
                        }
                    }
                },
            ],
            id="slots",
        ),
    ],
)
def test_spellings_of_one_meaning_are_equal(spellings: list[dict[str, Any]]) -> None:
    assert len({digest(normalise("manifest", each)) for each in spellings}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            {"setup": [{"command": "a"}, {"command": "b"}]},
            {"setup": [{"command": "b"}, {"command": "a"}]},
        ),
        ({"setup": [{"command": "a"}]}, {"setup": [{"command": "a "}]}),
        ({"resources": {"cpus": 2}}, {"resources": {"cpus": 2.5}}),
        (
            {"network": {"allowedHosts": ["a.example"]}},
            {"network": {"allowedHosts": ["*.a.example"]}},
        ),
        ({"kind": "pod"}, {"kind": "pod", "image": "python:3.13-slim"}),
        (
            {"secrets": {"A": {"type": "environment_variable"}}},
            {"secrets": {"a": {"type": "environment_variable"}}},
        ),
    ],
)
def test_different_meanings_stay_different(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert digest(normalise("manifest", one)) != digest(normalise("manifest", other))


def test_the_order_of_setup_and_files_is_kept() -> None:
    setup = [{"command": "b"}, {"command": "a"}]
    files = [
        {"path": "b", "files": {"z": "1", "a": "2"}},
        {"path": "a", "artifactId": "x", "version": 1},
    ]
    assert canonical(setup=setup, files=files)["setup"] == setup
    assert canonical(setup=setup, files=files)["files"] == files


def test_an_absent_image_stays_absent() -> None:
    assert "image" not in canonical(kind="pod")


def test_members_that_nobody_knows_are_kept() -> None:
    body = {"future": {"a": [1]}, "resources": {"gpus": 1}, "network": {"mode": "open"}}
    out = normalise("manifest", body)
    assert out["future"] == {"a": [1]}
    assert out["resources"]["gpus"] == 1
    assert out["network"] == {"mode": "open"}


@given(MANIFEST)
def test_a_generated_manifest_is_valid(body: dict[str, Any]) -> None:
    assert validator("environment-manifest-body").violations(body) == []


@given(MANIFEST)
def test_normalising_again_changes_nothing(body: dict[str, Any]) -> None:
    once = normalise("manifest", body)
    assert normalise("manifest", once) == once


def respelt(body: dict[str, Any], draw: Callable[[st.SearchStrategy[Any]], Any]) -> dict[str, Any]:
    """``body`` as another person would write it: other order, case, units, defaults said or not."""
    out = copy.deepcopy(body)
    network, resources, lifecycle = (out.get(key) for key in ("network", "resources", "lifecycle"))
    if network and network.get("allowedHosts"):
        hosts = network["allowedHosts"]
        network["allowedHosts"] = draw(st.permutations([*hosts, hosts[0].upper()]))
    if resources and "memory" in resources:
        resources["memory"] = f"{parse_size(resources['memory']) // 1024}KiB"
    if resources and isinstance(resources.get("cpus"), int):
        resources["cpus"] = float(resources["cpus"])
    for key in lifecycle or ():
        lifecycle[key] = f"{parse_duration(lifecycle[key])}ms"
    for step in out.get("setup", ()):
        if "timeout" in step:
            step["timeout"] = f"0{step['timeout']}"
    for slot in out.get("secrets", {}).values():
        slot.setdefault("required", True)
    for key, default in {
        "kind": "virtual",
        "harness": "nylorun",
        "lifecycle": {},
        "setup": [],
    }.items():
        if draw(st.booleans()):
            out.setdefault(key, default)
    return {key: out[key] for key in draw(st.permutations(list(out)))}


@given(MANIFEST, st.data())
def test_another_spelling_has_the_same_digest(body: dict[str, Any], data: st.DataObject) -> None:
    other = respelt(body, data.draw)
    assert digest(normalise("manifest", other)) == digest(normalise("manifest", body))


@given(MANIFEST)
def test_the_canonical_form_is_valid_too(body: dict[str, Any]) -> None:
    assert validator("environment-manifest-body").violations(normalise("manifest", body)) == []


@given(MANIFEST)
def test_what_is_given_is_not_altered(body: dict[str, Any]) -> None:
    before = copy.deepcopy(body)
    normalise("manifest", body)
    assert body == before


@given(
    st.dictionaries(
        st.sampled_from([*BARE, "storage", "network", "setup", "files", "secrets"]) | st.text(),
        JSON,
    )
)
def test_no_body_is_too_odd(body: dict[str, Any]) -> None:
    once = normalise("manifest", body)
    assert repr(normalise("manifest", once)) == repr(once)
