"""Finding files: which are read, under which name, and what is said of the others."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from envsync.errors import Problem
from envsync.project.config import Project
from envsync.project.files import find, says_something, scan

Write = Callable[[Mapping[str, str | bytes]], Project]
posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX file names and links")


def problem(project: Project) -> Problem:
    problems = scan(project).problems
    assert len(problems) == 1, problems
    return problems[0]


def test_the_stem_of_a_file_is_the_name(write: Write) -> None:
    project = write(
        {
            "manifests/b.yaml": "{}",
            "manifests/a.yml": "{}",
            "manifests/c.json": "{}",
            "manifests/data.box.yaml": "{}",
            "manifests/README.md": "",
            "manifests/.hidden.yaml": "",
            "manifests/.#lock.yaml": "",
            "manifests/backup.yaml~": "",
        }
    )
    found = find(project)
    assert [(file.path, file.name) for file in found] == [
        ("manifests/a.yml", "a"),
        ("manifests/b.yaml", "b"),
        ("manifests/c.json", "c"),
        ("manifests/data.box.yaml", "data.box"),
    ]
    assert all(file.type == "manifest" and file.absolute.is_file() for file in found)
    assert scan(project).problems == ()


def test_globs_can_be_changed(write: Write) -> None:
    config = (
        "project: p\ncontexts: {a: {server: embedded}}\n"
        "files: {manifests: ['teams/*/boxes/*.yaml', 'deep/**/*.yaml']}\n"
    )
    project = write(
        {
            "envsync.yaml": config,
            "teams/red/boxes/a.yaml": "",
            "teams/red/boxes/x.json": "",
            "teams/red/b.yaml": "",
            "teams/blue/boxes/c.yaml": "",
            "deep/d.yaml": "",
            "deep/1/2/e.yaml": "",
            "deep/.git/f.yaml": "",
            "manifests/g.yaml": "",
        }
    )
    assert [file.path for file in find(project)] == [
        "deep/1/2/e.yaml",
        "deep/d.yaml",
        "teams/blue/boxes/c.yaml",
        "teams/red/boxes/a.yaml",
    ]
    assert says_something(project, "deep/9/x.yaml")
    assert says_something(project, "deep/x.yaml")
    assert says_something(project, "overlays/a/deep/x.yaml")
    assert says_something(project, "envsync.yaml")
    assert not says_something(project, "teams/red/x.yaml")
    assert not says_something(project, "manifests/g.yaml")


def test_a_glob_over_everything_leaves_overlays_and_policies_out(write: Write) -> None:
    config = "project: p\ncontexts: {a: {server: embedded}}\nfiles: {manifests: ['**/*']}\n"
    project = write(
        {
            "envsync.yaml": config,
            "a.yaml": "",
            "policies/p.schema.json": "{}",
            "overlays/a/a.yaml": "{}",
        }
    )
    assert [file.path for file in find(project)] == ["a.yaml"]


def test_a_manifest_in_a_sub_folder_is_told_of(write: Write) -> None:
    project = write({"manifests/a.yaml": "", "manifests/team/b.yaml": ""})
    assert [file.path for file in find(project)] == ["manifests/a.yaml"]
    found = problem(project)
    assert (found.code, str(found.position)) == ("W428", "manifests/team/b.yaml:1:1")
    assert "files.manifests" in found.remedy


def test_an_ending_in_capitals_is_told_of(write: Write) -> None:
    found = problem(write({"manifests/a.yaml": "", "manifests/B.YAML": ""}))
    assert (found.code, found.position and found.position.path) == ("W428", "manifests/B.YAML")


def test_no_file_at_all_is_told_of(write: Write) -> None:
    found = problem(write({}))
    assert (found.code, found.is_error) == ("W429", False)


@posix
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("manifests/Box.yaml", "manifests/box.yaml"),
        ("manifests/caf\u00e9.yaml", "manifests/cafe\u0301.yaml"),
        ("manifests/STRASSE.yaml", "manifests/straße.yaml"),
    ],
)
def test_two_paths_that_are_one_elsewhere_are_named_both(
    write: Write, first: str, second: str
) -> None:
    found = problem(write({first: "", second: ""}))
    assert found.code == "E421"
    assert found.position is not None
    named = {found.position.path, found.related[0][0].path}
    assert named == {first, second}


@posix
def test_a_symlink_inside_the_repository_is_followed(write: Write, root: Path) -> None:
    write({"shared/real.yaml": "{}", "manifests/b.yaml": "{}"})
    (root / "manifests" / "a.yaml").symlink_to("../shared/real.yaml")
    project = write({})
    assert [file.path for file in find(project)] == ["manifests/a.yaml", "manifests/b.yaml"]
    assert scan(project).problems == ()


@posix
@pytest.mark.parametrize("as_folder", [False, True])
def test_a_symlink_that_leaves_the_repository_is_refused(
    write: Write, root: Path, tmp_path: Path, as_folder: bool
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.yaml").write_text("{}")
    project = write({})
    if as_folder:
        (root / "manifests").symlink_to(outside)
    else:
        (root / "manifests").mkdir()
        (root / "manifests" / "a.yaml").symlink_to(outside / "a.yaml")
    assert find(project) == ()
    found = problem(project)
    assert found.code == "E423"
    assert "leaves the repository" in found.message


@posix
def test_a_symlink_to_nothing_is_told_of(write: Write, root: Path) -> None:
    project = write({"manifests/a.yaml": "{}"})
    (root / "manifests" / "b.yaml").symlink_to("gone.yaml")
    found = problem(project)
    assert (found.code, found.position and found.position.path) == ("E423", "manifests/b.yaml")


@posix
def test_a_circle_of_symlinks_ends(write: Write, root: Path) -> None:
    config = "project: p\ncontexts: {a: {server: embedded}}\nfiles: {manifests: ['m/**/*']}\n"
    project = write({"envsync.yaml": config, "m/x/a.yaml": "{}"})
    (root / "m" / "x" / "again").symlink_to("..")
    assert "m/x/a.yaml" in [file.path for file in find(project)]


@posix
def test_a_name_that_is_not_utf8_is_reported(write: Write, root: Path) -> None:
    project = write({"manifests/a.yaml": "{}"})
    try:
        Path(os.fsdecode(os.fsencode(root / "manifests") + b"/b\xff.yaml")).write_text("{}")
    except OSError:
        return  # this file system takes only UTF-8 names
    found = problem(project)
    assert found.code == "E422"
    assert str(found.position) == "manifests/b\\xff.yaml:1:1"
    found.message.encode()


@posix
def test_a_pipe_is_not_read(write: Write, root: Path) -> None:
    project = write({"manifests/a.yaml": "{}"})
    os.mkfifo(root / "manifests" / "b.yaml")
    found = problem(project)
    assert (found.code, len(find(project))) == ("E426", 1)


@posix
def test_a_folder_that_cannot_be_listed_is_reported(write: Write, root: Path) -> None:
    project = write({"manifests/a.yaml": "{}"})
    (root / "manifests").chmod(0)
    try:
        if os.access(root / "manifests", os.R_OK):
            return  # root may read everything
        assert problem(project).code == "E420"
    finally:
        (root / "manifests").chmod(0o755)


def test_an_overlay_belongs_to_its_base(write: Write) -> None:
    project = write(
        {
            "manifests/a.yaml": "{}",
            "overlays/production/manifests/a.yml": "{}",
            "overlays/local/.gitkeep": "",
        }
    )
    found = scan(project)
    assert found.problems == ()
    (file,) = found.files
    overlay = found.overlay("production", file)
    assert overlay is not None
    assert overlay.path == "overlays/production/manifests/a.yml"
    assert found.overlay("local", file) is None


@pytest.mark.parametrize(
    ("path", "code", "remedy"),
    [
        ("overlays/production/manifests/bix.yaml", "E424", "did you mean `manifests/box.yaml`?"),
        ("overlays/production/box.yaml", "E424", "did you mean `manifests/box.yaml`?"),
        ("overlays/prodution/manifests/box.yaml", "E425", "did you mean `production`?"),
        ("overlays/box.yaml", "E424", "move it to overlays/<context>/"),
    ],
)
def test_an_overlay_without_a_base_says_what_was_meant(
    write: Write, path: str, code: str, remedy: str
) -> None:
    found = problem(write({"manifests/box.yaml": "{}", path: "{}"}))
    assert found.code == code
    assert found.is_error
    assert remedy in found.remedy


def test_two_overlays_for_one_file_are_named_both(write: Write) -> None:
    found = problem(
        write(
            {
                "manifests/a.yaml": "{}",
                "overlays/local/manifests/a.json": "{}",
                "overlays/local/manifests/a.yaml": "{}",
            }
        )
    )
    assert found.code == "E424"
    assert found.position is not None
    assert found.position.path == "overlays/local/manifests/a.yaml"
    assert found.related[0][0].path == "overlays/local/manifests/a.json"
