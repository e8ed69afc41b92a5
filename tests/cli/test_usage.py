"""What can't be understood is said with a way out, and ends with 64."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.conftest import Snapshot

LINES = (
    "explian",
    "frobnicate",
    "plan --detaled-exitcode",
    "plan --unheard-of",
    "--unheard-of",
    "--no-color",
    "plan --no-colour=yes",
    "plan --no-color=yes",
    "context",
    "context choose",
    "serve keys",
    "diff",
    "diff one two",
    "diff a@b",
    "plan --output yaml",
    "plan --output",
    "completion tcsh",
    "apply --concurrency many",
    "apply --type secret",
    "explain E1234",
    "explain E10",
    "help plna",
    "plan --context lcal",
    "plan --context nowhere",
    "-C /not/there plan",
    "plan not-there.yaml",
    "plan ..",
    "apply not-there.json",
    "apply ../elsewhere",
    "context use production",
)


def test_every_misuse(cli: Cli, repository: Path, snapshot: Snapshot) -> None:
    texts = []
    for line in LINES:
        done = cli(*line.split())
        assert done.code == 64, line
        assert done.out == "", line
        texts.append(f"$ envsync {line}\n{done.err}".replace(str(repository.parent), "..."))
    snapshot("usage", "\n".join(texts))


@pytest.mark.parametrize("line", ["explian", "plan --nope", "diff a@b", "plan --context nowhere"])
def test_programs_get_the_same_as_json(cli: Cli, repository: Path, line: str) -> None:
    done = cli("--output", "json", *line.split())
    assert (done.code, done.err) == (64, "")
    (problem,) = json.loads(done.out)["problems"]
    assert problem["code"].startswith("E9")
    assert problem["remedy"]


def test_global_options_stand_anywhere(cli: Cli, repository: Path, tmp_path: Path) -> None:
    expected = cli("context", "show", "--output", "json", "--context", "guarded")
    assert expected.code == 0
    for line in (
        "--output json --context guarded context show",
        "--context=guarded context --output=json show",
        "context show --context guarded --output json --no-color",
        f"-C {repository} context show --output json --context guarded",
    ):
        assert cli(*line.split()).out == expected.out


def test_options_are_never_abbreviated(cli: Cli, repository: Path) -> None:
    assert cli("plan", "--detailed").code == 64


def test_a_name_that_begins_with_a_dash_goes_behind_two(cli: Cli, repository: Path) -> None:
    (repository / "-odd.yaml").write_text("a: 1\n")
    assert cli("validate", "--", "-odd.yaml").code == 0
