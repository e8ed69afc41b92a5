"""JSON that envsync prints: one shape of document, indented, keys as they were put in."""

from __future__ import annotations

import json

from envsync.contract.json_types import Json, JsonObject
from envsync.errors import Position, Problem


def json_text(value: Json) -> str:
    """``value`` as a JSON document of its own.

    Only ASCII leaves here: JSON can carry every character escaped, and a terminal that shows
    the document must not obey what a file or a server put into it.
    """
    return json.dumps(value, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def position_json(position: Position) -> dict[str, Json]:
    """A place; ``endLine`` and ``endColumn`` are exclusive and null for a single point."""
    return {
        "path": position.path,
        "line": position.line,
        "column": position.column,
        "endLine": position.end_line,
        "endColumn": position.end_column,
    }


def problem_json(problem: Problem) -> JsonObject:
    """A problem, with every member present: null or empty where there is nothing to say."""
    return {
        "code": problem.code,
        "severity": problem.severity.value,
        "message": problem.message,
        "subject": problem.subject,
        "position": position_json(problem.position) if problem.position else None,
        "label": problem.label,
        "remedy": problem.remedy,
        "related": [
            {"position": position_json(position), "label": label}
            for position, label in problem.related
        ],
    }
