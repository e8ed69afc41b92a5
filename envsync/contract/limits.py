"""The limits of envsync's own server. Another server may draw its lines elsewhere.

They are errors where the server is ours, and warnings for any other one. The body has been found
valid by its schema.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from envsync.contract.advice import shown
from envsync.contract.checks import VARIABLE_TYPES
from envsync.contract.durations import parse_duration
from envsync.contract.json_types import Json, JsonObject, Pointer
from envsync.contract.names import is_harness_id, is_reserved_variable, is_slot_label
from envsync.contract.ordinary import is_ordinary
from envsync.contract.paths import WORKSPACE, nul_violation, path_violations
from envsync.contract.sizes import GIBIBYTE, MEBIBYTE, parse_size
from envsync.contract.violation import Violation

CPUS_MIN: Final = 0.1
CPUS_MAX: Final = 64
MEMORY_MIN: Final = 128 * MEBIBYTE
STORAGE_MIN: Final = GIBIBYTE
HOSTS_MAX: Final = 256
SLOT_HOSTS_MAX: Final = 32
SETUP_MAX: Final = 32
COMMAND_MAX_BYTES: Final = 16_384
TIMEOUT_MAX: Final = 3_600_000
FILES_MAX: Final = 64
INLINE_MAX_BYTES: Final = 256 * 1024
SLOTS_MAX: Final = 64

_UNUSED_BY_NONE: Final = ("resources", "setup", "files")


def server_limits(object_type: str, body: JsonObject) -> list[Violation]:
    """Every limit of our server that ``body``, an object of ``object_type``, goes beyond."""
    if object_type != "manifest" or is_ordinary(body):
        return []
    return limits_broken(body)


def limits_broken(body: JsonObject) -> list[Violation]:
    """The same, told limit by limit."""
    return [
        *_kind(body),
        *_image(body),
        *_resources(body),
        *_storage(body),
        *_network(body),
        *_harness(body),
        *_setup(body),
        *_files(body),
        *_secrets(body),
    ]


def _list(value: Json) -> Sequence[Json]:
    return value if isinstance(value, list | tuple) else ()


def _mapping(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, Mapping) else {}


def _too_many(pointer: Pointer, count: int, most: int, what: str) -> Iterator[Violation]:
    if count > most:
        yield Violation(
            pointer,
            "E240",
            f"{count:,} {what} are more than the {most} that the server takes",
            f"expected at most {most}",
            f"remove {count - most:,} of them",
        )


def _kind(body: JsonObject) -> Iterator[Violation]:
    if body.get("kind") != "none":
        return
    for key in _UNUSED_BY_NONE:
        if body.get(key):
            yield Violation(
                (key,),
                "E246",
                f"`{key}` has no effect with `kind: none`, which has no disk and no process",
                "not used by `kind: none`",
                f"remove `{key}`, or write `kind: virtual`",
                on_key=True,
            )


def _image(body: JsonObject) -> Iterator[Violation]:
    image = body.get("image")
    if isinstance(image, str) and any(
        character.isspace() or not character.isprintable() for character in image
    ):
        yield Violation(
            ("image",),
            "E247",
            f"`image` is {shown(image)}, which has a space or an invisible character",
            "expected a reference such as `python:3.13-slim`",
            "remove the space",
        )


def _resources(body: JsonObject) -> Iterator[Violation]:
    resources = _mapping(body.get("resources"))
    cpus = resources.get("cpus")
    if isinstance(cpus, int | float) and not CPUS_MIN <= cpus <= CPUS_MAX:
        yield Violation(
            ("resources", "cpus"),
            "E241",
            f"`resources.cpus` is {cpus}, not between {CPUS_MIN} and {CPUS_MAX}",
            f"expected {CPUS_MIN} to {CPUS_MAX}",
            f"write {CPUS_MAX if cpus > CPUS_MAX else CPUS_MIN}",
        )
    yield from _size(("resources", "memory"), resources.get("memory"), MEMORY_MIN, "128MiB")


def _storage(body: JsonObject) -> Iterator[Violation]:
    yield from _size(("storage",), body.get("storage"), STORAGE_MIN, "1GiB")


def _size(pointer: Pointer, text: Json, least: int, least_text: str) -> Iterator[Violation]:
    if not isinstance(text, str):
        return
    try:
        small = parse_size(text) < least
    except ValueError:
        yield Violation(
            pointer,
            "E241",
            f"{shown(text)} is more than any machine has",
            f"expected at least {least_text}",
            "write a smaller size",
        )
        return
    if small:
        yield Violation(
            pointer,
            "E241",
            f"{shown(text)} is less than {least_text}",
            f"expected at least {least_text}",
            f'write "{least_text}"',
        )


def _network(body: JsonObject) -> Iterator[Violation]:
    hosts = _list(_mapping(body.get("network")).get("allowedHosts"))
    yield from _too_many(("network", "allowedHosts"), len(hosts), HOSTS_MAX, "hosts")


def _harness(body: JsonObject) -> Iterator[Violation]:
    harness = body.get("harness")
    if isinstance(harness, str) and not is_harness_id(harness):
        yield Violation(
            ("harness",),
            "E245",
            f"`harness` is {shown(harness)}, which cannot name a harness",
            "expected 1-32 lower-case letters, digits and `-`, starting with a letter",
            'write its id, such as "nylorun"',
        )


def _setup(body: JsonObject) -> Iterator[Violation]:
    steps = _list(body.get("setup"))
    yield from _too_many(("setup",), len(steps), SETUP_MAX, "setup commands")
    for index, step in enumerate(steps):
        yield from _step(("setup", index), _mapping(step))


def _step(pointer: Pointer, step: Mapping[str, Json]) -> Iterator[Violation]:
    command, cwd, timeout = step.get("command"), step.get("cwd"), step.get("timeout")
    if isinstance(command, str):
        size = _bytes(command)
        if size > COMMAND_MAX_BYTES:
            yield Violation(
                (*pointer, "command"),
                "E242",
                f"the command has {size:,} bytes, more than {COMMAND_MAX_BYTES:,}",
                f"expected at most {COMMAND_MAX_BYTES:,} bytes",
                "put the script into `files` and run it from there",
            )
        if "\0" in command:
            yield nul_violation((*pointer, "command"))
    if isinstance(cwd, str):
        yield from path_violations((*pointer, "cwd"), cwd, absolute_below=WORKSPACE)
    if isinstance(timeout, str) and _milliseconds(timeout) > TIMEOUT_MAX:
        yield Violation(
            (*pointer, "timeout"),
            "E241",
            f"{shown(timeout)} is longer than an hour",
            "expected at most 1h",
            'write "1h", or split the command into steps',
        )


def _milliseconds(text: str) -> int:
    try:
        return parse_duration(text)
    except ValueError:
        return TIMEOUT_MAX + 1


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _files(body: JsonObject) -> Iterator[Violation]:
    entries = _list(body.get("files"))
    yield from _too_many(("files",), len(entries), FILES_MAX, "entries")
    inline = 0
    for index, entry in enumerate(map(_mapping, entries)):
        path = entry.get("path")
        if isinstance(path, str):
            yield from path_violations(("files", index, "path"), path)
        for name, text in _mapping(entry.get("files")).items():
            pointer: Pointer = ("files", index, "files", name)
            yield from path_violations(pointer, name, on_key=True)
            if isinstance(text, str):
                inline += _bytes(text)
    if inline > INLINE_MAX_BYTES:
        yield Violation(
            ("files",),
            "E242",
            f"the texts in `files` have {inline:,} bytes in all, more than {INLINE_MAX_BYTES:,}",
            f"expected at most {INLINE_MAX_BYTES:,} bytes in all",
            "put what is large into an artifact, and name its `artifactId` and `version`",
            on_key=True,
        )


def _secrets(body: JsonObject) -> Iterator[Violation]:
    secrets = _mapping(body.get("secrets"))
    yield from _too_many(("secrets",), len(secrets), SLOTS_MAX, "slots")
    for name, slot in secrets.items():
        yield from _slot(name, _mapping(slot))


def _slot(name: str, slot: Mapping[str, Json]) -> Iterator[Violation]:
    pointer: Pointer = ("secrets", name)
    if slot.get("type") in VARIABLE_TYPES:
        if is_reserved_variable(name):
            yield Violation(
                pointer,
                "E244",
                f"the variable `{name}` is kept for the sandbox itself",
                "a reserved name",
                "choose another name, such as one with your project's prefix",
                on_key=True,
            )
    elif not is_slot_label(name):
        yield Violation(
            pointer,
            "E244",
            f"{shown(name)} cannot name a slot",
            "expected 1-128 visible characters without `/` and spaces",
            "write a label such as `issue-tracker`",
            on_key=True,
        )
    hosts = _list(slot.get("allowedHosts"))
    yield from _too_many((*pointer, "allowedHosts"), len(hosts), SLOT_HOSTS_MAX, "hosts")
