"""Every state, built from real commits and from saves that somebody made on the server."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from envsync.applying.outcome import Result
from envsync.contract.states import State
from envsync.errors import ExitCode
from envsync.operations import applying, planning
from envsync.operations.applying import ApplyOptions
from envsync.operations.planning import PlanOptions
from envsync.operations.reports import ApplyReport
from envsync.planning.plan import Change, Op, Plan
from envsync.project.hints import hints_path
from tests.operations.conftest import CONFIG, Place

Make = Callable[..., Place]
BOX = "manifests/box.yaml"


def yaml(cpus: int) -> str:
    return f"kind: virtual\nresources: {{cpus: {cpus}}}\n"


def body(cpus: int) -> dict[str, Any]:
    return {"kind": "virtual", "resources": {"cpus": cpus}}


def states(plan: Plan) -> dict[str, str]:
    found = {each.id.name: each.state.value for each in plan.changes}
    return found | {each.id.name: each.state.value for each in plan.held}


def plan(place: Place, **options: Any) -> Plan:
    return asyncio.run(planning.plan(place.workspace(), PlanOptions(**options))).plan


def only(plan: Plan) -> Change:
    (change,) = plan.changes
    return change


def carry_out(place: Place, made: Plan, **options: Any) -> ApplyReport:
    return asyncio.run(applying.apply(place.workspace(), made, ApplyOptions(**options)))


def forget(place: Place) -> None:
    """As another clone sees it, which applied nothing itself."""
    hints_path(place.workspace().project).unlink(missing_ok=True)


@pytest.fixture
def place(make_place: Make) -> Place:
    return make_place()


def said(place: Place, cpus: int) -> str:
    """Commits a content of the box, and tells the commit."""
    place.write({BOX: yaml(cpus)})
    place.commit()
    return place.git("rev-parse", "HEAD").strip()


# -- ahead ---------------------------------------------------------------------------------------


def test_what_an_earlier_commit_said_is_behind_and_is_moved_forward(place: Place) -> None:
    said(place, 1)
    place.apply()
    said(place, 2)
    forget(place)
    change = only(plan(place))
    assert (change.state, change.held_back, change.three_way) == (State.AHEAD, "", None)
    place.apply()
    assert states(plan(place)) == {"box": "in sync"}


def test_uncommitted_edits_upon_what_was_applied_are_ahead(place: Place) -> None:
    said(place, 1)
    place.apply()
    place.write({BOX: yaml(2)})
    forget(place)
    assert only(plan(place)).state is State.AHEAD


def test_what_this_clone_applied_without_a_commit_is_ahead(place: Place) -> None:
    said(place, 1)
    for cpus in (2, 3, 4):
        place.write({BOX: yaml(cpus)})
        assert states(plan(place)) == {"box": "ahead" if cpus > 2 else "new"}
        place.apply()


def test_what_another_branch_or_a_remote_said_counts(place: Place) -> None:
    said(place, 1)
    place.git("checkout", "-qb", "topic")
    said(place, 7)
    place.git("update-ref", "refs/remotes/origin/topic", "topic")
    place.git("checkout", "-q", "main")
    place.git("branch", "-qD", "topic")
    place.saves({"box": body(7)})
    assert only(plan(place)).state is State.AHEAD


def test_what_a_merge_says_on_its_own_counts(place: Place) -> None:
    said(place, 1)
    place.git("checkout", "-qb", "topic")
    said(place, 2)
    place.git("checkout", "-q", "main")
    said(place, 3)
    place.git("merge", "-q", "-s", "ours", "--no-commit", "topic")
    said(place, 4)
    place.saves({"box": body(4)})
    said(place, 5)
    assert only(plan(place)).state is State.AHEAD


def test_a_revert_that_was_applied_is_no_drift(place: Place) -> None:
    for cpus in (1, 2, 1):
        said(place, cpus)
        place.apply()
    said(place, 3)
    forget(place)
    assert only(plan(place)).state is State.AHEAD
    # and again, with what was reverted said once more and not applied yet
    said(place, 2)
    said(place, 4)
    assert only(plan(place)).state is State.AHEAD


def test_an_overlay_is_part_of_what_was_said(make_place: Make) -> None:
    place = make_place({BOX: yaml(1), "overlays/local/" + BOX: "resources: {cpus: 5}\n"})
    place.apply()
    place.write({"overlays/local/" + BOX: "resources: {cpus: 6}\n"})
    place.commit()
    place.write({BOX: "kind: virtual\nharness: nylorun\nresources: {cpus: 9}\n"})
    place.git("rm", "-q", "overlays/local/" + BOX)
    place.commit()
    forget(place)
    assert only(plan(place)).state is State.AHEAD
    place.saves({"box": body(1)})
    assert only(plan(place)).state is State.DRIFT


def test_a_file_that_changed_its_ending_or_was_broken_for_a_while_is_followed(
    place: Place,
) -> None:
    said(place, 1)
    place.apply()
    place.write({BOX: "kind: [\n"})
    place.commit()
    place.git("rm", "-q", BOX)
    place.write({"manifests/box.json": '{"kind": "virtual", "resources": {"cpus": 2}}\n'})
    place.commit()
    forget(place)
    assert only(plan(place)).state is State.AHEAD


def test_many_objects_at_once_are_told_apart(make_place: Make) -> None:
    names = [f"box-{number:02}" for number in range(20)]
    place = make_place({f"manifests/{name}.yaml": yaml(1) for name in names})
    place.apply()
    place.write({f"manifests/{name}.yaml": yaml(2) for name in names})
    place.commit()
    place.saves({name: body(9) for name in names[:5]})
    forget(place)
    found = states(plan(place))
    assert [found[name] for name in names] == ["drift"] * 5 + ["ahead"] * 15


def test_files_may_lie_in_many_folders(make_place: Make) -> None:
    place = make_place({"teams/red/manifests/box.yaml": yaml(1)})
    globs = "files: {manifests: ['teams/*/manifests/*']}\n"
    place.write({"envsync.yaml": CONFIG.format(database=place.database) + globs})
    place.commit()
    place.apply()
    place.git("rm", "-q", "teams/red/manifests/box.yaml")
    place.write({"teams/blue/manifests/box.yaml": yaml(2)})
    place.commit()
    forget(place)
    assert only(plan(place)).state is State.AHEAD


def test_a_name_inside_the_file_is_followed_through_its_path(make_place: Make) -> None:
    place = make_place({"manifests/other.yaml": "name: box\n" + yaml(1)})
    place.apply()
    place.write({"manifests/other.yaml": "name: box\n" + yaml(2)})
    place.commit()
    forget(place)
    assert only(plan(place)).state is State.AHEAD
    place.write({"manifests/box.yaml": yaml(3), "manifests/other.yaml": yaml(1)})
    place.commit()
    assert states(plan(place))["box"] == "drift"


# -- drift ---------------------------------------------------------------------------------------


def test_what_was_never_said_is_drift_with_three_sides(place: Place) -> None:
    first = said(place, 1)
    place.apply()
    place.saves({"box": body(9)})
    said(place, 2)
    change = only(plan(place))
    assert (change.op, change.state, change.held_back) == (Op.UPDATE, State.DRIFT, "drift")
    assert change.three_way is not None
    assert (change.three_way.version, change.three_way.commit) == (1, first)
    assert change.three_way.canonical["resources"]["cpus"] == 1
    assert change.canonical["resources"]["cpus"] == 2
    assert change.base_canonical["resources"]["cpus"] == 9
    assert change.saved_by.startswith("local:")
    report = carry_out(place, plan(place))
    assert report.exit_code is ExitCode.REFUSED
    assert [(each.result, each.problem.code) for each in report.outcomes] == [
        (Result.CONFLICT, "E527")
    ]
    assert states(plan(place)) == {"box": "drift"}


def test_drift_of_one_object_stops_no_other(place: Place) -> None:
    said(place, 1)
    place.apply()
    place.saves({"box": body(9)})
    place.write({"manifests/new.yaml": yaml(1)})
    report = carry_out(place, plan(place))
    assert report.exit_code is ExitCode.PARTIAL
    assert {each.id.name: each.result for each in report.outcomes} == {
        "box": Result.CONFLICT,
        "new": Result.APPLIED,
    }


def test_drift_is_overwritten_when_that_was_said(place: Place) -> None:
    said(place, 1)
    place.apply()
    place.saves({"box": body(9)})
    made = plan(place, on_drift="overwrite")
    assert (only(made).state, only(made).held_back) == (State.DRIFT, "")
    assert carry_out(place, made).exit_code is ExitCode.DONE
    assert states(plan(place)) == {"box": "in sync"}


def test_a_saved_plan_keeps_what_was_decided_when_it_was_made(place: Place) -> None:
    said(place, 1)
    place.apply()
    place.saves({"box": body(9)})
    made = plan(place)
    config = CONFIG.format(database=place.database) + "policy: {on_drift: overwrite}\n"
    place.write({"envsync.yaml": config})
    assert carry_out(place, made, saved=True).exit_code is ExitCode.REFUSED
    assert only(plan(place)).held_back == ""


def test_an_older_content_put_back_on_purpose_is_drift(place: Place) -> None:
    first = said(place, 1)
    place.apply()
    second = said(place, 2)
    place.apply()
    place.saves({"box": body(1)})
    said(place, 3)
    for _ in range(2):
        change = only(plan(place))
        assert (change.state, change.held_back) == (State.DRIFT, "drift")
        assert change.three_way is not None
        assert (change.three_way.version, change.three_way.commit) == (2, second)
        assert change.three_way.put_back == first
        forget(place)


def test_an_older_content_put_back_over_what_is_checked_out_is_drift(place: Place) -> None:
    said(place, 1)
    place.apply()
    said(place, 2)
    place.apply()
    place.saves({"box": body(1)})
    assert only(plan(place)).state is State.DRIFT
    forget(place)
    assert only(plan(place)).state is State.DRIFT


def test_an_older_content_put_back_over_what_was_never_committed_is_drift(place: Place) -> None:
    said(place, 1)
    place.apply()
    place.write({BOX: yaml(2)})
    place.apply()
    place.saves({"box": body(1)})
    assert only(plan(place)).state is State.DRIFT
    place.write({BOX: yaml(3)})
    assert only(plan(place)).state is State.DRIFT


def test_an_older_content_made_again_after_a_delete_is_drift(place: Place) -> None:
    for cpus in (1, 2):
        said(place, cpus)
        place.apply()
    place.deletes("box")
    place.saves({"box": body(1)})
    said(place, 3)
    assert only(plan(place)).state is State.DRIFT


def test_an_object_that_somebody_else_made_under_our_name_is_drift(place: Place) -> None:
    place.saves({"box": body(9)})
    said(place, 1)
    change = only(plan(place))
    assert change.state is State.DRIFT
    assert (change.three_way.version, change.three_way.commit) == (0, "")


def test_fields_that_are_left_to_others_are_no_drift(make_place: Make) -> None:
    place = make_place({BOX: yaml(1)})
    rule = "ignore: [{type: manifest, path: /lifecycle/idle}]\n"
    place.write({"envsync.yaml": CONFIG.format(database=place.database) + rule})
    place.commit()
    place.apply()
    place.saves({"box": {**body(1), "lifecycle": {"idle": "3h"}}})
    assert states(plan(place)) == {"box": "in sync"}
    said(place, 2)
    assert only(plan(place)).state is State.AHEAD
    forget(place)
    assert only(plan(place)).state is State.AHEAD
    place.saves({"box": {**body(8), "lifecycle": {"idle": "3h"}}})
    assert only(plan(place)).state is State.DRIFT


# -- missing and new -----------------------------------------------------------------------------


def test_what_was_deleted_on_the_server_is_missing_in_every_clone(place: Place) -> None:
    said(place, 1)
    place.apply()
    said(place, 2)
    place.deletes("box")
    assert states(plan(place)) == {"box": "missing"}
    forget(place)
    assert states(plan(place)) == {"box": "missing"}
    again = only(plan(place, recreate=True))
    assert (again.op, again.state) == (Op.CREATE, State.MISSING)


def test_a_file_that_came_back_is_new_again(place: Place) -> None:
    said(place, 1)
    place.apply()
    place.git("rm", "-q", BOX)
    place.commit()
    place.deletes("box")
    said(place, 2)
    forget(place)
    assert only(plan(place)).state is State.NEW


def test_a_name_that_others_had_before_is_new(place: Place) -> None:
    place.saves({"box": body(9)})
    place.deletes("box")
    said(place, 1)
    assert only(plan(place)).state is State.NEW


# -- gone and foreign ----------------------------------------------------------------------------


def test_what_was_declared_once_is_gone_and_what_never_was_is_foreign(place: Place) -> None:
    said(place, 1)
    place.apply()
    place.saves({"theirs": body(1)})
    place.git("rm", "-q", BOX)
    for _ in range(2):
        assert states(plan(place)) == {"box": "gone", "theirs": "foreign"}
        place.commit()
        forget(place)
    assert plan(place).changes == ()


def test_a_stranger_that_is_declared_later_and_removed_again_is_gone(place: Place) -> None:
    place.saves({"box": body(1)})
    said(place, 1)
    place.git("rm", "-q", BOX)
    place.write({"manifests/other.yaml": yaml(1)})
    place.commit()
    assert states(plan(place)) == {"box": "gone", "other": "new"}


def test_strangers_are_remembered_until_a_commit_declares_them(place: Place) -> None:
    place.saves({"box": body(1)})
    assert states(plan(place)) == {"box": "foreign"}
    assert states(plan(place)) == {"box": "foreign"}
    said(place, 1)
    place.git("rm", "-q", BOX)
    place.commit()
    assert states(plan(place)) == {"box": "gone"}
    # a history that was written anew is read anew
    place.git("checkout", "-q", "--orphan", "fresh")
    place.git("commit", "-qm", "fresh", "--allow-empty")
    place.git("branch", "-qD", "main")
    assert states(plan(place)) == {"box": "foreign"}


def test_pruning_deletes_what_is_gone_and_nothing_else(place: Place) -> None:
    said(place, 1)
    place.write({f"manifests/other-{number}.yaml": yaml(1) for number in range(4)})
    place.commit()
    place.apply()
    place.saves({"theirs": body(1)})
    place.git("rm", "-q", BOX)
    place.commit()
    assert plan(place).changes == ()
    made = plan(place, prune=True)
    assert (only(made).op, only(made).state, only(made).id.name) == (Op.DELETE, State.GONE, "box")
    assert carry_out(place, made).exit_code is ExitCode.DONE
    assert "box" not in states(plan(place))
    assert states(plan(place))["theirs"] == "foreign"


def test_the_policy_can_ask_for_pruning_and_a_narrow_plan_never_deletes(place: Place) -> None:
    said(place, 1)
    place.apply()
    place.git("rm", "-q", BOX)
    config = CONFIG.format(database=place.database)
    place.write({"envsync.yaml": config + "policy: {prune: true}\n"})
    place.commit()
    assert only(plan(place)).op is Op.DELETE
    narrow = planning.Selection(names=("box",))
    assert plan(place, selection=narrow).changes == ()
    place.write({"envsync.yaml": config + "owns: {manifests: ['web-*']}\n"})
    assert plan(place, prune=True).changes == ()


def test_what_somebody_saved_since_is_not_pruned(place: Place) -> None:
    said(place, 1)
    place.apply()
    place.saves({"box": body(9)})
    place.git("rm", "-q", BOX)
    place.commit()
    made = plan(place, prune=True)
    assert (only(made).state, only(made).held_back) == (State.GONE, "drift")
    assert carry_out(place, made).exit_code is ExitCode.REFUSED
    assert states(plan(place)) == {"box": "gone"}
    overwritten = plan(place, prune=True, on_drift="overwrite")
    assert only(overwritten).held_back == ""


def test_what_only_another_branch_declares_is_not_pruned(place: Place) -> None:
    place.git("checkout", "-qb", "topic")
    said(place, 1)
    place.apply()
    forget(place)
    place.git("checkout", "-q", "main")
    made = plan(place, prune=True)
    assert (states(made), made.changes) == ({"box": "gone"}, ())
    assert "another branch" in " ".join(made.left_out)


# -- where history is short, or not there at all -------------------------------------------------


def second(place: Place, folder: Path, *options: str) -> Place:
    """Another clone of the same repository, on the same server."""
    subprocess.run(
        ["git", "clone", "-q", *options, place.root.as_uri(), str(folder)],
        check=True,
        capture_output=True,
    )
    return Place(folder, place.database)


def test_a_shallow_clone_does_not_guess(place: Place, tmp_path: Path) -> None:
    said(place, 1)
    place.apply()
    said(place, 2)
    said(place, 3)
    shallow = second(place, tmp_path / "shallow", "--depth", "1")
    place.saves({"theirs": body(1)})
    made = plan(shallow)
    assert states(made) == {"box": "unknown", "theirs": "unknown"}
    change = only(made)
    assert change.held_back == "unknown"
    assert "git fetch --unshallow" in change.foreseen.warnings[0].message
    report = carry_out(shallow, made)
    assert (report.exit_code, report.outcomes[0].problem.code) == (ExitCode.REFUSED, "E528")
    assert "--unshallow" in report.outcomes[0].problem.remedy
    shallow.git("fetch", "-q", "--unshallow")
    assert states(plan(shallow)) == {"box": "ahead", "theirs": "foreign"}


def test_a_shallow_clone_knows_what_its_commits_say(place: Place, tmp_path: Path) -> None:
    said(place, 1)
    said(place, 2)
    place.apply()
    said(place, 3)
    shallow = second(place, tmp_path / "shallow", "--depth", "2")
    assert only(plan(shallow)).state is State.AHEAD


def test_a_shallow_clone_makes_nothing_again_and_deletes_nothing(
    place: Place, tmp_path: Path
) -> None:
    said(place, 1)
    place.apply()
    place.deletes("box")
    place.write({"README.md": "x\n"})
    place.commit()
    place.saves({"theirs": body(1)})
    shallow = second(place, tmp_path / "shallow", "--depth", "1")
    made = plan(shallow, prune=True)
    assert (only(made).op, only(made).held_back) == (Op.CREATE, "unknown")
    assert any("--unshallow" in sentence for sentence in made.left_out)


def test_a_partial_clone_fetches_what_it_must_read(place: Place, tmp_path: Path) -> None:
    place.git("config", "uploadpack.allowFilter", "true")
    said(place, 1)
    place.apply()
    for cpus in (2, 3, 4):
        said(place, cpus)
    partial = second(place, tmp_path / "partial", "--filter=blob:none")
    away = tmp_path / "away"
    shutil.move(place.root, away)
    lost = plan(partial)
    assert states(lost) == {"box": "unknown"}
    assert "fetch" in only(lost).foreseen.warnings[0].message
    shutil.move(away, place.root)
    assert only(plan(partial)).state is State.AHEAD


def test_a_worktree_and_a_submodule_have_the_history_they_are_part_of(
    place: Place, tmp_path: Path
) -> None:
    said(place, 1)
    place.apply()
    place.git("worktree", "add", "-q", str(tmp_path / "tree"), "-b", "topic")
    tree = Place(tmp_path / "tree", place.database)
    said(tree, 2)
    forget(place)
    assert only(plan(tree)).state is State.AHEAD
    outer = tmp_path / "outer"
    outer.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=outer, check=True)
    subprocess.run(
        ["git", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add",
         place.root.as_uri(), "inner"],
        cwd=outer, check=True, capture_output=True,
    )  # fmt: skip
    inner = Place(outer / "inner", place.database)
    said(inner, 3)
    assert only(plan(inner)).state is State.AHEAD


def test_without_commits_without_git_and_without_its_program_a_difference_is_all_there_is(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said(place, 1)
    place.apply()
    place.saves({"theirs": body(1), "box": body(9)})
    expected = {"box": "differs", "theirs": "foreign"}
    bare = Place(tmp_path / "bare", place.database)
    shutil.copytree(place.root, bare.root, ignore=shutil.ignore_patterns(".git"))
    assert states(plan(bare)) == expected
    bare.git("init", "-q")
    assert states(plan(bare)) == expected
    monkeypatch.setenv("PATH", "")
    assert states(plan(place)) == expected


# -- moves ---------------------------------------------------------------------------------------

MOVED = "moved: [{type: manifest, from: box, to: crate}]\n"


@pytest.fixture
def moving(place: Place) -> Place:
    """The box, applied, and renamed in the files since."""
    said(place, 1)
    place.write({f"manifests/other-{number}.yaml": yaml(1) for number in range(4)})
    place.commit()
    place.apply()
    place.git("mv", BOX, "manifests/crate.yaml")
    place.write({"envsync.yaml": CONFIG.format(database=place.database) + MOVED})
    return place


def test_a_move_makes_the_new_name_and_deletes_the_old_one_that_nothing_uses(
    moving: Place,
) -> None:
    for _ in range(2):
        made = plan(moving)
        create, delete = made.changes
        assert (create.op, create.id.name, create.moved_from) == (Op.CREATE, "crate", "box")
        assert (delete.op, delete.id.name, delete.state) == (Op.DELETE, "box", State.GONE)
        forget(moving)
        moving.commit()
    assert carry_out(moving, plan(moving)).exit_code is ExitCode.DONE
    assert set(states(plan(moving)).values()) == {"in sync"}


def test_history_follows_a_move(moving: Place) -> None:
    carry_out(moving, plan(moving))
    moving.write({"manifests/crate.yaml": yaml(2)})
    moving.commit()
    forget(moving)
    assert only(plan(moving)).state is State.AHEAD
    moving.saves({"crate": body(9)})
    assert only(plan(moving)).state is State.DRIFT


def test_a_move_keeps_what_somebody_saved_under_the_old_name(moving: Place) -> None:
    moving.saves({"box": body(9)})
    create, delete = plan(moving).changes
    assert (create.held_back, delete.held_back) == ("", "drift")


def test_a_move_without_its_new_name_deletes_nothing(moving: Place) -> None:
    (moving.root / "manifests/crate.yaml").unlink()
    assert plan(moving, prune=True).changes == ()
    assert states(plan(moving))["box"] == "gone"


def test_a_move_that_is_narrowed_to_its_new_name_deletes_nothing(moving: Place) -> None:
    made = plan(moving, selection=planning.Selection(names=("crate",)))
    assert (only(made).op, only(made).moved_from) == (Op.CREATE, "box")
