"""Values of a body as people read them: a little YAML, without quotes where none are needed."""

from __future__ import annotations

import json
from collections.abc import Mapping

from envsync.contract.json_types import Json

_WORDS = frozenset({"", "true", "false", "null", "yes", "no", "on", "off", "~"})


def scalar(value: Json) -> str:
    """A scalar on one line. A string is quoted only where it could be taken for something else."""
    if isinstance(value, str):
        doubtful = value.lower() in _WORDS or value != value.strip() or "\n" in value
        if doubtful or _is_number(value):
            return json.dumps(value, ensure_ascii=False)
        return value
    return json.dumps(value)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def is_scalar(value: Json) -> bool:
    return value is None or isinstance(value, str | int | float)


def value_lines(value: Json) -> list[str]:
    """``value`` as the lines of a block; a text of several lines stays several lines."""
    if isinstance(value, Mapping):
        return _entries([(f"{key}:", item) for key, item in value.items()]) if value else ["{}"]
    if isinstance(value, str):
        return value.rstrip("\n").split("\n") if "\n" in value.rstrip("\n") else [scalar(value)]
    if isinstance(value, list | tuple):
        return _items(value) if value else ["[]"]
    return [scalar(value)]


def _entries(pairs: list[tuple[str, Json]]) -> list[str]:
    lines: list[str] = []
    for head, item in pairs:
        inner = value_lines(item)
        if (is_scalar(item) and len(inner) == 1) or (not item and not is_scalar(item)):
            lines.append(f"{head} {inner[0]}")
        else:
            bar = f"{head} |" if isinstance(item, str) else head
            lines += [bar, *(f"  {line}" for line in inner)]
    return lines


def _items(values: list[Json] | tuple[Json, ...]) -> list[str]:
    lines: list[str] = []
    for value in values:
        first, *rest = value_lines(value)
        if isinstance(value, str) and rest:
            lines += ["- |", *(f"  {line}" for line in (first, *rest))]
        else:
            lines += [f"- {first}", *(f"  {line}" for line in rest)]
    return lines
