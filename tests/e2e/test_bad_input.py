"""Bad files, through the real command: where, what, and the way out; nothing sent, nothing lost."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import CONFIG, KEY, Done, Repository
from tests.e2e.footprint import footprint, unsafe
from tests.e2e.interposer import Answer, Interposer

BOX = "kind: virtual\nsetup:\n  - command: make\n"
BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{new}: &{new} [{','.join([f'*{old}'] * 7)}]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@dataclass(frozen=True)
class Wrong:
    """A file, and the one problem that its text should have: place, code and words."""

    path: str
    text: str | bytes
    place: str
    code: str
    message: str
    remedy: str


WRONG = [
    Wrong("indent", "kind: none\n  setup: x\n", "2:8", "E101", "a `:` that cannot", "indent"),
    Wrong("quote", 'kind: "none\n', "1:7", "E101", "never closed", "close it"),
    Wrong("bracket", "files: [a\n", "1:8", "E101", "is not closed", "`]` at the end"),
    Wrong("twice", "kind: none\nkind: pod\n", "2:1", "E102", "duplicate key `kind`", "keep one"),
    Wrong("no", "harness: no\n", "1:10", "E103", "ambiguous", '"no" in quotes'),
    Wrong("on", "harness: on\n", "1:10", "E103", "ambiguous", '"on" in quotes'),
    Wrong("y", "harness: y\n", "1:10", "E103", "ambiguous", '"y" in quotes'),
    Wrong("date", "harness: 2026-11-30\n", "1:10", "E103", "ambiguous", "in quotes"),
    Wrong("octal", "harness: 02142\n", "1:10", "E103", "ambiguous", '"02142" in quotes'),
    Wrong("sixty", "harness: 12:30\n", "1:10", "E103", "ambiguous", '"12:30" in quotes'),
    Wrong("hash", "harness: 1234e567\n", "1:10", "E103", "ambiguous", '"1234e567" in quotes'),
    Wrong("infinity", "harness: .inf\n", "1:10", "E103", "ambiguous", '".inf" in quotes'),
    Wrong("tilde", "harness: ~\n", "1:10", "E103", "ambiguous", "in quotes"),
    Wrong("tag", "kind: !!str none\n", "1:7", "E104", "a tag", "remove it"),
    Wrong("merge", "a: &a {x: 1}\nb:\n  <<: *a\n", "3:3", "E105", "merge key", "write the merged"),
    Wrong("directive", "%YAML 1.1\n---\na: 1\n", "1:1", "E106", "directive", "remove the line"),
    Wrong("two", "kind: none\n---\nkind: pod\n", "2:1", "E107", "second document", "keep one"),
    Wrong("empty", "", "1:1", "E108", "empty", "delete the file"),
    Wrong("comment", "# later\n", "1:1", "E108", "empty", "delete the file"),
    Wrong("list", "- kind: none\n", "1:1", "E109", "a list, not a mapping", "`key: value`"),
    Wrong("explicit", "? a\n: b\n", "1:1", "E110", "explicit key", "`key: value`"),
    Wrong("large", f"cpus: {2**60}\n", "1:7", "E111", "", "quotes"),
    Wrong("tab", "files:\n\t- path: x\n", "2:1", "E112", "a tab", "spaces"),
    Wrong("nul", 'harness: "a\0b"\n', "1:12", "E113", "U+0000", "remove it"),
    Wrong("escape", 'harness: "\x1b[2J"\n', "1:11", "E113", "U+001B", "remove it"),
    Wrong("latin", b"harness: \xe9\n", "1:10", "E114", "0xe9 is not UTF-8", "save the file"),
    Wrong("big", "#" * (2 << 20), "1:1", "E115", "larger than 1 MiB", "split it"),
    Wrong("deep", f"a: {'[' * 70}{']' * 70}\n", "1:67", "E116", "64 levels", "flatten"),
    Wrong("aliases", f"a: &a x\nb: [{'*a,' * 65}]\n", "2:197", "E117", "64 aliases", "write"),
    Wrong("bomb", BOMB, "6:20", "E118", "more than 100,000 values", "write less"),
    Wrong("nowhere", "a: *b\n", "1:4", "E119", "`*b` has no anchor", "write `&b`"),
    Wrong("broken.json", '{"kind": "none",}', "1:17", "E120", "", ""),
    Wrong("typo", "kind: none\nharnes: x\n", "2:1", "E201", "unknown key `harnes`", "`harness`"),
    Wrong(
        "long",
        f'kind: none\nharnes: "{"y" * 90000}"\n',
        "2:1",
        "E201",
        "unknown key `harnes`",
        "`harness`",
    ),
    Wrong("kind", "kind: pods\n", "1:7", "E204", "`pods`, not `none`", "write `pod`"),
    Wrong("list-of", "setup: {command: x}\n", "1:8", "E202", "is a mapping, not a list", "list"),
    Wrong("number", "lifecycle: {idle: 5}\n", "1:19", "E202", "the number 5", '"5m"'),
    Wrong("size", "resources: {memory: 2GB}\n", "1:21", "E210", "not a size", '"2GiB"'),
    Wrong("half", "lifecycle: {idle: 1h30m}\n", "1:19", "E211", "not a duration", '"90m"'),
    Wrong(
        "host", "network: {allowedHosts: ['https://a.example/x']}\n", "1:26", "E212", "", "a.exa"
    ),
    Wrong("named", 'name: "no/slash"\n' + BOX, "1:7", "E215", "`no/slash`", '"no-slash"'),
    Wrong("-dash", BOX, "1:1", "E427", "`-dash`", "rename the file"),
    Wrong("a b", BOX, "1:1", "E427", "`a b`", "rename the file"),
    Wrong("n" * 65, BOX, "1:1", "E427", "nnn", "rename the file"),
    Wrong("x\u202ey", BOX, "1:1", "E427", "gives no name", "rename the file"),
    Wrong("b\udcffx", BOX, "1:1", "E422", "is not UTF-8", "rename the file"),
    Wrong("Same", BOX, "", "", "", ""),
    Wrong("same", BOX, "1:1", "E421", "one file on many systems", "rename one"),
    Wrong("double", BOX, "", "", "", ""),
    Wrong("other", "name: double\n" + BOX, "1:1", "E421", "two files declare", "rename one"),
    Wrong("caf\u00e9", BOX, "1:1", "E421", "one file on many systems", "rename one"),
    Wrong("cafe\u0301", BOX, "", "", "", ""),
]
LINKS = {
    "out": ("/etc/passwd", "E423", "leaves the repository", "copy the file"),
    "up": ("../../outside.yaml", "E423", "leaves the repository", "copy the file"),
    "dangling": ("nowhere", "E423", "leads to nothing", "remove it"),
    "loop": ("loop.yaml", "E423", "leads to nothing", "remove it"),
}


def file_of(name: str) -> str:
    return f"manifests/{name}" if name.endswith(".json") else f"manifests/{name}.yaml"


def shown(name: str) -> str:
    return file_of(name).encode("utf-8", "backslashreplace").decode().replace("\\udcff", "\\xff")


@dataclass(frozen=True)
class Run:
    """What the commands said of a repository where everything is wrong."""

    json: Done
    text: Done
    others: dict[str, Done]
    before: dict[str, str]
    after: dict[str, str]
    requests: list[Any]

    def problems(self, path: str) -> list[dict[str, Any]]:
        found = json.loads(self.json.out)["problems"]
        return [each for each in found if each["position"]["path"] == path]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    folder = tmp_path_factory.mktemp("wrong")
    (folder / "outside.yaml").write_text("kind: a-secret-outside\n")
    environ = {
        "XDG_CACHE_HOME": str(folder / "cache"),
        "NYLORUN_SERVER_KEY": KEY,
        "COLUMNS": "100",
    }
    repository = Repository(folder / "repository", environ)
    with Interposer("http://127.0.0.1:9", lambda seen: Answer(500)) as server:
        config = CONFIG.format(address=server.address, default="remote")
        repository.write("envsync.yaml", config)
        (repository.root / "manifests").mkdir()
        for each in WRONG:
            data = each.text.encode() if isinstance(each.text, str) else each.text
            (repository.root / file_of(each.path)).write_bytes(data)
        for name, (target, *_) in LINKS.items():
            (repository.root / file_of(name)).symlink_to(target)
        os.mkfifo(repository.root / file_of("pipe"))
        before = footprint(repository.root)
        checked = repository.run("validate", "--output", "json")
        text = repository.run("validate", "--no-cache")
        others = {
            "plan json": repository.run("plan", "--output", "json"),
            "plan markdown": repository.run("plan", "--output", "markdown"),
            "apply": repository.run("apply", "--yes"),
            "status": repository.run("status"),
            "sarif": repository.run("validate", "--output", "sarif"),
            "github": repository.run("validate", "--output", "github"),
        }
        after = footprint(repository.root)
        yield Run(checked, text, others, before, after, server.seen)


@pytest.mark.parametrize(
    "wrong", [each for each in WRONG if each.code], ids=lambda each: each.path.strip()[:9]
)
def test_a_wrong_file_is_told_with_its_place_and_the_way_out(run: Run, wrong: Wrong) -> None:
    path = shown(wrong.path)
    found = [each for each in run.problems(path) if each["code"] == wrong.code]
    assert found, run.problems(path)
    problem = found[0]
    position = problem["position"]
    assert f"{position['line']}:{position['column']}" == wrong.place
    assert wrong.message in problem["message"]
    assert problem["remedy"]
    assert wrong.remedy in problem["remedy"] + problem["label"]
    text = run.text.out
    seen = path.replace("\u202e", "\\u202e")
    assert f"--> {seen}:{wrong.place}\n" in text
    assert f"error[{wrong.code}]" in text


@pytest.mark.parametrize("name", LINKS)
def test_a_link_out_of_the_repository_is_refused_and_not_read(run: Run, name: str) -> None:
    _, code, message, remedy = LINKS[name]
    (problem,) = run.problems(file_of(name))
    assert problem["code"] == code
    assert message in problem["message"]
    assert remedy in problem["remedy"]


def test_a_pipe_is_no_file_and_is_not_waited_for(run: Run) -> None:
    (problem,) = run.problems(file_of("pipe"))
    assert problem["code"] == "E426"


def test_nothing_of_what_lies_outside_is_shown(run: Run) -> None:
    said = "".join(done.out + done.err for done in (run.json, run.text, *run.others.values()))
    assert "root:" not in said
    assert "a-secret-outside" not in said


def test_names_equal_but_for_case_or_composition_are_told_with_both_places(run: Run) -> None:
    for later, first in (("same", "Same"), ("caf\u00e9", "cafe\u0301"), ("other", "double")):
        found = [each for each in run.problems(file_of(later)) if each["code"] == "E421"]
        assert found
        for problem in found:
            assert [each["position"]["path"] for each in problem["related"]] == [file_of(first)]


def test_nothing_is_sent_and_nothing_is_lost(run: Run) -> None:
    assert run.requests == []
    assert run.after == run.before


def test_every_command_and_format_ends_with_1(run: Run) -> None:
    codes = {name: done.code for name, done in run.others.items()}
    codes |= {"json": run.json.code, "text": run.text.code}
    assert set(codes.values()) == {1}, codes


def test_data_stands_on_stdout_and_complaints_of_text_on_stderr(run: Run) -> None:
    for name in ("plan json", "sarif"):
        assert json.loads(run.others[name].out)
        assert run.others[name].err == ""
    for name in ("apply", "status"):
        assert run.others[name].out == ""
        assert "error[E101]" in run.others[name].err
    assert run.others["plan markdown"].out.startswith("### envsync: ")


def test_hostile_text_is_shown_escaped(run: Run) -> None:
    for done in (run.text, *run.others.values()):
        assert unsafe(done.out + done.err) == []
    assert "E999" not in run.text.out + run.json.out


def test_a_huge_line_makes_no_huge_message(run: Run) -> None:
    assert max(map(len, run.text.out.splitlines())) < 400
    for problem in run.problems(file_of("long")):
        assert len(problem["message"]) < 400


# envsync.yaml.

HEAD = "format: 1\nproject: acme\n"
REMOTE = HEAD + "contexts:\n  r:\n    server: {}\n    key: {}\n"
FAR = "https://runtime.example"
NEWER = "format: 2\nproject: acme\ncontexts: {local: {server: embedded}}\n"

CONFIGS = [
    ("empty", "", "E108", "envsync.yaml:1:1", "empty", "write its content"),
    ("broken", HEAD + "contexts: [\n", "E101", "envsync.yaml:4:1", "", ""),
    ("a list", "- a\n", "E109", "envsync.yaml:1:1", "not a mapping", "`key: value`"),
    ("no contexts", HEAD, "E203", "envsync.yaml:1:1", "`contexts`", "add `contexts`"),
    (
        "unknown key",
        HEAD + "contexts: {l: {server: embedded, protectd: true}}\n",
        "E201",
        "envsync.yaml:3:34",
        "`protectd`",
        "`protected`",
    ),
    ("wrong type", "project: 5\ncontexts: []\n", "E202", "envsync.yaml:1:10", "number 5", '"5"'),
    ("newer", NEWER, "E408", "envsync.yaml:1:9", "format 2", "newer envsync"),
    ("literal key", REMOTE.format(FAR, KEY), "E403", "envsync.yaml:6:10", "never be", "`env:NAME`"),
    (
        "literal number",
        REMOTE.format(FAR, "12345678"),
        "E403",
        "envsync.yaml:6:10",
        "never be",
        "`env:NAME`",
    ),
    (
        "literal list",
        REMOTE.format(FAR, f"['{KEY}']"),
        "E403",
        "envsync.yaml:6:10",
        "never be",
        "`env:NAME`",
    ),
    (
        "key misspelt",
        HEAD + f"contexts: {{r: {{server: '{FAR}', kee: {KEY}}}}}\n",
        "E404",
        "envsync.yaml:3:12",
        "half given",
        "add `key:",
    ),
    (
        "key unclosed",
        REMOTE.format(FAR, f'"{KEY}'),
        "E101",
        "envsync.yaml:6:10",
        "never closed",
        "close",
    ),
    ("no server", HEAD + "contexts: {r: {key: 'env:X'}}\n", "E203", "envsync.yaml:3:15", "", "add"),
    (
        "password in the address",
        REMOTE.format(f"https://bob:{KEY}@runtime.example", "env:X"),
        "E402",
        "envsync.yaml:5:13",
        "a user name or a password",
        "",
    ),
    ("embeded", REMOTE.format("embeded", "env:X"), "E402", "envsync.yaml:5:13", "", "`embedded`?"),
    (
        "case",
        HEAD + "contexts:\n  a: {server: embedded}\n  A: {server: embedded}\ndefault_context: a\n",
        "E407",
        "envsync.yaml:5:3",
        "differ only by case",
        "rename one",
    ),
    (
        "default unknown",
        HEAD + "contexts: {local: {server: embedded}}\ndefault_context: locl\n",
        "E405",
        "envsync.yaml:4:18",
        "`locl`",
        "local",
    ),
]


@pytest.mark.parametrize(
    ("text", "code", "place", "message", "remedy"),
    [each[1:] for each in CONFIGS],
    ids=[each[0] for each in CONFIGS],
)
def test_a_wrong_envsync_yaml(
    make_repository: Callable[..., Repository],
    text: str,
    code: str,
    place: str,
    message: str,
    remedy: str,
) -> None:
    repository = make_repository({"box": BOX})
    repository.write("envsync.yaml", text)
    before = footprint(repository.root)
    done = repository.run("apply", "--output", "json", "--debug")
    told = repository.run("plan")
    assert (done.code, told.code) == (1, 1)
    problem = json.loads(done.out)["problems"][0]
    position = problem["position"]
    assert problem["code"] == code
    assert f"{position['path']}:{position['line']}:{position['column']}" == place
    assert message in problem["message"]
    assert remedy in problem["remedy"] + problem["label"]
    assert problem["remedy"]
    assert told.out == ""
    assert f"error[{code}]" in told.err
    assert f"--> {place}\n" in told.err
    # A key that somebody wrote into the file stays there.
    assert KEY not in done.out + done.err + told.out + told.err
    assert "12345678" not in done.out + told.err
    assert footprint(repository.root) == before


def test_no_envsync_yaml(tmp_path: Path, environ: dict[str, str]) -> None:
    empty = Repository(tmp_path, environ)
    done = empty.run("status", "--output", "json")
    assert done.code == 1
    (problem,) = json.loads(done.out)["problems"]
    assert (problem["code"], problem["position"]) == ("E401", None)
    assert "envsync init" in problem["remedy"]
    looked = empty.run("doctor")
    assert looked.code == 1
    assert "there is no envsync.yaml" in looked.out
    assert "None" not in looked.out


def test_an_envsync_yaml_above_is_not_found_through_a_path_with_dots(
    make_repository: Callable[..., Repository], tmp_path: Path
) -> None:
    repository = make_repository({"box": BOX})
    (tmp_path / "elsewhere").mkdir()
    done = repository.run("plan", "-C", "../elsewhere")
    assert done.code == 1
    assert "error[E401]" in done.err


@pytest.mark.parametrize("chosen", [False, True])
def test_an_unknown_context(make_repository: Callable[..., Repository], chosen: bool) -> None:
    repository = make_repository({"box": BOX})
    if chosen:
        repository.write(".envsync/context", "remot\n")
    done = repository.run("plan", *([] if chosen else ["--context", "remot"]))
    assert done.code == 64
    assert "error[E905]: there is no context `remot`" in done.err
    assert "did you mean `remote`?" in done.err


# Plan files.


def cut(text: str) -> str:
    return text[: len(text) // 2]


PLANS: list[tuple[str, Callable[[str], str], str, str]] = [
    ("truncated", cut, "E501", "not JSON"),
    ("empty", lambda text: "", "E501", "not JSON"),
    ("a page", lambda text: "<html>", "E501", "not JSON"),
    ("deep", lambda text: "[" * 200_000, "E501", "not a plan file"),
    ("not a plan", lambda text: '{"hello": "world"}', "E501", "does not say its format"),
    ("newer", lambda text: text.replace('"format": 1', '"format": 9'), "E502", "format 9"),
    ("another op", lambda text: text.replace('"create"', '"explode"'), "E503", "`explode`"),
    ("tampered", lambda text: text.replace("make", "evil"), "E504", "changed after"),
]


@pytest.fixture(scope="module")
def plan_text(tmp_path_factory: pytest.TempPathFactory) -> str:
    repository = Repository(tmp_path_factory.mktemp("planned"), {"XDG_CACHE_HOME": "/dev/null"})
    repository.write("envsync.yaml", CONFIG.format(address="http://127.0.0.1:9", default="local"))
    repository.write("manifests/box.yaml", BOX)
    assert repository.run("plan", "-o", "plan.json").code == 0
    return (repository.root / "plan.json").read_text()


@pytest.mark.parametrize(
    ("spoil", "code", "message"), [each[1:] for each in PLANS], ids=[each[0] for each in PLANS]
)
def test_a_plan_file_that_cannot_be_used(
    make_repository: Callable[..., Repository],
    plan_text: str,
    spoil: Callable[[str], str],
    code: str,
    message: str,
) -> None:
    repository = make_repository({"box": BOX})
    repository.write("plan.json", spoil(plan_text))
    before = footprint(repository.root)
    done = repository.run("apply", "plan.json", "--yes", "--output", "json")
    told = repository.run("apply", "plan.json", "--yes")
    assert (done.code, told.code) == (1, 1)
    problems = json.loads(done.out)["problems"]
    problem = next(each for each in problems if message in each["message"])
    assert problem["code"] == code
    assert problem["position"]["path"] == "plan.json"
    assert problem["remedy"]
    assert f"error[{code}]" in told.err
    assert told.out == ""
    assert footprint(repository.root) == before


def test_a_plan_file_that_is_none_at_all(make_repository: Callable[..., Repository]) -> None:
    repository = make_repository({"box": BOX})
    (repository.root / "bytes.json").write_bytes(b"\xff\xfe\0")
    os.mkfifo(repository.root / "pipe.json")
    done = repository.run("apply", "bytes.json")
    assert (done.code, done.err[:11]) == (1, "error[E501]")
    for name in ("pipe.json", "missing.json"):
        done = repository.run("apply", name)
        assert (done.code, done.err[:11]) == (64, "error[E910]")


def test_a_plan_that_cannot_be_saved(make_repository: Callable[..., Repository]) -> None:
    repository = make_repository({"box": BOX})
    before = footprint(repository.root / "manifests")
    for target in ("/nowhere/plan.json", "manifests", "/dev/full"):
        done = repository.run("plan", "-o", target, "--output", "json")
        assert done.code == 1
        (problem,) = json.loads(done.out)["problems"]
        assert problem["code"] == "E123"
        assert problem["remedy"]
    assert footprint(repository.root / "manifests") == before
