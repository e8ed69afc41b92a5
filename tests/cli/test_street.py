"""The commands on a small repository, as a person sees them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli, process
from tests.conftest import Snapshot


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_from_nothing_to_in_sync(cli: Cli, repository: Path, snapshot: Snapshot) -> None:
    web = repository / "manifests" / "web.yaml"
    told = []
    for line in ("validate", "plan", "status", "apply", "plan", "status", "apply"):
        told.append(f"$ envsync {line}\n{cli(*line.split()).golden}")
    edit(web, "1024MiB", "2GiB")
    edit(web, "make deps", "make deps-frozen")
    lines = ("plan --detailed-exitcode", "diff web", "apply", "history web", "show web@1")
    for line in (*lines, "diff web@1..2", "diff data", "status --name w*", "show nobody"):
        told.append(f"$ envsync {line}\n{cli(*line.split()).golden}")
    snapshot("street", "\n".join(told))


def test_errors_in_files(cli: Cli, repository: Path, snapshot: Snapshot) -> None:
    edit(repository / "manifests" / "web.yaml", "allowedHosts", "allowed_hosts")
    edit(repository / "manifests" / "data.yaml", "make deps", "no")
    told = []
    lines = ("validate", "validate manifests/web.yaml", "validate --output github", "plan")
    for line in (*lines, "apply", "plan --output markdown"):
        done = cli(*line.split())
        assert done.code == 1
        told.append(f"$ envsync {line}\n{done.golden}")
    snapshot("errors", "\n".join(told))
    for line in ("validate", "plan", "apply", "status"):
        done = cli(line, "--output", "json")
        assert (done.code, done.err) == (1, "")
        assert {each["code"] for each in json.loads(done.out)["problems"]} == {"E103", "E201"}


def test_init_writes_once(cli: Cli, tmp_path: Path, snapshot: Snapshot) -> None:
    root = tmp_path / "fresh"
    root.mkdir()
    first = cli("-C", str(root), "init")
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*")}
    again = cli("-C", str(root), "init")
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*")} == before
    assert cli("-C", str(root), "validate").code == 0
    assert cli("-C", str(root), "apply").code == 0
    text = f"{first.golden}\n{again.golden}".replace(str(tmp_path), "...")
    snapshot("init", text)


def test_contexts(cli: Cli, repository: Path, snapshot: Snapshot) -> None:
    told = []
    for line in ("context list", "context show", "context use guarded", "context list",
                 "context show", "context show --context staging"):  # fmt: skip
        told.append(f"$ envsync {line}\n{cli(*line.split()).golden}")
    snapshot("contexts", "\n".join(told))
    assert (repository / ".envsync" / "context").read_text() == "guarded\n"


def test_schemas(cli: Cli, repository: Path) -> None:
    assert cli("schema", "check").code == 1
    assert cli("schema", "export").code == 0
    assert cli("schema", "check").code == 0
    (repository / "schemas" / "plan.schema.json").write_text("{}")
    assert "plan.schema.json is not the one" in cli("schema", "check").err


def test_a_protected_context_wants_the_plan_named(cli: Cli, repository: Path) -> None:
    refused = cli("apply", "--context", "guarded", "--yes")
    assert (refused.code, refused.out) == (64, "")
    plan = json.loads(cli("plan", "--context", "guarded", "--output", "json").out)
    assert f"--yes={plan['id'][:12]}" in refused.err
    assert cli("apply", "--context", "guarded", "--yes=000000000000").code == 4
    assert cli("apply", "--context", "guarded", f"--yes={plan['id'][:12]}").code == 0


def test_nothing_asks_when_nobody_is_there(repository: Path) -> None:
    done = process("apply", "--context", "guarded", cwd=repository)
    assert done.code == 64
    assert "error[E909]" in done.err


def test_keys(cli: Cli, repository: Path) -> None:
    made = cli("serve", "keys", "create", "ci")
    assert made.code == 0
    assert len(made.out.strip()) == 64
    rotated = json.loads(cli("serve", "keys", "rotate", "ci", "--output", "json").out)
    assert rotated["key"] not in made.out
    listed = cli("serve", "keys", "list")
    assert made.out.strip() not in listed.out
    assert "application" in listed.out
    assert cli("serve", "keys", "delete", "nobody").code == 1
    assert cli("serve", "keys", "delete", "ci").code == 0
    assert cli("serve", "keys", "list").out.startswith("No keys.")


def test_the_plan_json_is_the_plan_file(cli: Cli, repository: Path) -> None:
    from envsync.planning.file import load

    printed = cli("plan", "--output", "json", "-o", "plan.json")
    assert load(printed.out.encode(), "stdout").id
    saved = load((repository / "plan.json").read_bytes(), "plan.json")
    assert saved.id == load(printed.out.encode(), "stdout").id


def test_a_plan_that_can_t_be_saved_is_an_error(cli: Cli, repository: Path) -> None:
    done = cli("plan", "-o", "no/such/folder/plan.json")
    assert (done.code, done.out) == (1, "")
    assert "error[E123]" in done.err


@pytest.mark.parametrize("columns", ["80", "120"])
def test_doctor_fits(
    cli: Cli, repository: Path, columns: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    done = cli("doctor")
    assert done.code == 0
    assert "everything works" in done.out or "warning" in done.out


def test_explain_has_every_code(cli: Cli, snapshot: Snapshot) -> None:
    from envsync.contract.codes import codes

    listed = cli("explain").out
    for code in codes():
        assert f"  {code}  " in listed
        assert cli("explain", code.lower()).code == 0
    snapshot("explain", cli("explain", "E906").golden)
    assert json.loads(cli("explain", "E906", "--output", "json").out)["code"] == "E906"


def test_the_wire_log_says_what_was_asked_and_nothing_else(cli: Cli, repository: Path) -> None:
    done = cli("plan", "--debug")
    assert "GET /health -> 200" in done.err
    assert "authorization" not in done.err.lower()
    assert "make deps" not in done.err
