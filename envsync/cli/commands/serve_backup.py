"""serve backup and restore."""

from __future__ import annotations

from envsync.cli import databases, places
from envsync.cli.arguments import Arguments
from envsync.cli.console import Console
from envsync.cli.working import working
from envsync.errors import ExitCode
from envsync.rendering.json_output import json_text
from envsync.rendering.text import counted, line
from envsync.server.backup import BackupReport, back_up, restore
from envsync.server.services.times import timestamp
from envsync.server.store.interface import Store


def run_backup(arguments: Arguments, console: Console) -> ExitCode:
    target = places.start(arguments) / arguments.required("file")
    now, force = timestamp(), arguments.flag("force")

    async def write(store: Store) -> BackupReport:
        return await back_up(store, target, now, overwrite=force)

    with working(console, "backing up"):
        report = databases.with_store(arguments, write)
    return _print(report, "wrote", console)


def run_restore(arguments: Arguments, console: Console) -> ExitCode:
    source = places.start(arguments) / arguments.required("file")
    force = arguments.flag("force")

    async def fill(store: Store) -> BackupReport:
        return await restore(store, source, overwrite=force)

    with working(console, "restoring"):
        report = databases.with_store(arguments, fill)
    return _print(report, "restored from", console)


def _print(report: BackupReport, verb: str, console: Console) -> ExitCode:
    if console.is_json:
        console.data(json_text({"file": str(report.path), "rows": dict(report.rows)}))
    else:
        rows = counted(sum(report.rows.values()), "row")
        console.out([line(f"{verb} {report.path}: {rows}")])
    return ExitCode.DONE
