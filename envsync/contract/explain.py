"""Why a value breaks a JSON Schema, in words: found, expected, remedy.

Loaded only when there is something to explain. A schema may say more about its own rules:

- ``errorMessage`` and ``x-remedy`` beside a keyword replace the message and the way out;
- ``x-grammar`` names a grammar of ``advice``;
- ``x-instead`` maps keys that people try to what they should write.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from envsync.contract.broken import Broken, broken_rules
from envsync.contract.json_types import Json, Pointer
from envsync.contract.sayings import TYPES, any_of, kind_of, say, what
from envsync.contract.violation import Violation


def explain(schema: Mapping[str, Json] | bool, instance: Json) -> list[Violation]:
    """Every rule of ``schema`` that ``instance`` breaks, in the order of the document."""
    found: dict[tuple[Pointer, str, str], Violation] = {}
    for broken in broken_rules(schema, instance):
        for violation in _violations(broken):
            found.setdefault((violation.pointer, violation.code, violation.message), violation)
    return sorted(found.values(), key=lambda violation: _place(instance, violation.pointer))


def _place(instance: Json, pointer: Pointer) -> tuple[int, ...]:
    """Where ``pointer`` leads, as the index of each step: documents order by it."""
    place: list[int] = []
    value = instance
    for part in pointer:
        if isinstance(value, Mapping) and part in value:
            place.append(list(value).index(str(part)))
            value = value[str(part)]
        elif isinstance(value, list) and isinstance(part, int):
            place.append(part)
            value = value[part]
        else:
            break
    return tuple(place)


def _violations(broken: Broken) -> list[Violation]:
    if broken.keyword in ("anyOf", "oneOf") and broken.context:
        return _choice(broken)
    if broken.of_key:
        return [replace(violation, on_key=True) for violation in say(broken)]
    return say(broken)


Branches = Mapping[int, Sequence[Broken]]

_FIXED: Final = frozenset({"const", "enum"})


def _choice(broken: Broken) -> list[Violation]:
    """What the branch that was meant wants; all shapes together when none stands out."""
    branches: dict[int, list[Broken]] = {}
    for inner in broken.context:
        branches.setdefault(inner.branch, []).append(inner)
    types = {number: _wanted_types(rules) for number, rules in branches.items()}
    fitting = {number: rules for number, rules in branches.items() if not types[number]}
    if not fitting:
        return [_no_type(broken, [name for names in types.values() for name in names])]
    meant = _meant(broken, fitting)
    if meant is None:
        return [_no_shape(broken, fitting)]
    return [violation for inner in fitting[meant] for violation in _violations(inner)]


def _wanted_types(rules: Sequence[Broken]) -> list[str]:
    """The types that a branch wants in place of what is there; empty when the type fits."""
    for broken in rules:
        if broken.keyword == "type" and not broken.within:
            return [broken.rule] if isinstance(broken.rule, str) else list(broken.rule)
    return []


def _meant(broken: Broken, branches: Branches) -> int | None:
    """The branch that the value comes nearest to, or ``None``.

    A branch that a key with a fixed value (``type: bearer``) rules out comes last, and one whose
    keys are all right comes first; then the keys that only some of the branches know count; then
    the fewest broken rules.
    """
    if len(branches) == 1:
        return next(iter(branches))
    if not broken.keys:
        return None
    known = {number: _known_keys(rules) for number, rules in branches.items()}
    shared = set.intersection(*known.values())
    given = set(broken.keys)

    def rank(number: int) -> tuple[int, bool, int, int]:
        rules = branches[number]
        ruled_out = sum(rule.keyword in _FIXED and len(rule.within) == 1 for rule in rules)
        wrong_keys = any(not rule.within for rule in rules)
        own = len((given & known[number]) - shared)
        return (ruled_out, wrong_keys, -own, len(rules))

    best = min(branches, key=rank)
    ruled_out, wrong_keys, own, _ = rank(best)
    told_apart = not ruled_out and any(rank(number)[0] for number in branches)
    return best if own or told_apart or not wrong_keys else None


def _known_keys(rules: Sequence[Broken]) -> set[str]:
    """The keys that the schema of a branch names, as far as its broken rules show them."""
    return {key for rule in rules if not rule.within for key in rule.schema.get("properties", {})}


def _no_type(broken: Broken, types: Sequence[str]) -> Violation:
    expected = any_of([TYPES.get(name, name) for name in types])
    return Violation(
        broken.pointer,
        "E202",
        f"{what(broken.pointer)} is {kind_of(broken.instance)}, not {expected}",
        f"expected {expected}",
        str(broken.schema.get("x-remedy", "")),
    )


def _no_shape(broken: Broken, branches: Branches) -> Violation:
    shapes = [_shape(rules) for rules in branches.values()]
    expected = any_of([shape for shape in shapes if shape]) or "a shape that the schema knows"
    return Violation(
        broken.pointer,
        "E209",
        f"{what(broken.pointer)} fits none of its shapes",
        f"expected {expected}",
        str(broken.schema.get("x-remedy", "")) or "write the keys of one of them",
    )


def _shape(rules: Sequence[Broken]) -> str:
    """A branch in a few words: its title and the keys that it cannot do without."""
    schema = next((rule.schema for rule in rules if not rule.within), {})
    keys = any_of([f"`{key}`" for key in schema.get("required", ())], "and")
    title = str(schema.get("title", ""))
    return f"{title} ({keys})" if title and keys else title or keys
