"""Named checks: rules of the contract that JSON Schema cannot say (``x-check`` in the schema).

They hold on every server, so a broken one is an error everywhere. Rules of our own server alone
are in ``limits``. Both take a body that its schema has found valid.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from envsync.contract.advice import shown
from envsync.contract.json_types import Json, JsonObject, Pointer, dotted
from envsync.contract.names import is_variable_name
from envsync.contract.violation import Violation

VARIABLE_TYPES = frozenset({"environment_secret", "environment_variable"})


def violations(object_type: str, body: JsonObject) -> list[Violation]:
    """Every named check that ``body``, an object of ``object_type``, breaks."""
    if object_type != "manifest":
        return []
    secrets = body.get("secrets")
    if not isinstance(secrets, Mapping) or not secrets or _is_plain(secrets):
        return []
    return [*_variable_names(secrets), *_slot_conflicts(secrets)]


def _is_plain(secrets: Mapping[str, Json]) -> bool:
    """Whether every slot is a well-named variable and at most one is bound to anything: quick,
    and nothing is wrong then."""
    bound = 0
    for name, slot in secrets.items():
        if not isinstance(slot, Mapping) or slot.get("type") not in VARIABLE_TYPES:
            return False
        bound += "allowedHosts" in slot
        if bound > 1 or not is_variable_name(name):
            return False
    return True


def _variable_names(secrets: Mapping[str, Json]) -> Iterator[Violation]:
    """``variable-name``: a slot that becomes a variable is named like one."""
    for name, slot in secrets.items():
        is_variable = isinstance(slot, Mapping) and slot.get("type") in VARIABLE_TYPES
        if is_variable and not is_variable_name(name):
            yield Violation(
                ("secrets", name),
                "E220",
                f"{shown(name)} cannot name a variable",
                "expected 1-128 letters, digits and `_`, not starting with a digit",
                f"write `{_variable_like(name)}`",
                on_key=True,
            )


def _variable_like(name: str) -> str:
    text = "".join(
        character if character.isascii() and character.isalnum() else "_" for character in name
    ).upper()[:120]
    return f"_{text}" if text[:1].isdigit() else text or "MY_VARIABLE"


def _slot_conflicts(secrets: Mapping[str, Json]) -> Iterator[Violation]:
    """``slot-conflict``: one host, or one URL, takes one credential.

    A server refuses the second value with ``credential_conflict``, so that one of the two slots
    could never be filled.
    """
    taken: dict[tuple[str, str], Pointer] = {}
    for name, slot in secrets.items():
        if not isinstance(slot, Mapping):
            continue
        for pointer, what, key in _bindings(name, slot):
            first = taken.setdefault((what, key), pointer)
            if first[1] != name:
                yield Violation(
                    pointer,
                    "E221",
                    f"the slots `{first[1]}` and `{name}` are both bound to the {what} `{key}`",
                    f"`{dotted(first)}` has it already",
                    f"keep one of the two slots for that {what}",
                )


def _bindings(name: str, slot: Mapping[str, Json]) -> Iterator[tuple[Pointer, str, str]]:
    """Each thing that a slot's credential is bound to: where it is said, what it is, which."""
    hosts = slot.get("allowedHosts")
    url = slot.get("url")
    if slot.get("type") == "environment_secret" and isinstance(hosts, list):
        for index, host in enumerate(hosts):
            if isinstance(host, str):
                yield ("secrets", name, "allowedHosts", index), "host", host.lower()
    elif slot.get("type") in ("bearer", "headers") and isinstance(url, str):
        yield ("secrets", name, "url"), "URL", url
