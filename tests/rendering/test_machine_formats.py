"""What programs read: JSON, SARIF, workflow commands."""

from __future__ import annotations

import json

from envsync.errors import Position, Problem, Severity
from envsync.rendering.escape import visible_json
from envsync.rendering.json_output import json_text, problem_json
from envsync.rendering.sarif import sarif_text
from envsync.rendering.workflow_commands import workflow_commands
from tests.conftest import Snapshot
from tests.rendering.samples import HOSTILE

PROBLEMS = (
    Problem(
        "E901",
        "two\nlines, 50%",
        position=Position("manifests/a b,c:d.yaml", 3, 5, 3, 9),
        label="here",
        remedy="do\nthis",
        related=((Position("manifests/e.yaml", 1, 2), "the first one"),),
    ),
    Problem("W310", "a pipe", Severity.WARNING, Position("manifests/e.yaml", 7, 1, 9, 2)),
    Problem("E902", "nowhere", subject="manifest x"),
)


def test_workflow_commands(snapshot: Snapshot) -> None:
    snapshot("workflow-commands", workflow_commands(PROBLEMS))


def test_no_problem_text_starts_a_command_of_its_own() -> None:
    for text in HOSTILE:
        (command,) = workflow_commands([Problem("E901", text, remedy=text)]).splitlines()
        assert command.startswith("::error ")


def test_sarif(snapshot: Snapshot) -> None:
    snapshot("sarif", sarif_text(PROBLEMS))


def test_sarif_is_one_run_that_explains_its_rules() -> None:
    (run,) = json.loads(sarif_text(PROBLEMS))["runs"]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning")
        for location in result["locations"]:
            region = location["physicalLocation"]["region"]
            assert region["startLine"] >= 1
            assert region.get("endLine", region["startLine"]) >= region["startLine"]


def test_json_problems_have_every_member() -> None:
    data = problem_json(PROBLEMS[2])
    assert data["position"] is None
    assert set(data) == set(problem_json(PROBLEMS[0]))


def test_the_same_json_commands_no_terminal() -> None:
    document = '{\n\t"a": "\x9b31m\u202e\U000e0041 日本"\n}\n'
    shown = visible_json(document)
    assert json.loads(shown) == json.loads(document)
    assert "日本" in shown
    assert not set(shown) & set("\x9b\u202e\U000e0041")


def test_json_is_ascii_so_that_no_terminal_obeys_it() -> None:
    for text in HOSTILE:
        assert json_text({text: text}).isascii()
        assert json.loads(json_text({"a": text}))["a"] == text
