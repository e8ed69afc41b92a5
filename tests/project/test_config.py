"""envsync.yaml: what it may say, and where each complaint about it points."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from envsync.contract.assets import asset
from envsync.errors import FileError, Problem
from envsync.project.config import Ignored, Project, find_root, load
from envsync.project.moves import Move, former_names

BASE = """\
project: acme
contexts:
  local: {server: embedded}
default_context: local
"""


def loaded(root: Path, text: str) -> Project:
    (root / "envsync.yaml").write_text(text, encoding="utf-8")
    return load(root)


def complaints(root: Path, text: str) -> tuple[Problem, ...]:
    with pytest.raises(FileError) as caught:
        loaded(root, text)
    return caught.value.problems


def only(root: Path, text: str) -> Problem:
    problems = complaints(root, text)
    assert len(problems) == 1, [f"{problem.position} {problem.message}" for problem in problems]
    return problems[0]


def test_everything_that_is_not_said_has_a_default(root: Path) -> None:
    config = loaded(root, BASE).config
    assert config.project == "acme"
    assert config.owns == {"manifest": ("*",)}
    assert config.ignore == ()
    assert (config.policy.prune, config.policy.max_delete_percent) == (False, 30)
    assert config.globs["manifest"] == ("manifests/*",)
    assert config.overlays == "overlays"
    local = config.contexts["local"]
    assert (local.embedded, local.protected, local.key) == (True, False, None)
    assert local.database_path(root) == root / ".envsync" / "server.db"


def test_everything_can_be_said(root: Path) -> None:
    config = loaded(
        root,
        """\
$schema: schemas/envsync.schema.json
format: 1
project: acme
contexts:
  local: {server: embedded, database: data/local.db}
  production:
    server: https://runtime.example/base/
    key: file:keys/production
    management_key: env:MANAGEMENT
    protected: true
    ca_bundle: certificates/ca.pem
default_context: production
owns: {manifests: ['billing-*']}
ignore: [{type: manifest, name: '*-legacy', path: /lifecycle/a~1b}]
policy: {prune: false, max_delete_percent: 10, on_drift: refuse}
files: {manifests: [boxes/**/*.yaml], policies: [rules/*.json], overlays: layers}
""",
    ).config
    production = config.contexts["production"]
    assert production.server == "https://runtime.example/base"
    assert str(production.key) == f"file:{root / 'keys/production'}"
    assert str(production.management_key) == "env:MANAGEMENT"
    assert production.protected
    assert production.ca_bundle == root / "certificates/ca.pem"
    assert config.contexts["local"].database_path(root) == root / "data/local.db"
    assert config.default_context == "production"
    assert config.owns == {"manifest": ("billing-*",)}
    assert config.ignore == (Ignored("manifest", "*-legacy", ("lifecycle", "a/b")),)
    assert config.globs["manifest"] == ("boxes/**/*.yaml",)
    assert config.overlays == "layers"


def test_the_only_context_is_the_default_one(root: Path) -> None:
    text = BASE.replace("default_context: local\n", "")
    assert loaded(root, text).config.default_context == "local"


@pytest.mark.parametrize(
    ("change", "code", "place", "says"),
    [
        (("default_context: local", "default_context: lokal"), "E405", "4:18", "`lokal`"),
        (("server: embedded", "server: runtime.example"), "E402", "3:19", "not an address"),
        (("server: embedded", "server: 'https://'"), "E402", "3:19", "names no host"),
        (("server: embedded", "server: 'https://a.example?x=1'"), "E402", "3:19", "a query"),
        (("server: embedded", "server: 'https://a.example:99999'"), "E402", "3:19", "URL"),
        (("embedded}", "embedded, key: env:KEY}"), "E406", "3:29", "`key` is of no use"),
        (("embedded}", "embedded, ca_bundle: ca.pem}"), "E406", "3:29", "`ca_bundle`"),
        (("embedded", "https://a.example"), "E404", "3:3", "half given"),
        (("project: acme", "project: [acme]"), None, "1:10", ""),
        (("project: acme\n", ""), None, "1:1", "project"),
        (("project: acme", "project: acme\npolicy: {on_drift: ask}"), None, "2:20", "ask"),
        (
            ("project: acme", "project: acme\nmoved: [{type: manifest, from: a, to: a}]"),
            "E409",
            "2:39",
            "to itself",
        ),
        (("project: acme", "project: acme\nformat: 2"), None, "2:9", ""),
        (("project: acme", "project: acme\nownz: {}"), "E201", "2:1", "`ownz`"),
        (
            ("project: acme", "project: acme\nowns: {manifest: ['*']}"),
            "E201",
            "2:8",
            "`manifest`",
        ),
        (
            ("project: acme", "project: acme\npolicy: {max_delete_percent: lots}"),
            None,
            "2:30",
            "",
        ),
        (
            ("project: acme", "project: acme\nignore: [{type: manifest, path: idle}]"),
            None,
            "2:33",
            "",
        ),
        (("project: acme", "project: acme\nfiles: {overlays: ../x}"), None, "2:19", ""),
    ],
)
def test_each_complaint_has_its_place(
    root: Path, change: tuple[str, str], code: str | None, place: str, says: str
) -> None:
    text = BASE.replace(*change)
    problem = only(root, text)
    assert code is None or problem.code == code
    assert str(problem.position) == f"envsync.yaml:{place}"
    assert says in problem.message
    assert problem.remedy


def test_a_slip_of_the_pen_is_understood(root: Path) -> None:
    missing, unknown = complaints(root, BASE.replace("server:", "sever:"))
    assert (unknown.code, str(unknown.position)) == ("E201", "envsync.yaml:3:11")
    assert unknown.label == "did you mean `server`?"
    assert "`server`" in missing.message
    wrong_default = only(root, BASE.replace("default_context: local", "default_context: locla"))
    assert wrong_default.label == "did you mean `local`?"
    wrong_server = only(root, BASE.replace("embedded", "embeded"))
    assert wrong_server.remedy == "did you mean `embedded`?"


@pytest.mark.parametrize(
    "literal", ["0123abcd" * 8, "env:", "file:", "env:9KEY", "env:two words", "$KEY", "ENV:KEY"]
)
def test_a_literal_key_is_refused_and_never_repeated(root: Path, literal: str) -> None:
    text = f"""\
project: acme
contexts:
  production:
    server: https://runtime.example
    key: "{literal}"
"""
    problem = only(root, text)
    assert problem.code == "E403"
    assert str(problem.position) == "envsync.yaml:5:10"
    assert problem.private
    if len(literal) > 10:
        assert literal not in f"{problem.message}{problem.label}{problem.remedy}"


def test_a_password_in_an_address_is_refused_and_never_repeated(root: Path) -> None:
    problem = only(root, BASE.replace("embedded", "'https://bob:s3cret@runtime.example'"))
    assert problem.code == "E402"
    assert problem.private
    assert "s3cret" not in f"{problem.message}{problem.label}{problem.remedy}"


def test_several_contexts_need_a_default(root: Path) -> None:
    problem = only(
        root, "project: acme\ncontexts:\n  a: {server: embedded}\n  b: {server: embedded}\n"
    )
    assert problem.code == "E405"
    assert str(problem.position) == "envsync.yaml:2:1"
    assert "a, b" in problem.remedy


def test_contexts_that_differ_only_by_case_are_named_both(root: Path) -> None:
    problem = only(root, BASE.replace("contexts:", "contexts:\n  Local: {server: embedded}"))
    assert problem.code == "E407"
    assert str(problem.position) == "envsync.yaml:4:3"
    assert str(problem.related[0][0]) == "envsync.yaml:3:3"


def test_every_problem_is_told_at_once_in_the_order_of_the_file(root: Path) -> None:
    problems = complaints(
        root, "project: 7\ncontexts:\n  a: {server: x}\n  b: {server: embedded, kee: 1}\n"
    )
    assert [(problem.position.line, problem.code) for problem in problems if problem.position][
        1:
    ] == [(2, "E405"), (3, "E402"), (4, "E201")]


def test_plain_http_is_a_warning_only_and_not_for_this_machine(root: Path) -> None:
    from envsync.documents import parse
    from envsync.project.complaints import complaints as all_complaints

    text = BASE.replace("embedded", "http://HOST, key: env:K")
    away = all_complaints(parse(text.replace("HOST", "runtime.example").encode(), "envsync.yaml"))
    assert [problem.code for problem in away] == ["W403"]
    here = all_complaints(parse(text.replace("HOST", "127.0.0.1:8080").encode(), "envsync.yaml"))
    assert here == ()
    assert loaded(root, text.replace("HOST", "runtime.example")).config.contexts["local"].key


def test_broken_yaml_keeps_its_own_place(root: Path) -> None:
    problem = complaints(root, "project: acme\nproject: other\n")[0]
    assert problem.position is not None
    assert problem.position.line == 2


def test_the_root_is_the_nearest_folder_with_an_envsync_yaml(root: Path) -> None:
    loaded(root, BASE)
    deep = root / "a" / "b"
    deep.mkdir(parents=True)
    assert find_root(deep) == root
    (root / "a" / "envsync.yaml").write_text(BASE)
    assert find_root(deep) == root / "a"


def test_no_envsync_yaml_anywhere_says_how_to_begin(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"no envsync\.yaml") as caught:
        find_root(tmp_path)
    assert "envsync init" in caught.value.remedy
    (tmp_path / "envsync.yml").write_text(BASE)
    with pytest.raises(FileError) as caught:
        find_root(tmp_path)
    assert caught.value.remedy == f"rename {tmp_path / 'envsync.yml'} to envsync.yaml"
    with pytest.raises(FileError, match="not a folder"):
        find_root(tmp_path / "missing")


def test_an_envsync_yaml_that_cannot_be_read_is_an_error_not_a_crash(root: Path) -> None:
    (root / "envsync.yaml").mkdir()
    with pytest.raises(FileError, match="cannot be read"):
        load(root)


def test_the_schema_explains_every_key_to_an_editor() -> None:
    schema = json.loads(asset("schemas/envsync.schema.json").read_bytes())

    def check(part: dict[str, object], where: str) -> None:
        properties = part.get("properties", {})
        assert isinstance(properties, dict)
        for name, said in properties.items():
            if said is False or where.endswith(("then", "else", "if")):
                continue
            assert said.get("title"), f"{where}/{name} has no title"
            assert said.get("description"), f"{where}/{name} says nothing"
            check(said, f"{where}/{name}")

    check(schema, "")
    for name, definition in schema["$defs"].items():
        check(definition, name)


MOVES = "{type: manifest, from: a, to: b}, {type: manifest, from: "


def test_moves_are_read_in_their_order(root: Path) -> None:
    config = loaded(root, BASE + f"moved: [{MOVES}b, to: c}}]\n").config
    assert config.moved == (Move("manifest", "a", "b"), Move("manifest", "b", "c"))
    assert former_names(config.moved, "manifest", "c") == ("b", "a")
    assert former_names(config.moved, "manifest", "a") == ()


@pytest.mark.parametrize(
    ("second", "told"),
    [
        ("a, to: c", "manifest a is moved twice"),
        ("c, to: b", "two objects are moved to manifest b"),
        ("b, to: a", "the moves of manifest a go in a circle"),
    ],
)
def test_moves_that_contradict_each_other_are_refused(root: Path, second: str, told: str) -> None:
    problem = only(root, BASE + f"moved: [{MOVES}{second}}}]\n")
    assert (problem.code, problem.message) == ("E409", told)


def test_what_to_do_about_deletes_and_drift_can_be_said(root: Path) -> None:
    policy = loaded(root, BASE + "policy: {prune: true, on_drift: adopt}\n").config.policy
    assert (policy.prune, policy.on_drift) == (True, "adopt")
