"""Values that planning works on, made in the few words that a test has for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from envsync.contract.canonical import digest
from envsync.contract.normalise import normalise
from envsync.errors import Position
from envsync.planning.plan import ServerIdentity
from envsync.resources.resource import Base, Declared, Desired, ObjectId, Observed

Body = Mapping[str, Any]

SERVER = ServerIdentity("https://runtime.example", "host-1", "runtime.example")
TREE = "7" * 64


def manifest(name: str) -> ObjectId:
    return ObjectId("manifest", name)


def hash_of(body: Body) -> str:
    return digest(normalise("manifest", body))


def path_of(name: str) -> str:
    return f"manifests/{name}.yaml"


def declared(name: str, body: Body) -> Declared:
    return Declared(manifest(name), hash_of(body), (path_of(name),))


def desired(name: str, body: Body) -> Desired:
    canonical = normalise("manifest", body)
    return Desired(
        manifest(name),
        body,
        canonical,
        digest(canonical),
        Position(path_of(name)),
        (path_of(name),),
    )


def observed(
    name: str,
    body: Body,
    *,
    version: int = 1,
    server_hash: str = "",
    saved_by: str = "application:ci",
    summary: bool = False,
) -> Observed:
    """As our own server tells it; with ``server_hash`` as a foreign one does."""
    canonical = normalise("manifest", body)
    return Observed(
        manifest(name),
        Base(version, server_hash or digest(canonical)),
        None if summary else canonical,
        saved_at="2026-11-28T17:04:00.000Z",
        saved_by=saved_by,
        environments=2,
        body=None if summary else body,
    )


# Grammars -----------------------------------------------------------------------------------

KEYS = st.text(alphabet="abcxyz/~0129", min_size=1, max_size=4)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**40), 2**40)
    | st.floats(allow_nan=False, allow_infinity=False, width=16)
    | st.text(max_size=6)
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(KEYS, JSON, max_size=5)

HOSTS = st.sampled_from(
    ["api.acme.example", "pypi.example", "git.example", "stripe.example", "A.example", "z.example"]
)
STEPS = st.fixed_dictionaries(
    {"command": st.sampled_from(["uv sync", "uv sync --frozen", "npm ci", "make", "cargo fetch"])},
    optional={
        "cwd": st.sampled_from(["/workspace/app", "/workspace/lib"]),
        "timeout": st.sampled_from(["60s", "1m", "5m", "300s"]),
    },
)
FILES = st.fixed_dictionaries(
    {
        "path": st.sampled_from(["/workspace/etc", "/workspace/conf"]),
        "files": st.dictionaries(
            st.sampled_from(["a.txt", "b/c.txt"]), st.text(max_size=5), min_size=1, max_size=2
        ),
    }
)
SLOTS = st.fixed_dictionaries(
    {
        "type": st.just("environment_secret"),
        "allowedHosts": st.lists(HOSTS, min_size=1, max_size=3),
    },
    optional={"required": st.booleans()},
) | st.fixed_dictionaries({"type": st.just("environment_variable")})
BODIES = st.fixed_dictionaries(
    {},
    optional={
        "kind": st.sampled_from(["virtual", "pod"]),
        "resources": st.fixed_dictionaries(
            {},
            optional={
                "cpus": st.sampled_from([0.5, 1, 2, 2.0, 4]),
                "memory": st.sampled_from(["1GiB", "1024MiB", "2GiB", "4096MiB"]),
            },
        ),
        "network": st.fixed_dictionaries({"allowedHosts": st.lists(HOSTS, max_size=5)}),
        "harness": st.sampled_from(["nylorun", "codex"]),
        "lifecycle": st.fixed_dictionaries(
            {},
            optional={
                "idle": st.sampled_from(["30m", "1800s", "2h"]),
                "deleteAfter": st.sampled_from(["7d", "168h"]),
            },
        ),
        "setup": st.lists(STEPS, max_size=4),
        "files": st.lists(FILES, max_size=3),
        "secrets": st.dictionaries(st.sampled_from(["TOKEN", "KEY"]), SLOTS, max_size=2),
    },
)
"""Manifest bodies as people write them, spellings that normalise to the same included."""

NAMES = st.sampled_from(["analyst", "Box", "data-loader", "web.builder", "z9"])
