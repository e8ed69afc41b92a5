"""How a new value is said where nobody said it before: keys in one order, sizes in round units,
and nothing of what a server fills in by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from envsync.contract.json_types import Json, JsonObject, Pointer
from envsync.contract.normalise import DEFAULT_INJECT_FORMAT, DEFAULT_INJECT_HEADER
from envsync.contract.sizes import UNITS, parse_size
from envsync.planning.sameness import is_list

_ORDER: Final = (
    *("$schema", "name", "kind", "image", "resources", "storage", "network", "harness"),
    *("lifecycle", "setup", "files", "secrets"),
    *("cpus", "memory", "allowedHosts", "idle", "deleteAfter"),
    *("command", "cwd", "timeout"),
)
_SLOT_ORDER: Final = (
    *("type", "description", "required", "url", "via", "identity", "allowedHosts", "inject"),
    *("header", "format"),
)
_SOURCE_ORDER: Final = ("path", "artifactId", "version", "files")
_INJECT: Final = {"header": DEFAULT_INJECT_HEADER, "format": DEFAULT_INJECT_FORMAT}
_ROUND_UNITS: Final = ("TiB", "GiB", "MiB", "KiB")


def in_house_style(value: Json, path: Pointer = ()) -> Json:
    """``value``, which is to stand at ``path`` of a manifest, as a new file says it.

    The members of an object that a person names (slots, inline files) come in byte order.
    """
    if is_size(path) and isinstance(value, str):
        return in_unit(value, "")
    if isinstance(value, Mapping):
        said = without_defaults(value, path)
        return {
            name: in_house_style(said[name], (*path, name))
            for name in sorted(said, key=_rank(path))
        }
    if is_list(value):
        return [in_house_style(item, (*path, index)) for index, item in enumerate(value)]
    return value


def without_defaults(value: JsonObject, path: Pointer) -> JsonObject:
    """A slot without what every server fills in; anything else as it is."""
    if not is_slot(path):
        return value
    said = dict(value)
    if said.get("required") is True:
        del said["required"]
    if said.get("type") == "environment_secret" and said.get("inject") == _INJECT:
        del said["inject"]
    return said


def is_slot(path: Pointer) -> bool:
    return len(path) == 2 and path[0] == "secrets"


def is_size(path: Pointer) -> bool:
    return path in (("resources", "memory"), ("storage",))


def in_unit(size: str, unit: str) -> str:
    """``size`` in ``unit`` where that is a whole number, else in the largest unit of which it is
    one: ``2048MiB`` is ``2GiB``. What is no size stays as it is."""
    try:
        bytes_ = parse_size(size)
    except ValueError:
        return size
    for each in (unit, *_ROUND_UNITS):
        if each in UNITS and bytes_ % UNITS[each] == 0:
            return f"{bytes_ // UNITS[each]}{each}"
    return size


class _Rank:
    """Sorts the keys of one mapping: known ones in their order, others behind them by bytes."""

    def __init__(self, order: tuple[str, ...]) -> None:
        self._places = {name: place for place, name in enumerate(order)}

    def __call__(self, name: str) -> tuple[int, str]:
        return (self._places.get(name, len(self._places)), name)


_BY_NAME: Final = _Rank(())
_KNOWN: Final = _Rank(_ORDER)
_SLOT: Final = _Rank(_SLOT_ORDER)
_SOURCE: Final = _Rank(_SOURCE_ORDER)


def _rank(path: Pointer) -> _Rank:
    if path == ("secrets",) or (len(path) == 3 and path[0] == "files" and path[2] == "files"):
        return _BY_NAME
    if path[:1] == ("secrets",):
        return _SLOT
    if path[:1] == ("files",):
        return _SOURCE
    return _KNOWN
