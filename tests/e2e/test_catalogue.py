"""The catalogue of codes: every code that is used is explained, everywhere, and no other one is."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

import envsync
from envsync.cli.main import main
from envsync.contract.assets import asset
from tests.e2e.conftest import Repository

CODE = re.compile(r"""(["'])([EW]\d{3})\1""")
PACKAGE = Path(envsync.__file__).parent
DOCS = PACKAGE.parent / "docs"


def catalogue() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for path in sorted(asset("schemas/codes").glob("*.toml")):
        for code, said in tomllib.loads(path.read_text(encoding="utf-8")).items():
            assert code not in found, f"{code} stands in two files"
            assert code[1] == path.name[0], f"{code} stands in {path.name}"
            found[code] = said
    return found


def used() -> dict[str, set[str]]:
    """Each quoted code of the program, and the files that have it."""
    found: dict[str, set[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        for match in CODE.finditer(path.read_text(encoding="utf-8")):
            found.setdefault(match[2], set()).add(path.relative_to(PACKAGE).as_posix())
    return found


def test_every_code_in_use_is_in_the_catalogue() -> None:
    known = catalogue()
    assert {code: where for code, where in used().items() if code not in known} == {}


def test_every_code_of_the_catalogue_is_in_use() -> None:
    assert sorted(set(catalogue()) - set(used())) == []


@pytest.mark.parametrize("code", sorted(catalogue()))
def test_a_code_is_explained(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    said = catalogue()[code]
    assert set(said) == {"title", "meaning", "mend"}
    assert not said["title"].endswith(".")
    assert said["meaning"].strip().endswith((".", ":"))
    assert main(["explain", code]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"{code}: {said['title']}")
    assert "What to do" in out
    assert main(["explain", code.lower(), "--output", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["code"] == code
    assert f"\n## {code}\n" in (DOCS / "errors.md").read_text(encoding="utf-8")


def test_the_reference_has_no_code_that_is_not_in_the_catalogue() -> None:
    found = re.findall(r"^## ([EW]\d{3})$", (DOCS / "errors.md").read_text("utf-8"), re.MULTILINE)
    assert sorted(found) == sorted(catalogue())


def test_pages_for_people_name_only_codes_that_there_are() -> None:
    known = catalogue()
    for page in sorted(DOCS.rglob("*.md")):
        named = set(re.findall(r"\b[EW][1-9]\d\d\b", page.read_text(encoding="utf-8")))
        assert named <= set(known), page


def test_the_list_names_each(tmp_path: Path, environ: dict[str, str]) -> None:
    repository = Repository(tmp_path, environ)
    listed = json.loads(repository.run("explain", "--output", "json").out)
    assert sorted(each["code"] for each in listed["codes"]) == sorted(catalogue())
    text = repository.run("explain").out
    assert [code for code in catalogue() if code not in text] == []


def test_an_unknown_code_is_a_usage_error(tmp_path: Path, environ: dict[str, str]) -> None:
    done = Repository(tmp_path, environ).run("explain", "E000")
    assert done.code == 64
    assert "error[E908]" in done.err
