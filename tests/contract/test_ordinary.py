"""The quick look at limits says yes only where no limit is broken."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envsync.contract.limits import limits_broken
from envsync.contract.names import RESERVED_VARIABLES
from envsync.contract.ordinary import is_ordinary

numbers = st.sampled_from([0, 0.05, 0.1, 1, 2, 63.9, 64, 64.1, 65, 1e9])
sizes = st.builds(
    "{}{}".format,
    st.sampled_from([1, 9, 64, 100, 127, 128, 129, 999, 1000, 1023, 1024, 10**7, 10**12]),
    st.sampled_from(["B", "KiB", "MiB", "GiB", "TiB"]),
)
durations = st.builds(
    "{}{}".format,
    st.sampled_from([1, 10, 59, 60, 61, 90, 99, 999, 1000, 3599, 3600, 3601, 10**8]),
    st.sampled_from(["ms", "s", "m", "h", "d"]),
)
segments = st.one_of(
    st.sampled_from(["a", "..", ".", "...", ".config", "-", "_", "a..b", "a.", "", "é", "a b"]),
    st.text(alphabet="ab._-/\0 é", max_size=6),
)
paths = st.builds(
    "{}{}".format,
    st.sampled_from(["", "/", "/workspace", "/workspace/", "/workspacex/", "./", "/etc/"]),
    st.lists(segments, max_size=4).map("/".join),
)
texts = st.one_of(
    st.text(max_size=20),
    st.sampled_from([4095, 4096, 4097, 16_384, 16_385]).flatmap(
        lambda size: st.sampled_from(["x" * size, "é" * size, "😀" * (size // 2)])
    ),
)
names = st.one_of(
    st.sampled_from(
        [*sorted(RESERVED_VARIABLES), "NYLORUN_X", "nylorun_x", "Path", "TOKEN", "a/b", "a b"]
    ),
    st.text(alphabet="AB_9z/ -é\0", min_size=1, max_size=8),
)
slots = st.fixed_dictionaries(
    {"type": st.sampled_from(["environment_secret", "environment_variable", "bearer", "headers"])},
    optional={
        "allowedHosts": st.integers(0, 34).map(lambda n: [f"h{i}.example" for i in range(n)])
    },
)
steps = st.fixed_dictionaries({"command": texts}, optional={"cwd": paths, "timeout": durations})
entries = st.fixed_dictionaries(
    {"path": paths}, optional={"files": st.dictionaries(paths, texts, max_size=7)}
)
manifests = st.fixed_dictionaries(
    {},
    optional={
        "kind": st.sampled_from(["none", "virtual", "pod"]),
        "image": st.one_of(texts, st.sampled_from(["python:3.13-slim", "a b", "a\u200bb"])),
        "resources": st.fixed_dictionaries({}, optional={"cpus": numbers, "memory": sizes}),
        "storage": sizes,
        "network": st.sampled_from([0, 1, 256, 257]).map(
            lambda n: {"allowedHosts": [f"h{i}.example" for i in range(n)]}
        ),
        "harness": st.one_of(st.sampled_from(["nylorun", "a" * 32, "a" * 33, "A"]), texts),
        "setup": st.one_of(
            st.lists(steps, max_size=4),
            st.sampled_from([32, 33]).map(lambda n: [{"command": "true"}] * n),
        ),
        "files": st.one_of(
            st.lists(entries, max_size=4),
            st.sampled_from([3, 16, 17, 64, 65]).map(
                lambda n: [{"path": "p", "files": {"a": "😀" * 4096}}] * n
            ),
        ),
        "secrets": st.dictionaries(names, slots, max_size=5),
    },
)


@settings(max_examples=400, deadline=None)
@given(manifests)
def test_what_is_ordinary_breaks_no_limit(body: dict[str, Any]) -> None:
    if is_ordinary(body):
        assert limits_broken(body) == []


@pytest.mark.parametrize("timeout", [f"{n}{u}" for n in range(1, 130) for u in ("s", "m", "h")])
def test_no_ordinary_timeout_is_longer_than_the_limit(timeout: str) -> None:
    body = {"setup": [{"command": "true", "timeout": timeout}]}
    assert not is_ordinary(body) or not limits_broken(body)


def test_the_common_manifest_is_ordinary() -> None:
    assert is_ordinary(
        {
            "kind": "pod",
            "image": "registry.acme.example/agents/rust:1.91",
            "resources": {"cpus": 4, "memory": "8192MiB"},
            "storage": "20GiB",
            "network": {"allowedHosts": ["packages.example"]},
            "harness": "nylorun",
            "lifecycle": {"idle": "15m", "deleteAfter": "14d"},
            "setup": [{"command": "make deps\n", "cwd": "/workspace/app", "timeout": "20m"}],
            "files": [{"path": ".config/tool", "files": {"settings.toml": "a = 1\n"}}],
            "secrets": {"API_TOKEN": {"type": "environment_secret", "allowedHosts": ["a.example"]}},
        }
    )
