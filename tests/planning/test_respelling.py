"""What a server holds, said in the words of a file, in the right file, with the fewest edits."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envsync.contract.assets import asset
from envsync.contract.normalise import normalise
from envsync.documents import parse
from envsync.documents.edits import Edit, Insert, Remove, Set, identical, splice
from envsync.documents.house import compose_text
from envsync.errors import FileError
from envsync.planning.layering import layered
from envsync.planning.respelling import part_said, respell
from envsync.planning.rewriting import edits_between
from envsync.project.overlays import merge
from tests.contract.test_normalise import MANIFEST

SAID: dict[str, Any] = {
    "kind": "virtual",
    "resources": {"cpus": 2.0, "memory": "2GiB"},
    "network": {"allowedHosts": ["Z.example", "a.example", "m.example"]},
    "lifecycle": {"idle": "60m"},
    "setup": [{"command": "one", "timeout": "60s"}, {"command": "two"}],
    "secrets": {"TOKEN": {"type": "environment_secret", "allowedHosts": ["b.example"]}},
}


def wanted(**changes: Any) -> dict[str, Any]:
    body = {**normalise("manifest", SAID), **changes}
    return normalise("manifest", {name: value for name, value in body.items() if value != ()})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        pytest.param({}, {}, id="what means the same stays as it is spelled"),
        pytest.param(
            {"resources": {"cpus": 2, "memory": "6144MiB"}},
            {"resources": {"cpus": 2.0, "memory": "6GiB"}},
            id="a size stays in its unit",
        ),
        pytest.param(
            {"resources": {"cpus": 2, "memory": "1536MiB"}},
            {"resources": {"cpus": 2.0, "memory": "1536MiB"}},
            id="a size that its unit cannot say takes a smaller one",
        ),
        pytest.param(
            {"network": {"allowedHosts": ["a.example", "b.example", "z.example"]}},
            {"network": {"allowedHosts": ["Z.example", "a.example", "b.example"]}},
            id="hosts keep their order, and a new one comes last",
        ),
        pytest.param(
            {"setup": [{"command": "zero"}, {"command": "one", "timeout": "1m"},
                       {"command": "two", "cwd": "/q"}]},
            {"setup": [{"command": "zero"}, {"command": "one", "timeout": "60s"},
                       {"command": "two", "cwd": "/q"}]},
            id="a step before the others leaves them as they are",
        ),
        pytest.param({"lifecycle": {}}, {"lifecycle": ()}, id="what says nothing any more goes"),
        pytest.param({"network": ()}, {"network": ()}, id="a key goes with what it held"),
        pytest.param(
            {"kind": "pod", "storage": "5GiB"}, {"kind": "pod"}, id="a default is not written"
        ),
        pytest.param(
            {"kind": "pod", "storage": "7GiB"},
            {"kind": "pod", "storage": "7GiB"},
            id="what is no default is",
        ),
        pytest.param(
            {"secrets": {"TOKEN": {"type": "environment_variable", "required": True},
                         "NEW": {"type": "bearer", "url": "https://x.example", "required": True}}},
            {"secrets": {"TOKEN": {"type": "environment_variable"},
                         "NEW": {"type": "bearer", "url": "https://x.example"}}},
            id="slots leave out what every server fills in",
        ),
    ],
)  # fmt: skip
def test_a_body_in_the_words_of_the_file(changes: dict[str, Any], said: dict[str, Any]) -> None:
    expected = {name: value for name, value in {**SAID, **said}.items() if value != ()}
    assert identical(respell(SAID, wanted(**changes)), expected)


def test_a_new_body_is_in_house_order_and_units_and_without_defaults() -> None:
    body = respell({}, wanted())
    assert list(body) == ["resources", "network", "lifecycle", "setup", "secrets"]
    assert body["resources"] == {"memory": "2GiB"}
    assert body["secrets"] == {
        "TOKEN": {"type": "environment_secret", "allowedHosts": ["b.example"]}
    }
    assert body["lifecycle"] == {"idle": "1h"}
    pod = respell(
        {}, normalise("manifest", {"kind": "pod", "image": "x", "resources": {"cpus": 8}})
    )
    assert list(pod.items()) == [("kind", "pod"), ("image", "x"), ("resources", {"cpus": 8})]
    assert respell({}, normalise("manifest", {})) == {}


@given(MANIFEST, MANIFEST)
def test_a_respelled_body_means_what_was_wanted(said: dict[str, Any], goal: dict[str, Any]) -> None:
    canonical = normalise("manifest", goal)
    assert normalise("manifest", respell(said, canonical)) == canonical
    assert normalise("manifest", respell({}, canonical)) == canonical
    assert identical(respell(said, normalise("manifest", said)), said)


@given(MANIFEST, MANIFEST)
def test_without_defaults_all_that_a_server_says_is_said(
    said: dict[str, Any], raw: dict[str, Any]
) -> None:
    goal = part_said(normalise("manifest", raw), raw)
    assert isinstance(goal, dict)
    body = respell(said, goal, defaults=False)
    assert normalise("manifest", body) == normalise("manifest", raw)
    assert goal.keys() <= body.keys()


# -- layers --------------------------------------------------------------------------------------

BASE = {"a": 1, "m": {"x": 1, "y": 2}, "l": [1, 2]}


@pytest.mark.parametrize(
    ("overlay", "target", "new_base", "new_overlay"),
    [
        pytest.param({}, {"a": 2}, {"a": 2}, {}, id="nothing is said over it: the base changes"),
        pytest.param({"a": 5}, {**BASE, "a": 6}, BASE, {"a": 6}, id="the overlay says it"),
        pytest.param({"a": 5}, {"m": BASE["m"], "l": [1, 2]}, BASE, {"a": None}, id="taken away"),
        pytest.param({"a": None}, BASE, BASE, {}, id="what the overlay removed is back"),
        pytest.param(
            {"a": None}, {**BASE, "a": 7}, BASE, {"a": 7}, id="back with another value"
        ),
        pytest.param(
            {"m": {"x": 5}}, {**BASE, "m": {"x": 6, "y": 3}},
            {**BASE, "m": {"x": 1, "y": 3}}, {"m": {"x": 6}}, id="each where it is said",
        ),
        pytest.param(
            {"m": None}, {**BASE, "m": {"y": 3}}, BASE, {"m": {"x": None, "y": 3}},
            id="what the base says below is taken out of the patch",
        ),
        pytest.param(
            {"n": {"p": 1}}, {**BASE, "n": {"p": 1, "q": 2}},
            BASE, {"n": {"p": 1, "q": 2}}, id="below an object of the overlay's own",
        ),
        pytest.param(
            {"m": {"z": 1}}, BASE, BASE, {}, id="an object that says nothing any more goes"
        ),
    ],
)  # fmt: skip
def test_the_file_that_says_a_value_changes(
    overlay: dict[str, Any],
    target: dict[str, Any],
    new_base: dict[str, Any],
    new_overlay: dict[str, Any],
) -> None:
    assert layered(BASE, overlay, target) == (new_base, new_overlay)
    assert merge(new_base, new_overlay) == target


TREE = st.recursive(
    st.integers(0, 3) | st.text("ab", max_size=2) | st.lists(st.integers(0, 3), max_size=3),
    lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
OBJECT = st.dictionaries(st.sampled_from("abcd"), TREE, max_size=4)
PATCH = st.dictionaries(
    st.sampled_from("abcd"),
    st.none() | TREE | st.dictionaries(st.sampled_from("abc"), st.none() | TREE, max_size=3),
    max_size=4,
)


@given(OBJECT, PATCH, OBJECT)
def test_both_files_together_say_the_target(
    base: dict[str, Any], overlay: dict[str, Any], target: dict[str, Any]
) -> None:
    new_base, new_overlay = layered(base, overlay, target)
    assert merge(new_base, new_overlay) == target
    for name in base:
        if name in overlay:
            assert name in new_base, "another context may say it with what the base has"


@given(OBJECT, PATCH)
def test_what_is_said_already_changes_nothing(
    base: dict[str, Any], overlay: dict[str, Any]
) -> None:
    merged = merge(base, overlay)
    assert isinstance(merged, dict)
    new_base, _ = layered(base, overlay, merged)
    assert new_base == base


# -- edits ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "edits"),
    [
        ({"a": 1}, {"a": 1}, ()),
        ({"a": 1, "b": 2}, {"b": 2, "c": 3}, (Set(("c",), 3), Remove(("a",)))),
        ({"l": ["a", "b", "c", "d"]}, {"l": ["a", "c"]}, (Remove(("l", 1)), Remove(("l", 2)))),
        ({"l": ["a"]}, {"l": ["b"]}, (Insert(("l", 0), "b"), Remove(("l", 1)))),
        ({"l": ["a", "c"]}, {"l": ["a", "b", "c", "d"]},
         (Insert(("l", 1), "b"), Insert(("l", 3), "d"))),
        ({"l": [{"c": "make"}, {"c": "npm ci"}]}, {"l": [{"c": "npm ci", "d": 2}]},
         (Remove(("l", 0)), Set(("l", 0, "d"), 2))),
    ],
)  # fmt: skip
def test_the_fewest_edits(
    old: dict[str, Any], new: dict[str, Any], edits: tuple[Edit, ...]
) -> None:
    assert edits_between(old, new) == edits


@given(MANIFEST, MANIFEST)
@settings(max_examples=60, deadline=None)
def test_the_edits_make_the_one_file_say_the_other(
    old: dict[str, Any], new: dict[str, Any]
) -> None:
    old, new = {"$schema": "x", **old}, {"$schema": "x", **new}
    document = parse(compose_text(old), "x.yaml")
    assert identical(document.data, old)
    changed = splice(document, edits_between(old, new))
    assert identical(parse(changed, "x.yaml").data, new)


def test_aliases_are_named_once_more_at_the_end() -> None:
    text = b"a:\n  hosts: &h\n  - p\n  - q\nb:\n  hosts: *h\n"
    document = parse(text, "x.yaml")
    assert document.aliases() == (("b", "hosts"),)
    new = {"a": {"hosts": ["q", "r"]}, "b": {"hosts": ["q", "r"]}}
    edits = edits_between(document.data, new, aliases=document.aliases())
    assert splice(document, edits) == b"a:\n  hosts: &h\n  - q\n  - r\nb:\n  hosts: *h\n"


FIELDS = frozenset(
    ("kind", "image", "resources", "storage", "network", "lifecycle", "setup", "files", "secrets")
)
SAMPLES = {
    path.name: parse(path.read_bytes(), path.name)
    for path in sorted(asset("sample-repo/manifests").glob("*.yaml"))
}


@given(st.sampled_from(sorted(SAMPLES)), st.sampled_from(sorted(SAMPLES)), st.data())
@settings(max_examples=60, deadline=None)
def test_any_field_of_a_real_file_can_become_that_of_another(
    name: str, other: str, data: st.DataObject
) -> None:
    """But for what an alias shares: that is refused, and nothing is changed."""
    document = SAMPLES[name]
    body = {key: value for key, value in document.data.items() if key not in ("$schema", "name")}
    theirs = {key: value for key, value in SAMPLES[other].data.items() if key in FIELDS}
    taken = data.draw(st.sets(st.sampled_from(sorted(FIELDS))))
    goal = {**body, **{key: value for key, value in theirs.items() if key in taken}}
    goal = {key: value for key, value in goal.items() if key not in taken or key in theirs}
    said = respell(body, normalise("manifest", goal))
    kept = {key: value for key, value in document.data.items() if key not in body}
    target = {**kept, **said}
    try:
        text = splice(document, edits_between(document.data, target, aliases=document.aliases()))
    except FileError:
        if not document.aliases():
            raise
    else:
        assert identical(parse(text, name).data, target)
