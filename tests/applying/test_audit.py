"""One line of JSON for each outcome."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from envsync.applying.audit import AuditContext, audit_line
from envsync.applying.outcome import Outcome, Result
from envsync.errors import Problem
from envsync.planning.plan import Op
from envsync.resources.resource import Base, ObjectId

CONTEXT = AuditContext(
    "2026-11-30T09:15:00Z", "acme", "production", "https://runtime.example", "application:ci", "9f"
)
TEXT = st.text(st.characters(codec="utf-8"))


@given(TEXT, TEXT, TEXT)
def test_an_outcome_is_one_line_whatever_it_says(name, message, note):
    outcome = Outcome(
        ObjectId("manifest", name),
        Op.UPDATE,
        Result.CONFLICT,
        Base(5, "h"),
        Problem("E520", message),
        (note,),
        2,
    )
    line = audit_line(outcome, CONTEXT)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    told = json.loads(line)
    assert told["name"] == name
    assert told["error"] == {"code": "E520", "message": message}
    assert told["notes"] == [note]
    assert (told["result"], told["version"], told["attempts"]) == ("conflict", 5, 2)
    assert (told["actor"], told["plan"], told["context"]) == ("application:ci", "9f", "production")


def test_what_theirs_says_does_not_stand_in_it():
    outcome = Outcome(
        ObjectId("manifest", "box"), None, Result.UNCHANGED, theirs={"setup": [{"command": "x"}]}
    )
    told = json.loads(audit_line(outcome, CONTEXT))
    assert told["op"] is None
    assert told["error"] is None
    assert "command" not in json.dumps(told)
