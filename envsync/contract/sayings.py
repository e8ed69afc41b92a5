"""One broken rule of a JSON Schema in words, a function for each kind of rule."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from envsync.contract.advice import advise, shown
from envsync.contract.broken import Broken, unknown_keys
from envsync.contract.json_types import Pointer, dotted
from envsync.contract.violation import Violation

TYPES: Final = {
    "object": "a mapping",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}


def say(broken: Broken) -> list[Violation]:
    """``broken`` in words: one violation, or one for each key that is unknown or missing."""
    if "errorMessage" in broken.schema and broken.keyword != "type":
        return [_as_the_schema_says(broken)]
    return _SAYERS.get(broken.keyword, _other)(broken)


def what(pointer: Pointer) -> str:
    """How a message names the value at ``pointer``."""
    return f"`{dotted(pointer)}`" if pointer else "the document"


def kind_of(value: Any) -> str:
    """What ``value`` is. A text is not repeated: it may be a secret in the wrong place."""
    if value is None:
        return "empty (null)"
    if isinstance(value, bool):
        return _text(value)
    if isinstance(value, int | float):
        return f"the number {value}"
    if isinstance(value, str):
        return "text"
    return "a list" if isinstance(value, list) else "a mapping"


def any_of(words: Sequence[str], last: str = "or") -> str:
    """``words``, each once, as a sentence lists them."""
    unique = list(dict.fromkeys(words))
    if len(unique) < 2:
        return "".join(unique)
    return f"{', '.join(unique[:-1])} {last} {unique[-1]}"


def _text(value: Any) -> str:
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _count(number: int, unit: str) -> str:
    return f"{number:,} {unit}" if number == 1 else f"{number:,} {unit}s"


def _example(schema: Mapping[str, Any]) -> str:
    examples = schema.get("examples") or ()
    return f"write something like `{_text(examples[0])}`" if examples else ""


def _one(broken: Broken, code: str, message: str, expected: str, remedy: str) -> list[Violation]:
    """One violation; a remedy of the schema itself comes before ours."""
    remedy = str(broken.schema.get("x-remedy", "")) or remedy
    label = f"expected {expected}" if expected else ""
    return [Violation(broken.pointer, code, message, label, remedy)]


def _as_the_schema_says(broken: Broken) -> Violation:
    message = str(broken.schema["errorMessage"])
    remedy = str(broken.schema.get("x-remedy", ""))
    if broken.schema.get("x-grammar") == "kind":
        return Violation(broken.pointer, "E208", message, "needs `kind: pod`", remedy)
    return Violation(broken.pointer, "E200", message, remedy=remedy)


# Keys.


def _unknown(broken: Broken) -> list[Violation]:
    where = f" in {what(broken.pointer)}" if broken.pointer else ""
    violations = []
    for key in unknown_keys(broken.keys, broken.schema):
        label, remedy = _instead(key, broken.schema)
        message = f"unknown key {shown(key)}{where}"
        pointer = (*broken.pointer, key)
        violations.append(Violation(pointer, "E201", message, label, remedy, on_key=True))
    return violations


def _instead(key: str, schema: Mapping[str, Any]) -> tuple[str, str]:
    """The label and the remedy for a key that is not known."""
    instead = schema.get("x-instead", {})
    if key in instead:
        return "not a key here", str(instead[key])
    known = list(schema.get("properties", {}))
    close = _close(key, known)
    if close:
        return f"did you mean `{close}`?", f"write `{close}`, or remove the key"
    for holder, subschema in schema.get("properties", {}).items():
        inner = list(subschema.get("properties", {})) if isinstance(subschema, dict) else []
        if close := _close(key, inner):
            return f"did you mean `{holder}.{close}`?", f"write `{close}` inside `{holder}`"
    if not known:
        return "no key is allowed here", "remove the key"
    return "not a key here", f"the keys here are {any_of([f'`{name}`' for name in known], 'and')}"


def _close(word: str, known: Sequence[str]) -> str:
    """The word of ``known`` that ``word`` most likely stands for, or an empty text."""
    folded = {_folded(name): name for name in known}
    if _folded(word) in folded:
        return folded[_folded(word)]
    close = difflib.get_close_matches(_folded(word), list(folded), n=1, cutoff=0.7)
    return folded[close[0]] if close else ""


def _folded(word: str) -> str:
    return word.replace("_", "").replace("-", "").replace(" ", "").lower()


def _missing(broken: Broken) -> list[Violation]:
    # Each missing key is reported by itself but with the whole rule: repetitions are dropped later.
    return [_missing_key(broken, key, "") for key in broken.rule if key not in broken.keys]


def _missing_beside(broken: Broken) -> list[Violation]:
    return [
        _missing_key(broken, key, f", which `{given}` needs")
        for given, keys in broken.rule.items()
        if given in broken.keys
        for key in keys
        if key not in broken.keys
    ]


def _missing_key(broken: Broken, key: str, why: str) -> Violation:
    rule = broken.schema.get("properties", {}).get(key, {})
    examples = rule.get("examples") or (None,) if isinstance(rule, dict) else (None,)
    plain = isinstance(examples[0], str | int | float) and "\n" not in str(examples[0])
    return Violation(
        broken.pointer,
        "E203",
        f"{what(broken.pointer)} has no key `{key}`{why}",
        f"expected the key `{key}`",
        f"add `{key}`" + (f", such as `{key}: {_text(examples[0])}`" if plain else ""),
    )


# Values.


def _wrong_type(broken: Broken) -> list[Violation]:
    wanted = [broken.rule] if isinstance(broken.rule, str) else list(broken.rule)
    expected = any_of([TYPES.get(name, name) for name in wanted])
    message = f"{what(broken.pointer)} is {kind_of(broken.instance)}, not {expected}"
    return _one(broken, "E202", message, expected, _type_remedy(broken, wanted))


_SHAPES_TO_WRITE: Final = {
    "object": "write keys and values, such as `key: value`",
    "string": "write text; several lines stand below `|`, each indented",
    "number": "write a number",
    "integer": "write a whole number",
    "boolean": "write true or false",
}


def _type_remedy(broken: Broken, wanted: Sequence[str]) -> str:
    value = broken.instance
    if value is None:
        return "give it a value, or remove the key"
    if "string" in wanted and isinstance(value, bool | int | float):
        advice = advise(str(broken.schema.get("x-grammar", "")), _text(value))
        return advice.remedy if advice else f'write "{_text(value)}" in quotes'
    if "array" in wanted:
        return "write a list: each item on its own line after `- `"
    if isinstance(value, str) and {"integer", "number"} & set(wanted):
        return f"write {value} without quotes" if _is_number(value) else "write a number"
    if isinstance(value, str) and "boolean" in wanted:
        return "write true or false, without quotes"
    return _SHAPES_TO_WRITE.get(wanted[0], "")


def _is_number(text: str) -> bool:
    return len(text) < 20 and text.strip("-").replace(".", "", 1).isdecimal()


def _not_allowed(broken: Broken) -> list[Violation]:
    allowed = [broken.rule] if broken.keyword == "const" else list(broken.rule)
    expected = any_of([f"`{_text(value)}`" for value in allowed])
    value = broken.instance
    found = kind_of(value) if isinstance(value, dict | list) else shown(_text(value))
    close = _close(_text(value), [text for text in allowed if isinstance(text, str)])
    label = f"did you mean `{close}`?" if close else f"expected {expected}"
    message = f"{what(broken.pointer)} is {found}, not {expected}"
    remedy = f"write `{close}`" if close else f"write {expected}"
    return [Violation(broken.pointer, "E204", message, label, remedy)]


def _bad_text(broken: Broken) -> list[Violation]:
    advice = advise(str(broken.schema.get("x-grammar", "")), str(broken.instance))
    if advice is not None:
        message = f"{what(broken.pointer)} {advice.found}"
        return _one(broken, advice.code, message, advice.expected, advice.remedy)
    if broken.keyword == "pattern":
        expected = f"text that matches `{broken.rule}`"
        message = f"{what(broken.pointer)} does not match `{broken.rule}`"
        return _one(broken, "E205", message, expected, _example(broken.schema))
    if broken.keyword == "not":
        return _other(broken)
    if broken.instance == "":
        message = f"{what(broken.pointer)} is empty"
        return _one(broken, "E207", message, "some text", "write it, or remove the key")
    return _wrong_amount(broken)


_LIMITS: Final = {
    "minimum": "at least {}",
    "exclusiveMinimum": "more than {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
}


def _out_of_range(broken: Broken) -> list[Violation]:
    expected = _LIMITS[broken.keyword].format(broken.rule)
    message = f"{what(broken.pointer)} is {broken.instance}, not {expected}"
    return _one(broken, "E206", message, expected, _example(broken.schema))


_AMOUNTS: Final = {
    "minItems": ("at least {}", "item"),
    "maxItems": ("at most {}", "item"),
    "minLength": ("at least {}", "character"),
    "maxLength": ("at most {}", "character"),
    "minProperties": ("at least {}", "key"),
    "maxProperties": ("at most {}", "key"),
}


def _wrong_amount(broken: Broken) -> list[Violation]:
    words, unit = _AMOUNTS[broken.keyword]
    expected = words.format(_count(int(broken.rule), unit))
    message = (
        f"{what(broken.pointer)} has {_count(len(broken.instance), unit)}; it takes {expected}"
    )
    remedy = "add what is missing" if broken.keyword.startswith("min") else "shorten it"
    return _one(broken, "E207", message, expected, remedy)


def _repeated(broken: Broken) -> list[Violation]:
    message = f"{what(broken.pointer)} holds the same item twice"
    return _one(broken, "E207", message, "each item once", "remove the repetition")


def _other(broken: Broken) -> list[Violation]:
    if broken.keyword == "false":
        return _one(
            broken, "E200", f"{what(broken.pointer)} is not allowed here", "nothing", "remove it"
        )
    title = broken.schema.get("title") or broken.schema.get("description")
    rule = f" of {shown(str(title))}" if title else ""
    message = f"{what(broken.pointer)} breaks the rule `{broken.keyword}`{rule}"
    return _one(broken, "E200", message, "", "change it so that it keeps the rule")


_SAYERS: Final[Mapping[str, Callable[[Broken], list[Violation]]]] = {
    "additionalProperties": _unknown,
    "required": _missing,
    "dependentRequired": _missing_beside,
    "type": _wrong_type,
    "enum": _not_allowed,
    "const": _not_allowed,
    "pattern": _bad_text,
    "not": _bad_text,
    "minLength": _bad_text,
    "maxLength": _bad_text,
    **dict.fromkeys(_LIMITS, _out_of_range),
    "minItems": _wrong_amount,
    "maxItems": _wrong_amount,
    "minProperties": _wrong_amount,
    "maxProperties": _wrong_amount,
    "uniqueItems": _repeated,
}
