"""pull writes what the server holds into the files, and nothing else."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from envsync.documents import writing
from envsync.errors import EnvsyncError, ExitCode, FileError, RefusedError
from envsync.operations import adopting, validating
from envsync.operations.pulled import Fate, PullReport
from tests.operations.conftest import CONFIG, Place

Make = Callable[..., Place]

SCHEMA = "$schema: ../schemas/environment-manifest.schema.json\n"
WEB = (
    SCHEMA
    + """\
# The storefront.
kind: virtual
resources: {cpus: 4, memory: 4GiB}   # vite needs it
network:
    allowedHosts:
    - z.example   # mirrors come first
    # the registry
    - a.example
setup:
  # first of all
  - command: |
      set -eu
      make deps
    timeout: 60s
  - command: make   # and then
"""
)
WEB_BODY: dict[str, Any] = {
    "kind": "virtual",
    "resources": {"cpus": 4, "memory": "4096MiB"},
    "network": {"allowedHosts": ["a.example", "z.example"]},
    "setup": [{"command": "set -eu\nmake deps\n", "timeout": "1m"}, {"command": "make"}],
}


def fates(report: PullReport) -> dict[str, str]:
    return {each.id.name: each.fate.value for each in report.objects}


def but(**changes: Any) -> Mapping[str, Mapping[str, Any]]:
    return {"web": {name: value for name, value in {**WEB_BODY, **changes}.items() if value != ()}}


# -- new files -----------------------------------------------------------------------------------


def test_an_empty_repository_takes_everything(make_place: Make) -> None:
    place = make_place()
    place.saves({"web": WEB_BODY, "bare": {}})
    report = place.pull()
    assert fates(report) == {"bare": "created", "web": "created"}
    assert (report.exit_code, report.problems) == (ExitCode.DONE, ())
    assert place.read("manifests/bare.yaml") == SCHEMA
    assert place.read("manifests/web.yaml") == SCHEMA + (
        "resources:\n  cpus: 4\n  memory: 4GiB\n"
        "network:\n  allowedHosts:\n    - a.example\n    - z.example\n"
        "setup:\n  - command: |\n      set -eu\n      make deps\n    timeout: 1m\n"
        "  - command: make\n"
    )
    assert place.plan().changes == ()
    assert validating.validate(place.workspace().project).errors == 0
    assert fates(place.pull(allow_dirty=True)) == {"bare": "unchanged", "web": "unchanged"}


def test_names_that_differ_by_case_get_two_files(make_place: Make) -> None:
    place = make_place()
    place.saves({"Web": {}, "web": {"kind": "none"}, "web-2": {}})
    place.pull()
    names = sorted(path.name for path in (place.root / "manifests").iterdir())
    assert names == ["Web.yaml", "web-2.yaml", "web-3.yaml"]
    assert place.read("manifests/web-3.yaml") == f"{SCHEMA}name: web\nkind: none\n"
    assert place.plan().changes == ()


@pytest.mark.parametrize(
    ("globs", "path", "schema"),
    [
        ('["boxes/**/*.yml"]', "boxes/web.yml", "../"),
        ('["*"]', "web.yaml", ""),
        ('["teams/*/x", "a/b/*"]', "a/b/web.yaml", "../../"),
    ],
)
def test_a_new_file_goes_where_it_will_be_read(
    make_place: Make, globs: str, path: str, schema: str
) -> None:
    place = make_place()
    config = CONFIG.format(database=place.database)
    place.write({"envsync.yaml": f"{config}files: {{manifests: {globs}}}\n"})
    place.saves({"web": {"kind": "none"}})
    place.pull()
    assert place.read(path).startswith(f"$schema: {schema}schemas/")
    assert place.plan().changes == ()


def test_no_place_for_a_file_is_told(make_place: Make, tmp_path: Path) -> None:
    place = make_place()
    config = CONFIG.format(database=place.database)
    place.write({"envsync.yaml": f'{config}files: {{manifests: ["teams/*/*"]}}\n'})
    place.saves({"web": {}})
    report = place.pull()
    assert (report.exit_code, report.objects[0].problems[0].code) == (ExitCode.ERROR, "E451")
    place.write({"envsync.yaml": config, "manifests/web.yaml/x": "a folder"})
    assert place.pull().objects[0].problems[0].code == "E451"
    (tmp_path / "outside").mkdir()
    place.write({"envsync.yaml": f'{config}files: {{manifests: ["away/*"]}}\n'})
    (place.root / "away").symlink_to(tmp_path / "outside")
    with pytest.raises(FileError) as caught:
        place.pull()
    assert caught.value.code == "E423"
    assert not any((tmp_path / "outside").iterdir())


# -- files that are there ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "diff"),
    [
        pytest.param({"resources": {"cpus": 4, "memory": "6144MiB"}},
                     "-resources: {cpus: 4, memory: 4GiB}   # vite needs it\n"
                     "+resources: {cpus: 4, memory: 6GiB}   # vite needs it\n", id="memory"),
        pytest.param({"network": {"allowedHosts": ["a.example", "b.example", "z.example"]}},
                     "+    - b.example\n", id="a host more"),
        pytest.param({"network": {"allowedHosts": ["z.example"]}}, "-    - a.example\n",
                     id="a host less"),
        pytest.param({"lifecycle": {"idle": "30m"}}, "+lifecycle:\n+    idle: 30m\n", id="new key"),
        pytest.param({"setup": [{"command": "first"}, *WEB_BODY["setup"]]},
                     "+  - command: first\n", id="a step more"),
        pytest.param({"setup": [WEB_BODY["setup"][0], {"command": "make -j"}]},
                     "-  - command: make   # and then\n+  - command: make -j   # and then\n",
                     id="a command"),
        pytest.param({"setup": [{"command": "set -eu\nmake all\n", "timeout": "1m"},
                                {"command": "make"}]},
                     "-      make deps\n+      make all\n", id="a line of a script"),
    ],
)  # fmt: skip
def test_only_what_differs_changes(make_place: Make, changes: dict[str, Any], diff: str) -> None:
    place = make_place({"manifests/web.yaml": WEB, "manifests/other.yaml": SCHEMA})
    place.apply()
    place.saves(but(**changes))
    report = place.pull()
    assert fates(report) == {"other": "unchanged", "web": "changed"}
    assert place.diff() == diff
    assert place.plan().changes == ()


def test_names_and_patterns_narrow_it(make_place: Make) -> None:
    place = make_place()
    place.saves({"web-a": {}, "web-b": {}, "data": {}})
    assert fates(place.pull("web-*", "data")) == {
        "data": "created", "web-a": "created", "web-b": "created"
    }  # fmt: skip
    with pytest.raises(EnvsyncError) as caught:
        place.pull("nobody", "data")
    assert caught.value.code == "E508"


def test_line_ends_byte_order_mark_and_mode_stay(make_place: Make) -> None:
    place = make_place()
    place.write({"manifests/web.yaml": "\ufeff" + WEB.replace("\n", "\r\n")})
    (place.root / "manifests/web.yaml").chmod(0o755)
    place.commit()
    place.apply()
    place.saves(but(lifecycle={"idle": "30m"}))
    place.pull()
    text = place.read("manifests/web.yaml")
    assert text == "\ufeff" + (WEB + "lifecycle:\n    idle: 30m\n").replace("\n", "\r\n")
    assert os.access(place.root / "manifests/web.yaml", os.X_OK)


def test_a_json_file_stays_json(make_place: Make) -> None:
    place = make_place({"manifests/web.json": '{\n  "kind": "virtual"\n}\n'})
    place.apply()
    place.saves({"web": {"lifecycle": {"idle": "5m"}}})
    place.pull()
    assert place.read("manifests/web.json") == (
        '{\n  "kind": "virtual",\n  "lifecycle": {\n    "idle": "5m"\n  }\n}\n'
    )
    assert place.plan().changes == ()


# -- overlays ------------------------------------------------------------------------------------


def test_what_an_overlay_says_is_changed_there(make_place: Make) -> None:
    place = make_place({
        "manifests/web.yaml": WEB,
        "overlays/local/manifests/web.yaml": "# here\nresources: {memory: 8GiB}  # more\n",
    })  # fmt: skip
    place.apply()
    place.saves(but(resources={"cpus": 8, "memory": "16384MiB"}))
    report = place.pull()
    assert [file.path for file in report.files] == [
        "manifests/web.yaml", "overlays/local/manifests/web.yaml"
    ]  # fmt: skip
    assert report.files[0].contexts == ("staging",)
    assert place.diff() == (
        "-resources: {cpus: 4, memory: 4GiB}   # vite needs it\n"
        "+resources: {cpus: 8, memory: 4GiB}   # vite needs it\n"
        "-resources: {memory: 8GiB}  # more\n+resources: {memory: 16GiB}  # more\n"
    )
    assert place.plan().changes == ()


def test_what_an_overlay_took_away_can_come_back(make_place: Make) -> None:
    place = make_place({
        "manifests/web.yaml": WEB,
        "overlays/local/manifests/web.yaml": "setup: null  # nothing to build\nkind: virtual\n",
    })  # fmt: skip
    place.apply()
    place.saves(but(setup=[{"command": "make"}]))
    place.pull()
    assert place.diff() == (
        "-setup: null  # nothing to build\n+setup:  # nothing to build\n+  - command: make\n"
    )
    assert place.plan().changes == ()


def test_no_other_context_may_become_invalid(make_place: Make) -> None:
    place = make_place({
        "manifests/web.yaml": SCHEMA + "kind: pod\n",
        "overlays/staging/manifests/web.yaml": "image: registry.example/x:1\n",
    })  # fmt: skip
    place.apply()
    place.saves({"web": {"kind": "virtual"}})
    report = place.pull()
    problem = report.objects[0].problems[0]
    assert problem.code == "E453"
    assert "context `staging`" in problem.message
    assert place.diff() == ""


# -- aliases -------------------------------------------------------------------------------------

SHARED = (
    SCHEMA
    + """\
network:
  allowedHosts: &hosts [a.example, b.example]
secrets:
  TOKEN:
    type: environment_secret
    allowedHosts: *hosts
"""
)


def test_an_alias_stays_where_both_change_alike(make_place: Make) -> None:
    place = make_place({"manifests/web.yaml": SHARED})
    place.apply()
    hosts = ["a.example", "c.example"]
    slot = {"type": "environment_secret", "allowedHosts": hosts}
    place.saves({"web": {"network": {"allowedHosts": hosts}, "secrets": {"TOKEN": slot}}})
    place.pull()
    assert place.diff() == (
        "-  allowedHosts: &hosts [a.example, b.example]\n"
        "+  allowedHosts: &hosts [a.example, c.example]\n"
    )
    assert place.plan().changes == ()


def test_what_would_change_an_alias_is_refused_and_the_others_are_pulled(make_place: Make) -> None:
    place = make_place({"manifests/web.yaml": SHARED})
    place.apply()
    slot = {"type": "environment_secret", "allowedHosts": ["a.example", "b.example"]}
    place.saves({
        "web": {"network": {"allowedHosts": ["a.example", "b.example", "c.example"]},
                "secrets": {"TOKEN": slot}},
        "data": {},
    })  # fmt: skip
    report = place.pull()
    assert fates(report) == {"data": "created", "web": "refused"}
    assert report.exit_code == ExitCode.PARTIAL
    problem = report.objects[1].problems[0]
    assert problem.code == "E122"
    assert problem.message == (
        "`secrets.TOKEN.allowedHosts` cannot be edited in place: an alias stands there, and would "
        "change with its anchor"
    )
    assert place.diff() == ""


# -- what is left alone --------------------------------------------------------------------------


def test_what_is_not_owned_is_neither_pulled_nor_named(make_place: Make) -> None:
    place = make_place()
    config = CONFIG.format(database=place.database)
    place.write({"envsync.yaml": config + 'owns: {manifests: ["web-*"]}\n'})
    place.saves({"web-a": {}, "data": {}})
    assert fates(place.pull()) == {"web-a": "created"}
    with pytest.raises(RefusedError) as caught:
        place.pull("data")
    assert caught.value.code == "E454"


def test_fields_left_to_others_stay_out_of_the_files(make_place: Make) -> None:
    place = make_place({"manifests/web.yaml": SCHEMA + "lifecycle: {idle: 5m}\n"})
    config = CONFIG.format(database=place.database)
    rule = "ignore: [{type: manifest, path: /lifecycle/idle}]\n"
    place.write({"envsync.yaml": config + rule})
    place.commit()
    place.apply()
    place.saves({
        "web": {"lifecycle": {"idle": "9h"}, "kind": "none"}, "new": {"lifecycle": {"idle": "9h"}}
    })  # fmt: skip
    place.pull()
    assert place.diff() == "+kind: none\n"
    assert place.read("manifests/new.yaml") == SCHEMA
    assert place.plan().changes == ()


def test_what_breaks_a_policy_is_refused(make_place: Make) -> None:
    policy = (
        '{"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "a time to die",'
        '"x-type": "manifest", "properties": {"lifecycle": {"required": ["deleteAfter"]}}}'
    )
    place = make_place({"policies/life.schema.json": policy})
    place.saves({"web": {}, "good": {"lifecycle": {"deleteAfter": "1d"}}})
    report = place.pull()
    assert fates(report) == {"good": "created", "web": "refused"}
    assert report.objects[1].problems[0].code == "E453"
    assert not (place.root / "manifests/web.yaml").exists()


def test_a_file_with_an_error_stops_it(make_place: Make) -> None:
    place = make_place({"manifests/web.yaml": "kind: no\n"})
    with pytest.raises(FileError):
        place.pull()


# -- nothing is lost -----------------------------------------------------------------------------


def test_uncommitted_edits_are_not_overwritten_unasked(make_place: Make) -> None:
    place = make_place({"manifests/web.yaml": WEB})
    place.apply()
    place.saves(but(lifecycle={"idle": "30m"}))
    place.write({"manifests/web.yaml": WEB + "# mine\n"})
    with pytest.raises(RefusedError) as caught:
        place.pull()
    assert (caught.value.code, caught.value.exit_code) == ("E450", ExitCode.REFUSED)
    report = place.pull(dry_run=True)
    assert [problem.code for problem in report.problems] == ["W458"]
    assert place.diff() == "+# mine\n"
    place.pull(allow_dirty=True)
    assert place.read("manifests/web.yaml") == WEB + "lifecycle:\n    idle: 30m\n# mine\n"


def test_edits_elsewhere_are_in_nobody_s_way(make_place: Make) -> None:
    place = make_place({"manifests/web.yaml": WEB, "manifests/other.yaml": SCHEMA})
    place.apply()
    place.saves(but(lifecycle={"idle": "1h"}))
    place.write({"manifests/other.yaml": SCHEMA + "# mine\n"})
    assert fates(place.pull("web")) == {"web": "changed"}


def test_a_dry_run_writes_nothing(make_place: Make) -> None:
    place = make_place({"manifests/web.yaml": WEB})
    place.apply()
    place.saves({**but(lifecycle={"idle": "1h"}), "new": {}})
    report = place.pull(dry_run=True)
    assert fates(report) == {"new": "created", "web": "changed"}
    assert place.git("status", "--porcelain") == ""


def test_a_file_saved_in_the_middle_stops_all(
    make_place: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = make_place({"manifests/web.yaml": WEB})
    place.apply()
    place.saves({**but(lifecycle={"idle": "1h"}), "new": {}})

    def judge(*_: object) -> None:
        place.write({"manifests/web.yaml": WEB + "# just now\n"})

    monkeypatch.setattr("envsync.operations.restating.Restater._judge_elsewhere", judge)
    with pytest.raises(RefusedError) as caught:
        place.pull()
    assert caught.value.code == "E455"
    assert place.read("manifests/web.yaml") == WEB + "# just now\n"
    assert not (place.root / "manifests/new.yaml").exists()


@pytest.mark.parametrize("step", range(4))
def test_cut_off_anywhere_files_are_whole_and_the_next_pull_ends_it(
    make_place: Make, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    class Cut(BaseException):
        pass

    place = make_place()
    place.saves({f"box-{number}": {"kind": "none"} for number in range(4)})
    left = iter(range(step))
    real = writing._take_name

    def cut(temporary: Path, target: Path) -> None:
        if next(left, None) is None:
            raise Cut
        real(temporary, target)

    monkeypatch.setattr(writing, "_take_name", cut)
    with pytest.raises(Cut):
        place.pull()
    monkeypatch.undo()
    files = list((place.root / "manifests").iterdir())
    assert len(files) == step
    assert all(file.read_text() == SCHEMA + "kind: none\n" for file in files)
    assert list(fates(place.pull()).values()).count("created") == 4 - step
    assert place.plan().changes == ()


# -- pruning -------------------------------------------------------------------------------------


def test_files_go_only_when_asked_and_only_of_what_was_there(make_place: Make) -> None:
    place = make_place({
        "manifests/web.yaml": WEB,
        "overlays/staging/manifests/web.yaml": "kind: none\n",
        "manifests/other.yaml": SCHEMA,
    })  # fmt: skip
    place.apply()
    place.write({"manifests/new.yaml": SCHEMA})
    place.commit()
    place.deletes("web")
    assert fates(place.pull()) == {"other": "unchanged"}
    report = place.pull(prune_files=True, dry_run=True)
    assert fates(report) == {"other": "unchanged", "web": "removed"}
    assert [problem.code for problem in report.problems] == ["W459"]
    assert place.git("status", "--porcelain") == ""
    with pytest.raises(EnvsyncError):
        place.pull("web")
    assert fates(place.pull("web", prune_files=True)) == {"web": "removed"}
    assert sorted(path.name for path in place.root.rglob("*.yaml")) == [
        "envsync.yaml", "new.yaml", "other.yaml"
    ]  # fmt: skip


def test_a_file_with_edits_is_not_removed(make_place: Make) -> None:
    place = make_place({"manifests/web.yaml": WEB})
    place.apply()
    place.deletes("web")
    place.write({"manifests/web.yaml": WEB + "# mine\n"})
    with pytest.raises(RefusedError):
        place.pull(prune_files=True)
    assert place.read("manifests/web.yaml") == WEB + "# mine\n"


def test_what_was_pulled_and_is_deleted_there_is_missing_and_not_new(make_place: Make) -> None:
    place = make_place()
    place.saves({"web": {}})
    place.pull()
    place.commit()
    place.pull()
    place.deletes("web")
    assert [each.state.value for each in place.plan().held] == ["missing"]
    assert fates(place.pull(prune_files=True)) == {"web": "removed"}


# -- drift ---------------------------------------------------------------------------------------


def test_whoever_discards_what_was_pulled_has_drift_again(make_place: Make) -> None:
    place = make_place({"manifests/web.yaml": WEB})
    place.apply()
    place.saves(but(lifecycle={"idle": "1h"}))
    place.pull()
    place.pull()
    place.git("checkout", "-q", ".")
    (change,) = place.plan().changes
    assert (change.state.value, change.held_back) == ("drift", "drift")


def test_drift_of_a_plan_is_adopted_and_nothing_else(make_place: Make) -> None:
    place = make_place({"manifests/web.yaml": WEB, "manifests/other.yaml": SCHEMA})
    place.apply()
    place.saves(but(lifecycle={"idle": "1h"}))
    place.write({"manifests/other.yaml": SCHEMA + "kind: none\n"})
    place.commit()
    report = asyncio.run(adopting.adopt(place.workspace(), place.plan()))
    assert report is not None
    assert fates(report) == {"web": "changed"}
    place.commit()
    assert [change.id.name for change in place.plan().changes] == ["other"]
    assert asyncio.run(adopting.adopt(place.workspace(), place.plan())) is None


# -- rollback ------------------------------------------------------------------------------------


def test_an_older_version_comes_back_and_the_next_plan_rolls_forward(make_place: Make) -> None:
    place = make_place({"manifests/web.yaml": WEB})
    place.apply()
    place.saves(but(lifecycle={"idle": "1h"}))
    place.pull()
    place.commit()
    report = place.rollback("web@1")
    assert fates(report) == {"web": "changed"}
    assert report.objects[0].version == 1
    assert place.read("manifests/web.yaml") == WEB
    (change,) = place.plan().changes
    assert (change.op.value, change.base and change.base.version) == ("update", 2)
    place.commit()
    place.apply()
    assert place.plan().changes == ()
    assert fates(place.rollback("web@3")) == {"web": "unchanged"}


def test_a_manifest_without_a_file_can_be_rolled_back_too(make_place: Make) -> None:
    place = make_place()
    place.saves({"web": {"kind": "none"}})
    place.saves({"web": {}})
    place.rollback("web@1")
    assert place.read("manifests/web.yaml") == SCHEMA + "kind: none\n"


@pytest.mark.parametrize(
    ("reference", "code"),
    [("web", "E906"), ("web@1..2", "E906"), ("web@9", "E508"), ("nobody@1", "E508")],
)
def test_a_version_that_is_none(make_place: Make, reference: str, code: str) -> None:
    place = make_place({"manifests/web.yaml": WEB})
    place.apply()
    with pytest.raises(EnvsyncError) as caught:
        place.rollback(reference)
    assert caught.value.code == code


def test_fates_are_counted(make_place: Make) -> None:
    place = make_place()
    place.saves({"web": {}})
    assert place.pull().counts == {Fate.CREATED: 1}
