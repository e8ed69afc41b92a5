"""Problems as SARIF 2.1.0 (OASIS), which code scanning services and editors read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from envsync import __version__
from envsync.contract.codes import Code, codes
from envsync.contract.json_types import Json
from envsync.errors import Position, Problem
from envsync.rendering import escape
from envsync.rendering.json_output import json_text

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_text(problems: Sequence[Problem]) -> str:
    """The report of ``problems`` with what this version of envsync says of their codes."""
    return json_text(sarif(problems, codes(), __version__))


def sarif(problems: Sequence[Problem], rules: Mapping[str, Code], version: str) -> dict[str, Json]:
    """One run of one tool. ``rules`` explains the codes; a code without a rule stands alone."""
    codes = sorted({problem.code for problem in problems})
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "envsync",
                        "semanticVersion": version,
                        "rules": [_rule(code, rules.get(code)) for code in codes],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {
                    "ROOT": {"description": {"text": "The folder that holds envsync.yaml."}}
                },
                "results": [_result(problem, codes.index(problem.code)) for problem in problems],
            }
        ],
    }


def _rule(code: str, rule: Code | None) -> dict[str, Json]:
    if rule is None:
        return {"id": code}
    return {
        "id": code,
        "name": "".join(word.capitalize() for word in rule.title.split() if word.isalnum()) or code,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": " ".join(rule.meaning.split())},
        "help": {"text": rule.mend.strip() or rule.title},
        "defaultConfiguration": {"level": "warning" if code.startswith("W") else "error"},
    }


def _result(problem: Problem, index: int) -> dict[str, Json]:
    subject = f"{problem.subject}: " if problem.subject else ""
    parts = [f"{subject}{problem.message}", problem.label, problem.remedy]
    result: dict[str, Json] = {
        "ruleId": problem.code,
        "ruleIndex": index,
        "level": problem.severity.value,
        "message": {"text": "\n".join(_text(part) for part in parts if part)},
        "locations": [_location(problem.position)] if problem.position else [],
    }
    if problem.related:
        result["relatedLocations"] = [
            {"id": number, "message": {"text": _text(label)}, **_location(position)}
            for number, (position, label) in enumerate(problem.related, start=1)
        ]
    return result


def _text(text: str) -> str:
    """Viewers show it as text; its own lines stay, what can't be seen is spelled out."""
    return "\n".join(escape.visible_lines(text.rstrip("\n")))


def _location(position: Position) -> dict[str, Json]:
    region: dict[str, Json] = {"startLine": position.line, "startColumn": position.column}
    if position.end_line is not None and position.end_column is not None:
        region |= {"endLine": position.end_line, "endColumn": position.end_column}
    path = position.path.encode("utf-8", "surrogateescape")
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": quote(path, safe="/"), "uriBaseId": "ROOT"},
            "region": region,
        }
    }
