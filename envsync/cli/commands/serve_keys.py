"""serve keys create, list, rotate and delete."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from envsync.cli import databases
from envsync.cli.arguments import Arguments
from envsync.cli.console import Console
from envsync.contract.json_types import Json
from envsync.errors import ExitCode
from envsync.rendering.json_output import json_text
from envsync.rendering.tables import Column, table_lines
from envsync.rendering.text import line, strong
from envsync.rendering.times import ago
from envsync.server.services import keys
from envsync.server.services.host import host
from envsync.server.services.keys import Key, NewKey, Role
from envsync.server.services.times import timestamp
from envsync.server.store.interface import Store, Transaction

Make = Callable[[Transaction, str, str, Role, str], NewKey]


def run_create(arguments: Arguments, console: Console) -> ExitCode:
    return _print_new(_make(arguments, keys.create_key), console)


def run_rotate(arguments: Arguments, console: Console) -> ExitCode:
    return _print_new(_make(arguments, keys.rotate_key), console)


def run_list(arguments: Arguments, console: Console) -> ExitCode:
    async def read(store: Store) -> list[Key]:
        return await store.read(lambda tx: keys.list_keys(tx, host(tx).tenant))

    found = databases.with_store(arguments, read)
    if console.is_json:
        console.data(json_text({"keys": [_json(key) for key in found]}))
        return ExitCode.DONE
    if not found:
        console.out([line("No keys. Make one with: envsync serve keys create NAME")])
        return ExitCode.DONE
    now = datetime.now(UTC)
    rows = [
        [key.id, key.role.value, ago(key.created_at, now), ago(key.rotated_at or "", now)]
        for key in found
    ]
    columns = (Column("key", flexible=True), Column("role"), Column("made"), Column("rotated"))
    console.out(table_lines(columns, rows, console.fixed_width))
    return ExitCode.DONE


def run_delete(arguments: Arguments, console: Console) -> ExitCode:
    key_id, role = arguments.required("id"), _role(arguments)

    async def delete(store: Store) -> None:
        await store.write(lambda tx: keys.delete_key(tx, host(tx).tenant, key_id, role))

    databases.with_store(arguments, delete)
    if console.is_json:
        console.data(json_text({"id": key_id, "role": role.value, "deleted": True}))
    else:
        console.out([line(f"deleted the {role.value} key ", strong(key_id))])
    return ExitCode.DONE


def _role(arguments: Arguments) -> Role:
    return Role(arguments.text("role") or Role.APPLICATION)


def _make(arguments: Arguments, make: Make) -> NewKey:
    key_id, role, now = arguments.required("id"), _role(arguments), timestamp()

    async def write(store: Store) -> NewKey:
        return await store.write(lambda tx: make(tx, host(tx).tenant, key_id, role, now))

    return databases.with_store(arguments, write)


def _print_new(made: NewKey, console: Console) -> ExitCode:
    if console.is_json:
        console.data(json_text({**_json(made.key), "key": made.text}))
        return ExitCode.DONE
    said = "has a new text" if made.rotated else "is made"
    console.err([line(f"the {made.key.role.value} key {made.key.id} {said}, shown once:")])
    console.out([line(made.text)])
    return ExitCode.DONE


def _json(key: Key) -> dict[str, Json]:
    return {
        "id": key.id,
        "role": key.role.value,
        "createdAt": key.created_at,
        "rotatedAt": key.rotated_at,
    }
