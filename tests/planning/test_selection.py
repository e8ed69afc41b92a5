"""Selectors and name patterns."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envsync.planning.patterns import matches
from envsync.planning.selection import EVERYTHING, Selection
from tests.planning.samples import manifest

BOX = (manifest("analyst-box"), ("manifests/analyst-box.yaml", "overlays/prod/analyst-box.yaml"))


@pytest.mark.parametrize(
    ("pattern", "name", "covered"),
    [
        ("*", "anything/at all", True),
        ("users/*", "users/alice/web", True),
        ("users/*", "users", False),
        ("*-legacy", "box-legacy", True),
        ("box?", "box1", True),
        ("box?", "box", False),
        ("box", "box2", False),
        ("a.b", "axb", False),
        ("[ab]", "a", False),
        ("[ab]", "[ab]", True),
        ("Box", "box", False),
        ("***a", "a", True),
    ],
)
def test_a_pattern_covers_names(pattern, name, covered):
    assert matches(pattern, name) is covered


@given(st.text())
def test_a_star_covers_everything_and_a_plain_name_itself(name):
    assert matches("*", name)
    assert matches("".join("?" if char in "*?" else char for char in name), name)


def test_a_pattern_of_many_stars_takes_no_time():
    assert not matches("*a" * 12 + "b", "a" * 30)


@pytest.mark.parametrize(
    ("selection", "selected"),
    [
        (EVERYTHING, True),
        (Selection(paths=("manifests",)), True),
        (Selection(paths=("manifests/",)), True),
        (Selection(paths=("./manifests/analyst-box.yaml",)), True),
        (Selection(paths=(".",)), True),
        (Selection(paths=("overlays/prod",)), True),
        (Selection(paths=("manifests/analyst",)), False),
        (Selection(types=("manifest",)), True),
        (Selection(types=("environment",)), False),
        (Selection(names=("web-*", "analyst-*")), True),
        (Selection(names=("web-*",)), False),
        (Selection(names=("analyst-*",), paths=("elsewhere",)), False),
        (Selection(labels=(("tier", "gold"),)), False),
    ],
)
def test_what_a_selection_selects(selection, selected):
    assert selection.selects(*BOX) is selected


def test_every_label_must_match():
    labels = {"tier": "gold", "team": "data"}
    both = Selection(labels=(("tier", "gold"), ("team", "data")))
    assert both.selects(*BOX, labels)
    assert not both.selects(*BOX, {"tier": "gold"})


def test_a_path_selects_nothing_that_no_file_declares():
    assert not Selection(paths=("manifests",)).selects(manifest("foreign"))


@given(
    st.builds(
        Selection,
        paths=st.lists(st.text(min_size=1), max_size=2).map(tuple),
        names=st.lists(st.text(min_size=1), max_size=2).map(tuple),
    )
)
def test_a_selection_is_told_as_a_shell_reads_it(selection):
    words = shlex.split(str(selection))
    assert [word for word in words if word != "--name"] or not selection.is_narrow
    assert tuple(words[: len(selection.paths)]) == selection.paths
