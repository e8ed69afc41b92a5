"""The main job: files, plan, apply, and back; on the embedded server and on one behind a port."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.e2e.conftest import Repository, Server

BOX = "kind: virtual\nsetup:\n  - command: make deps\n"


@pytest.fixture(params=["embedded", "served"])
def repository(
    request: pytest.FixtureRequest,
    make_repository: Callable[..., Repository],
    start_server: Callable[..., Server],
) -> Repository:
    if request.param == "embedded":
        return make_repository({"alpha": BOX, "beta": BOX})
    return make_repository({"alpha": BOX, "beta": BOX}, start_server().address)


def plan_of(repository: Repository, *arguments: str) -> dict[str, Any]:
    done = repository.run("plan", "--output", "json", *arguments)
    assert done.code == 0, done.err
    data = json.loads(done.out)
    assert isinstance(data, dict)
    return data


def test_a_plan_names_what_is_new_and_writes_nothing(repository: Repository) -> None:
    first = plan_of(repository)
    assert [(each["op"], each["name"]) for each in first["changes"]] == [
        ("create", "alpha"),
        ("create", "beta"),
    ]
    assert plan_of(repository)["id"] == first["id"]


def test_after_an_apply_the_next_plan_is_empty(repository: Repository) -> None:
    applied = repository.run("apply", "--yes", "--output", "json")
    assert applied.code == 0, applied.err
    assert [each["result"] for each in json.loads(applied.out)["outcomes"]] == ["applied"] * 2
    again = repository.run("plan", "--detailed-exitcode")
    assert again.code == 0
    assert again.out.startswith("In sync: 2 objects match")


def test_an_edit_is_a_change_of_one_field(repository: Repository) -> None:
    repository.run("apply", "--yes")
    repository.edit("manifests/alpha.yaml", "make deps", "make deps-frozen")
    changed = repository.run("plan", "--detailed-exitcode", "--output", "json")
    assert changed.code == 2
    (change,) = json.loads(changed.out)["changes"]
    assert (change["name"], change["base"]["version"]) == ("alpha", 1)
    assert [each["path"] for each in change["fields"]] == ["/setup/0/command"]
    repository.commit()
    assert repository.run("apply", "--yes").code == 0
    shown = json.loads(repository.run("show", "alpha", "--output", "json").out)
    assert shown["version"] == 2
    assert shown["body"]["setup"][0]["command"] == "make deps-frozen"


def test_another_spelling_of_the_same_is_no_change(repository: Repository) -> None:
    repository.run("apply", "--yes")
    repository.write(
        "manifests/alpha.yaml",
        "# Defaults said aloud, sizes and times spelled otherwise.\n"
        "resources: {memory: 1GiB, cpus: 2.0}\n"
        "harness: nylorun\nkind: virtual\nlifecycle: {}\n"
        "setup:\n- {command: 'make deps'}\n",
    )
    assert plan_of(repository)["changes"] == []


def test_a_saved_plan_sends_what_was_reviewed(repository: Repository) -> None:
    repository.run("plan", "-o", "plan.json")
    repository.edit("manifests/alpha.yaml", "make deps", "make something-else")
    assert repository.run("apply", "plan.json", "--yes").code == 0
    shown = json.loads(repository.run("show", "alpha", "--output", "json").out)
    assert shown["body"]["setup"][0]["command"] == "make deps"


def test_a_saved_plan_can_be_applied_again(repository: Repository) -> None:
    repository.run("plan", "-o", "plan.json")
    assert repository.run("apply", "plan.json", "--yes").code == 0
    again = repository.run("apply", "plan.json", "--yes", "--output", "json")
    assert again.code == 0
    assert {each["result"] for each in json.loads(again.out)["outcomes"]} == {"unchanged"}
    assert (
        json.loads(repository.run("history", "alpha", "--output", "json").out)["entries"][0][
            "version"
        ]
        == 1
    )


def test_a_saved_plan_is_stale_once_somebody_saved(repository: Repository) -> None:
    repository.run("apply", "--yes")
    repository.edit("manifests/alpha.yaml", "make deps", "make ours")
    repository.run("plan", "-o", "plan.json")
    repository.edit("manifests/alpha.yaml", "make ours", "make theirs")
    repository.commit()
    repository.run("apply", "--yes")
    stale = repository.run("apply", "plan.json", "--yes")
    assert stale.code == 4
    assert "manifest alpha was v1 and is now v2, saved by" in stale.err
    shown = json.loads(repository.run("show", "alpha", "--output", "json").out)
    assert shown["body"]["setup"][0]["command"] == "make theirs"


def test_files_that_are_not_committed_stay_here_unless_that_is_said(
    repository: Repository,
) -> None:
    repository.run("apply", "--yes")
    repository.edit("manifests/alpha.yaml", "make deps", "make ours")
    repository.run("plan", "-o", "plan.json")
    embedded = "local" in repository.run("context", "show").out
    for words in (["apply", "--yes"], ["apply", "plan.json", "--yes"]):
        done = repository.run(*words)
        if embedded:
            assert done.code == 0
        else:
            assert (done.code, "error[E529]" in done.err) == (4, True)
            assert "manifests/alpha.yaml" in done.err
    assert repository.run("apply", "plan.json", "--yes", "--allow-dirty").code == 0


def test_a_plan_of_another_context_is_refused(repository: Repository) -> None:
    repository.run("plan", "-o", "plan.json")
    text = (repository.root / "envsync.yaml").read_text()
    repository.write("envsync.yaml", text.replace("project: acme", "project: other"))
    refused = repository.run("apply", "plan.json", "--yes")
    assert refused.code == 4
    assert "made for the project acme" in refused.err


def test_a_tampered_plan_is_refused(repository: Repository) -> None:
    repository.run("plan", "-o", "plan.json")
    repository.edit("plan.json", "make deps", "make evil")
    refused = repository.run("apply", "plan.json", "--yes")
    assert refused.code == 1
    assert "error[E504]" in refused.err


def test_what_was_deleted_on_the_server_is_not_made_again_unasked(
    repository: Repository,
) -> None:
    repository.run("apply", "--yes")
    delete_on_the_server(repository, "alpha")
    status = json.loads(repository.run("status", "--output", "json").out)
    assert [(each["name"], each["state"]) for each in status["rows"]] == [
        ("alpha", "missing"),
        ("beta", "in sync"),
    ]
    assert plan_of(repository)["changes"] == []
    made_again = plan_of(repository, "--recreate")
    assert [each["name"] for each in made_again["changes"]] == ["alpha"]


def test_what_no_file_declares_any_more_is_gone_and_left_alone_unasked(
    repository: Repository,
) -> None:
    repository.run("apply", "--yes")
    (repository.root / "manifests" / "beta.yaml").unlink()
    status = json.loads(repository.run("status", "--output", "json").out)
    assert [(each["name"], each["state"]) for each in status["rows"]] == [
        ("alpha", "in sync"),
        ("beta", "gone"),
    ]
    assert repository.run("apply", "--yes").code == 0
    assert repository.run("show", "beta").code == 0
    prune = ("apply", "--yes", "--prune", "--allow-dirty")
    stopped = repository.run(*prune)
    assert (stopped.code, "E530" in stopped.err) == (5, True)
    assert repository.run(*prune, "--allow-deletes", "1").code == 0
    assert repository.run("show", "beta").code == 1


def test_a_narrowed_plan_says_what_it_left_out(repository: Repository) -> None:
    narrowed = plan_of(repository, "--name", "al*")
    assert [each["name"] for each in narrowed["changes"]] == ["alpha"]
    assert "1 object of this repository left out" in narrowed["leftOut"][0]


def delete_on_the_server(repository: Repository, name: str) -> None:
    """Somebody deletes a manifest, past this repository."""
    import asyncio

    from envsync.api.runtime import RuntimeWriter
    from envsync.embedded import connect
    from envsync.operations.workspace import Workspace

    async def delete() -> None:
        workspace = Workspace.open(repository.root, None, connect, repository.environ)
        async with workspace.session() as session:
            view = await session.reader.get_manifest(name)
            assert view is not None
            await RuntimeWriter(session.reader).delete_manifest(name, view.version)

    asyncio.run(delete())
