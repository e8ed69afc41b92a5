"""A plan against a Git revision: for a pull request from a fork, without a server or a key."""

from __future__ import annotations

import json

from tests.e2e.conftest import Repository


def test_it_shows_what_the_files_change_and_asks_no_server(sample: Repository) -> None:
    sample.edit("manifests/gateway.yaml", "1536MiB", "3072MiB")
    (sample.root / "manifests" / "web-e2e.yaml").unlink()
    sample.write("manifests/added.yaml", "kind: none\nlifecycle: {deleteAfter: 7d}\n")
    done = sample.run("plan", "--offline", "HEAD", "--context", "production", NYLORUN_SERVER_KEY="")
    assert done.code == 0, done.err
    assert "+ manifest added" in done.out
    assert "~ manifest gateway" in done.out
    assert "no longer declared here; a server keeps what it has" in done.out
    assert "Told from the files since HEAD; no server was asked." in done.out


def test_without_a_change_it_says_so(sample: Repository) -> None:
    done = sample.run("plan", "--offline", "main", "--detailed-exitcode")
    assert done.code == 0
    assert "match what the files said at main" in done.out


def test_it_cannot_be_applied(sample: Repository) -> None:
    sample.write("manifests/added.yaml", "kind: none\nlifecycle: {deleteAfter: 7d}\n")
    assert sample.run("plan", "--offline", "HEAD", "-o", "plan.json").code == 0
    refused = sample.run("apply", "plan.json", "--yes")
    assert refused.code == 4
    assert "made against git:HEAD" in refused.err


def test_a_revision_that_git_does_not_know_is_a_usage_error(sample: Repository) -> None:
    done = sample.run("plan", "--offline", "origin/nowhere", "--output", "json")
    assert done.code == 64
    (problem,) = json.loads(done.out)["problems"]
    assert problem["code"] == "E442"


def test_a_file_that_was_wrong_before_counts_as_absent_then(sample: Repository) -> None:
    sample.write("manifests/late.yaml", "kind: [\n")
    sample.commit("A broken one")
    sample.write("manifests/late.yaml", "kind: none\nlifecycle: {deleteAfter: 7d}\n")
    done = sample.run("plan", "--offline", "HEAD")
    assert done.code == 0, done.err
    assert "+ manifest late" in done.out
    assert "warning[W443]" in done.err
