"""What a manifest's fields may do wrong together though each of them is valid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from envsync.contract import limits
from envsync.contract.durations import parse_duration
from envsync.contract.json_types import Json, JsonObject, Pointer
from envsync.linting.hit import Hit
from envsync.linting.reach import Reach
from envsync.project.names import did_you_mean

_NEAR = 0.9
_FEW = 28
_SHORT = 3_000
"""Below every limit by far, in characters of any width."""


def manifest_hits(body: JsonObject) -> Iterator[Hit]:
    """Hosts, secrets, lifecycle and sizes."""
    if _is_ordinary(body):
        return
    network, secrets = body.get("network"), body.get("secrets")
    if isinstance(network, dict):
        yield from _hosts(network.get("allowedHosts"))
    if isinstance(secrets, dict) and secrets:
        yield from _secret_hosts(secrets, Reach.of(body))
    lifecycle = body.get("lifecycle")
    if isinstance(lifecycle, dict):
        yield from _lifecycle(lifecycle)
    yield from _near_caps(body)


def _is_ordinary(body: JsonObject) -> bool:
    """Whether nothing can be said of ``body``: quick, and sure when it says so."""
    network, secrets, setup = body.get("network"), body.get("secrets"), body.get("setup")
    lifecycle = body.get("lifecycle")
    hosts = network.get("allowedHosts", ()) if isinstance(network, dict) else ()
    if not isinstance(hosts, list | tuple) or len(hosts) > _FEW:
        return False
    reached = set(hosts)
    text = "".join(map(str, hosts))
    if len(reached) != len(hosts) or "*" in text or text != text.lower():
        return False
    if isinstance(secrets, dict):
        for slot in secrets.values():
            bound = slot.get("allowedHosts") if isinstance(slot, dict) else None
            if bound and not (isinstance(bound, list) and reached.issuperset(bound)):
                return False
    if isinstance(lifecycle, dict) and any(True for _ in _lifecycle(lifecycle)):
        return False
    if isinstance(setup, list):
        if len(setup) > _FEW:
            return False
        for step in setup:
            command = step.get("command") if isinstance(step, dict) else None
            if not isinstance(command, str) or len(command) > _SHORT:
                return False
    files = body.get("files")
    return not files or (len(repr(files)) < _SHORT)


def _hosts(hosts: Json) -> Iterator[Hit]:
    if not isinstance(hosts, list):
        return
    first: dict[str, int] = {}
    folded = [host.lower() if isinstance(host, str) else "" for host in hosts]
    wildcards = {host: index for index, host in enumerate(folded) if host.startswith("*.")}
    for index, host in enumerate(folded):
        pointer: Pointer = ("network", "allowedHosts", index)
        before = first.setdefault(host, index)
        if before != index:
            yield Hit(
                "W321",
                pointer,
                f"the host `{host}` is there twice",
                "said before",
                "remove one of them",
                related=((("network", "allowedHosts", before), "the first one"),),
            )
            continue
        if not wildcards:
            continue
        for wildcard, place in wildcards.items():
            if host != wildcard and host.endswith(wildcard[1:]):
                yield Hit(
                    "W322",
                    pointer,
                    f"`{host}` is allowed already by `{wildcard}`",
                    f"below {wildcard[2:]}",
                    f"remove `{host}`, or name hosts without a wildcard",
                    related=((("network", "allowedHosts", place), "the wildcard"),),
                )
                break


def _secret_hosts(secrets: Mapping[str, Json], reach: Reach) -> Iterator[Hit]:
    for name, slot in secrets.items():
        if not isinstance(slot, dict) or slot.get("type") != "environment_secret":
            continue
        hosts = slot.get("allowedHosts")
        for index, host in enumerate(hosts if isinstance(hosts, list) else ()):
            if isinstance(host, str) and not reach.allows(host):
                yield Hit(
                    "W323",
                    ("secrets", name, "allowedHosts", index),
                    f"the secret `{name}` may go to `{host}`, which is not in "
                    "network.allowedHosts and so is never reached",
                    did_you_mean(host, reach.hosts) or reach.said,
                    f"add {host.lower()} to network.allowedHosts, or remove it here",
                )


def _lifecycle(lifecycle: Mapping[str, Json]) -> Iterator[Hit]:
    idle, delete_after = lifecycle.get("idle"), lifecycle.get("deleteAfter")
    if not isinstance(idle, str) or not isinstance(delete_after, str):
        return
    if _is_no_longer(delete_after, idle):
        yield Hit(
            "W325",
            ("lifecycle", "deleteAfter"),
            f"deleted after {delete_after}, before it could be idle for {idle}: the Environment, "
            "its disk and its secrets go while it still runs",
            f"not longer than `idle: {idle}`",
            "write a longer `deleteAfter`, or a shorter `idle`",
            related=((("lifecycle", "idle"), "idle"),),
        )


@lru_cache(maxsize=256)
def _is_no_longer(first: str, second: str) -> bool:
    try:
        return parse_duration(first) <= parse_duration(second)
    except ValueError:
        return False


def _near_caps(body: JsonObject) -> Iterator[Hit]:
    """Sizes that one more edit takes over a limit of our server."""
    network, setup, files = body.get("network"), body.get("setup"), body.get("files")
    hosts = network.get("allowedHosts") if isinstance(network, dict) else None
    if isinstance(hosts, list):
        yield from _near(("network", "allowedHosts"), len(hosts), limits.HOSTS_MAX, "hosts")
    if isinstance(setup, list):
        yield from _near(("setup",), len(setup), limits.SETUP_MAX, "setup commands")
        for index, step in enumerate(setup):
            command = step.get("command") if isinstance(step, dict) else None
            if isinstance(command, str):
                yield from _near(
                    ("setup", index, "command"), _bytes(command), limits.COMMAND_MAX_BYTES, "bytes"
                )
    if isinstance(files, list):
        yield from _near(("files",), len(files), limits.FILES_MAX, "entries")
        texts = [entry.get("files") for entry in files if isinstance(entry, dict)]
        inline = sum(
            _bytes(text)
            for entry in texts
            if isinstance(entry, dict)
            for text in entry.values()
            if isinstance(text, str)
        )
        yield from _near(("files",), inline, limits.INLINE_MAX_BYTES, "bytes of text")


def _near(pointer: Pointer, count: int, most: int, what: str) -> Iterator[Hit]:
    if most * _NEAR < count <= most:
        yield Hit(
            "W324",
            pointer,
            f"{count:,} {what} of at most {most:,}",
            "close to the limit",
            "keep some room: what goes beyond the limit is refused",
            on_key=True,
        )


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
