"""What the files of a repository declare."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from envsync.contract.canonical import digest
from envsync.contract.normalise import normalise
from envsync.errors import FileError
from envsync.project.config import Project
from envsync.resources.reading import Declarations, declare, load, position_of
from envsync.resources.resource import ObjectId

Write = Callable[[Mapping[str, str | bytes]], Project]

BOX = "kind: pod\nresources:\n  memory: 2GiB\n"


def told(found: Declarations) -> list[str]:
    return [f"{problem.code} {problem.position}" for problem in found.problems]


def names(found: Declarations) -> list[str]:
    return [one.id.name for one in found.declared]


def manifest(name: str) -> ObjectId:
    return ObjectId("manifest", name)


def test_objects_come_in_byte_order_of_their_names(write: Write) -> None:
    found = declare(
        write({"manifests/b.yaml": BOX, "manifests/B2.yaml": BOX, "manifests/a.json": "{}"}),
        "local",
    )
    assert names(found) == ["B2", "a", "b"]
    assert found.files == 3
    assert found.problems == ()
    assert not found.has_errors


def test_the_hash_is_of_the_canonical_form_without_schema_and_name(write: Write) -> None:
    text = f"$schema: ../schemas/environment-manifest.schema.json\nname: other\n{BOX}"
    (one,) = declare(write({"manifests/a.yaml": text}), "local").declared
    body = {"kind": "pod", "resources": {"memory": "2GiB"}}
    assert one.id == manifest("other")
    assert one.hash == digest(normalise("manifest", body))
    assert one.paths == ("manifests/a.yaml",)


def test_loading_gives_the_body_as_written_and_its_canonical_form(write: Write) -> None:
    project = write(
        {"manifests/a.yaml": BOX, "manifests/b.yaml": "name: c\n", "manifests/d.yaml": "{}"}
    )
    loaded = load(project, "local", [manifest("a"), manifest("c"), manifest("nobody")])
    assert set(loaded) == {manifest("a"), manifest("c")}
    one = loaded[manifest("a")]
    assert one.body == {"kind": "pod", "resources": {"memory": "2GiB"}}
    assert one.canonical == normalise("manifest", one.body)
    assert one.hash == {d.id: d.hash for d in declare(project, "local").declared}[one.id]
    assert str(one.position) == "manifests/a.yaml:1:1"
    assert loaded[manifest("c")].body == {}


def test_loading_a_file_with_an_error_raises_it(write: Write) -> None:
    project = write({"manifests/a.yaml": "kinds: pod\n", "manifests/b.yaml": BOX})
    with pytest.raises(FileError, match="kinds"):
        load(project, "local", [manifest("a")])
    assert load(project, "local", [manifest("b")])


def test_an_overlay_counts_in_its_context_only(write: Write) -> None:
    project = write(
        {
            "manifests/a.yaml": BOX,
            "overlays/production/manifests/a.yaml": "resources: {memory: 8GiB}\n",
        }
    )
    (here,) = declare(project, "local").declared
    (there,) = declare(project, "production").declared
    assert here.hash != there.hash
    assert there.paths == ("manifests/a.yaml", "overlays/production/manifests/a.yaml")
    assert declare(project, "local").tree == declare(project, "production").tree
    body = load(project, "production", [manifest("a")])[manifest("a")].body
    assert body == {"kind": "pod", "resources": {"memory": "8GiB"}}
    place = position_of(project, "production", manifest("a"), ("resources", "memory"))
    assert str(place) == "overlays/production/manifests/a.yaml:1:21"
    assert str(position_of(project, "local", manifest("a"), ("kind",))) == "manifests/a.yaml:1:7"
    assert position_of(project, "local", manifest("gone"), ("kind",)) is None


def test_a_wrong_value_is_placed_where_the_overlay_said_it(write: Write) -> None:
    project = write(
        {
            "manifests/a.yaml": BOX,
            "overlays/production/manifests/a.yaml": "resources:\n  memory: lots\n",
        }
    )
    assert told(declare(project, "local")) == []
    (problem,) = told(declare(project, "production"))
    assert problem.endswith(" overlays/production/manifests/a.yaml:2:11")


def test_an_overlay_cannot_rename(write: Write) -> None:
    project = write(
        {"manifests/a.yaml": BOX, "overlays/local/manifests/a.yaml": "kind: pod\nname: b\n"}
    )
    assert told(declare(project, "local")) == ["E424 overlays/local/manifests/a.yaml:2:1"]


def test_every_file_with_an_error_is_told_of_and_the_others_are_declared(write: Write) -> None:
    found = declare(
        write(
            {
                "manifests/a.yaml": "kind: pod\nkind: pod\n",
                "manifests/b.yaml": "allowed_hosts: []\nkind: 7\n",
                "manifests/c.yaml": BOX,
                "manifests/d.yaml": b"\xff",
            }
        ),
        "local",
    )
    assert names(found) == ["c"]
    assert found.has_errors
    assert {problem.position.path for problem in found.problems if problem.position} == {
        "manifests/a.yaml",
        "manifests/b.yaml",
        "manifests/d.yaml",
    }
    assert "E201 manifests/b.yaml:1:1" in told(found)


def test_limits_of_our_server_are_errors_here_and_warnings_elsewhere(write: Write) -> None:
    project = write({"manifests/a.yaml": "resources: {cpus: 1000}\n"})
    here, there = declare(project, "local"), declare(project, "production")
    assert told(here) == told(there) == ["E241 manifests/a.yaml:1:19"]
    assert here.has_errors
    assert names(here) == []
    assert not there.has_errors
    assert names(there) == ["a"]


@pytest.mark.parametrize("stem", ["-box", "my box", "größe", "a" * 65, "box_(1)"])
def test_a_file_name_outside_the_grammar_needs_a_name_inside(write: Write, stem: str) -> None:
    path = f"manifests/{stem}.yaml"
    found = declare(write({path: BOX}), "local")
    assert told(found) == [f"E427 {path}:1:1"]
    assert "name:" in found.problems[0].remedy
    assert names(declare(write({path: f"name: box\n{BOX}"}), "local")) == ["box"]


def test_a_name_inside_that_is_wrong_is_placed_there(write: Write) -> None:
    (problem,) = declare(write({"manifests/a.yaml": "kind: pod\nname: my box\n"}), "local").problems
    assert str(problem.position) == "manifests/a.yaml:2:7"


def test_two_files_for_one_name_are_named_both(write: Write) -> None:
    found = declare(
        write({"manifests/a.yaml": BOX, "manifests/a.json": "{}", "manifests/b.yaml": "name: a\n"}),
        "local",
    )
    assert told(found) == ["E421 manifests/a.yaml:1:1", "E421 manifests/b.yaml:1:1"]
    assert all(p.related[0][0].path == "manifests/a.json" for p in found.problems)
    assert found.problems[0].message == "two files declare manifest a"


def test_names_that_differ_by_case_are_fine_where_the_files_say_them(write: Write) -> None:
    found = declare(
        write({"manifests/box.yaml": BOX, "manifests/box-upper.yaml": f"name: Box\n{BOX}"}),
        "local",
    )
    assert names(found) == ["Box", "box"]
    assert found.problems == ()


def test_a_file_that_vanishes_or_cannot_be_read_is_reported(
    write: Write, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = write({"manifests/a.yaml": BOX, "manifests/b.yaml": BOX})
    from envsync.project import files

    scan = files.scan

    def scan_then_lose(project: Project) -> files.Scan:
        found = scan(project)
        (root / "manifests/a.yaml").unlink()
        return found

    monkeypatch.setattr("envsync.resources.look.scan", scan_then_lose)
    found = declare(project, "local")
    assert told(found) == ["E420 manifests/a.yaml:1:1"]
    assert names(found) == ["b"]


@pytest.mark.parametrize("size", [2 * 1024 * 1024, 500 * 1024 * 1024])
def test_a_file_that_is_far_too_large_is_refused(write: Write, root: Path, size: int) -> None:
    project = write({"manifests/a.yaml": BOX})
    with (root / "manifests/b.yaml").open("wb") as file:
        file.truncate(size)  # sparse: it takes no room
    found = declare(project, "local")
    assert told(found) == ["E115 manifests/b.yaml:1:1"]
    assert names(found) == ["a"]


def test_the_tree_digest_covers_config_manifests_overlays_and_policies(write: Write) -> None:
    files: dict[str, str | bytes] = {
        "manifests/a.yaml": BOX,
        "overlays/production/manifests/a.yaml": "kind: pod\n",
        "policies/p.schema.json": "{}",
        "schemas/environment-manifest.schema.json": "{}",
    }
    first = declare(write(files), "local").tree
    assert declare(write(files), "local", cache=False).tree == first
    for path in files:
        changed = declare(write({**files, path: "{}\n"}), "local").tree
        assert (changed == first) == path.startswith("schemas/"), path
    project = write(files)
    assert declare(project, "local").tree == first


def test_lint_can_stop_an_object(write: Write) -> None:
    from envsync.linting.linter import lint

    token = "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2"
    text = f"setup:\n  - command: login GITHUB={token}\n"
    project = write({"manifests/a.yaml": text})
    assert names(declare(project, "local")) == ["a"]
    found = declare(project, "local", lint=lint)
    assert told(found) == ["E301 manifests/a.yaml:2:27"]
    assert names(found) == []
    assert token not in str(found)


def test_a_token_is_told_of_in_a_file_that_is_wrong_otherwise_too(write: Write) -> None:
    from envsync.linting.linter import lint

    text = "kinds: pod # glpat-aB3dE5gH7jK9mN1pQ2rS\n"
    found = declare(write({"manifests/a.yaml": text}), "local", lint=lint)
    assert told(found) == ["E201 manifests/a.yaml:1:1", "E301 manifests/a.yaml:1:14"]
