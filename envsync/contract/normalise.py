"""The one canonical form. Equality, hash and display of an object all go through here.

Both sides use it: the server before it stores, the client before it compares.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from envsync.contract.durations import format_duration, parse_duration
from envsync.contract.hosts import normalise_hosts
from envsync.contract.json_types import Json, JsonObject
from envsync.contract.sizes import parse_size, to_gibibytes_text, to_mebibytes_text

DEFAULT_KIND: Final = "virtual"
DEFAULT_HARNESS: Final = "nylorun"
DEFAULT_CPUS: Final = 2
DEFAULT_MEMORY: Final = "1024MiB"
DEFAULT_STORAGE: Final = "5GiB"
DEFAULT_INJECT_HEADER: Final = "Authorization"
DEFAULT_INJECT_FORMAT: Final = "Bearer {value}"


def normalise(object_type: str, body: JsonObject) -> dict[str, Any]:
    """``body`` with its defaults filled in and one spelling for each value.

    ``body`` is a valid body as it goes over the wire, without ``$schema`` and ``name``. Hosts
    become lower case, unique and sorted; memory whole ``MiB`` and storage whole ``GiB``, both
    rounded up; durations the largest exact unit; an empty collection is the same as none.
    Applying it again changes nothing. What it does not understand it leaves as it is, so that it
    never raises. ``body`` is not altered, but the result may share parts of it.
    """
    if object_type != "manifest":
        return dict(body)
    out: dict[str, Any] = dict(body)
    kind = out.setdefault("kind", DEFAULT_KIND)
    _resources(out, kind)
    _storage(out, kind)
    _network(out)
    out.setdefault("harness", DEFAULT_HARNESS)
    _lifecycle(out)
    _setup(out)
    if out.get("files") == []:
        del out["files"]
    _secrets(out)
    return out


def _resources(out: dict[str, Any], kind: Json) -> None:
    given = out.get("resources")
    if given is None and "resources" not in out:
        if _computes(kind):
            out["resources"] = {"cpus": DEFAULT_CPUS, "memory": DEFAULT_MEMORY}
        return
    if not isinstance(given, dict):
        return
    resources = dict(given)
    if _computes(kind):
        resources.setdefault("cpus", DEFAULT_CPUS)
        resources.setdefault("memory", DEFAULT_MEMORY)
    cpus = resources.get("cpus")
    if type(cpus) is float and cpus.is_integer():
        resources["cpus"] = int(cpus)
    memory = resources.get("memory")
    if type(memory) is str:
        resources["memory"] = _memory_text(memory)
    out["resources"] = resources


def _storage(out: dict[str, Any], kind: Json) -> None:
    storage = out.get("storage")
    if type(storage) is str:
        out["storage"] = _storage_text(storage)
    elif kind == "pod" and "storage" not in out:
        out["storage"] = DEFAULT_STORAGE


def _network(out: dict[str, Any]) -> None:
    network = out.get("network")
    if not isinstance(network, dict):
        return
    network = _with_hosts(network)
    if network.get("allowedHosts") == []:
        del network["allowedHosts"]
    if network:
        out["network"] = network
    else:
        del out["network"]


def _lifecycle(out: dict[str, Any]) -> None:
    lifecycle = out.get("lifecycle")
    if lifecycle is None and "lifecycle" not in out:
        out["lifecycle"] = {}
    elif isinstance(lifecycle, dict) and lifecycle:
        out["lifecycle"] = {
            key: _duration_text(value)
            if type(value) is str and key in ("idle", "deleteAfter")
            else value
            for key, value in lifecycle.items()
        }


def _setup(out: dict[str, Any]) -> None:
    setup = out.get("setup")
    if not isinstance(setup, list):
        return
    if not setup:
        del out["setup"]
        return
    for step in setup:
        if isinstance(step, dict) and type(step.get("timeout")) is str:
            out["setup"] = [_step(step) for step in setup]
            return


def _step(step: Json) -> Json:
    if not isinstance(step, dict):
        return step
    timeout = step.get("timeout")
    return {**step, "timeout": _duration_text(timeout)} if type(timeout) is str else step


def _secrets(out: dict[str, Any]) -> None:
    secrets = out.get("secrets")
    if not isinstance(secrets, dict):
        return
    if secrets:
        out["secrets"] = {name: _slot(slot) for name, slot in secrets.items()}
    else:
        del out["secrets"]


def _slot(given: Json) -> Json:
    if not isinstance(given, dict):
        return given
    slot: dict[str, Any] = {"required": True, **given}
    if slot.get("type") == "environment_secret":
        slot = _with_hosts(slot)
        if "inject" not in slot:
            slot["inject"] = {"header": DEFAULT_INJECT_HEADER, "format": DEFAULT_INJECT_FORMAT}
    return slot


def _with_hosts(holder: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of ``holder`` whose ``allowedHosts``, if it is a list of texts, has its one order."""
    out = dict(holder)
    hosts = out.get("allowedHosts")
    if isinstance(hosts, list) and all(type(host) is str for host in hosts):
        out["allowedHosts"] = normalise_hosts(hosts)
    return out


@lru_cache(maxsize=4096)
def _memory_text(text: str) -> str:
    try:
        return to_mebibytes_text(parse_size(text))
    except ValueError:
        return text


@lru_cache(maxsize=4096)
def _storage_text(text: str) -> str:
    try:
        return to_gibibytes_text(parse_size(text))
    except ValueError:
        return text


@lru_cache(maxsize=4096)
def _duration_text(text: str) -> str:
    try:
        return format_duration(parse_duration(text))
    except ValueError:
        return text


def _computes(kind: Json) -> bool:
    """Whether a manifest of this kind has processors and memory at all."""
    return kind == "virtual" or kind == "pod"
