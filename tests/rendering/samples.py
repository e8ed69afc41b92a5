"""Values that renderers are shown with: believable ones, and hostile ones."""

from __future__ import annotations

from msgspec.structs import replace

from envsync.applying.outcome import Outcome, Result
from envsync.contract.json_types import JsonObject
from envsync.contract.states import State
from envsync.errors import ExitCode, Position, Problem, Severity
from envsync.operations.reports import ApplyReport, PlanReport, StatusReport, StatusRow
from envsync.planning.plan import (
    Change,
    FieldChange,
    FieldOp,
    Foreseen,
    Held,
    Notice,
    Op,
    Plan,
    ServerIdentity,
    ThreeWay,
)
from envsync.resources.resource import Base, ObjectId

HOSTILE = (
    "\x1b[31mred\x07",
    "two\nlines",
    "\u202egnp.exe",
    "zero\u200bwidth",
    "`fence` ```three```",
    "a|b <script> @alice #12",
    "::error file=x::y%0A",
    "\udcff",
)

SERVER = ServerIdentity("https://runtime.example", "h1")


def manifest(name: str) -> ObjectId:
    return ObjectId("manifest", name)


def base(version: int) -> Base:
    return Base(version, f"{version:064x}")


UNKNOWN = Foreseen()


def update(name: str, *fields: FieldChange, foreseen: Foreseen = UNKNOWN) -> Change:
    body: JsonObject = {"kind": "virtual"}
    return Change(
        manifest(name),
        Op.UPDATE,
        State.DIFFERS,
        base=base(7),
        hash="a" * 64,
        body=body,
        canonical=body,
        base_canonical=body,
        fields=fields,
        foreseen=foreseen,
        path=f"manifests/{name}.yaml",
    )


OLD_SCRIPT = "set -e\nuv sync\nuv run pytest --collect-only\n"
NEW_SCRIPT = "set -e\nuv sync --frozen\nuv run pytest --collect-only\n"

ANALYST = update(
    "analyst-box",
    FieldChange(FieldOp.ADD, ("network", "allowedHosts", 1), new="api.stripe.example"),
    FieldChange(FieldOp.REMOVE, ("network", "allowedHosts", 3), old="files.example"),
    FieldChange(FieldOp.REPLACE, ("resources", "memory"), old="2048MiB", new="4096MiB"),
    FieldChange(FieldOp.REPLACE, ("setup", 1, "command"), old=OLD_SCRIPT, new=NEW_SCRIPT),
    FieldChange(FieldOp.ADD, ("setup", 2), new={"command": "make warm", "timeout": "10m"}),
    FieldChange(FieldOp.REMOVE, ("lifecycle", "idle"), old="15m"),
    foreseen=Foreseen(
        source="server",
        next_version=8,
        warnings=(Notice("image_ignored", "the image is taken from this machine", "/image"),),
        environments=5,
        on_older=3,
    ),
)
LOADER = Change(
    manifest("data-loader"),
    Op.CREATE,
    State.NEW,
    hash="b" * 64,
    body={"kind": "virtual", "setup": [{"command": "make"}]},
    canonical={
        "kind": "virtual",
        "network": {"allowedHosts": ["a.example", "b.example"]},
        "setup": [{"command": "make"}],
    },
    foreseen=Foreseen(source="server", next_version=1),
)
REFUSED = update(
    "web-builder",
    FieldChange(FieldOp.REPLACE, ("kind",), old="virtual", new="pod"),
    foreseen=Foreseen(
        source="server",
        errors=(Notice("limit_exceeded", "this server runs no pods", "/kind"),),
        environments=1,
        on_older=0,
    ),
)
SCRATCH = Change(
    manifest("scratch"),
    Op.DELETE,
    State.FOREIGN,
    base=base(3),
    base_canonical={"kind": "none"},
    foreseen=Foreseen(environments=0),
)
AGREED: JsonObject = {
    "kind": "virtual",
    "resources": {"cpus": 2, "memory": "2048MiB"},
    "network": {"allowedHosts": ["a.example"]},
}
OURS: JsonObject = {**AGREED, "resources": {"cpus": 2, "memory": "4096MiB"}}
THEIRS: JsonObject = {
    **AGREED,
    "resources": {"cpus": 2, "memory": "8192MiB"},
    "network": {"allowedHosts": ["a.example", "b.example"]},
    "setup": [{"command": "make"}],
}
DRIFT = Change(
    manifest("web-builder"),
    Op.UPDATE,
    State.DRIFT,
    base=base(12),
    hash="a" * 64,
    body=OURS,
    canonical=OURS,
    base_canonical=THEIRS,
    fields=(FieldChange(FieldOp.REPLACE, ("resources", "memory"), "8192MiB", "4096MiB"),),
    foreseen=Foreseen(source="server", next_version=13, environments=8, on_older=0),
    path="manifests/web-builder.yaml",
    saved_by="application:ops",
    saved_at="2026-11-28T17:04:31.512Z",
    three_way=ThreeWay(11, "88e01f2b" * 5, AGREED),
    held_back="drift",
)
UNKNOWN_CHANGE = replace(
    DRIFT,
    id=manifest("cache-warmer"),
    state=State.UNKNOWN,
    three_way=None,
    held_back="unknown",
    foreseen=Foreseen(warnings=(Notice("unknown", "fetch all: git fetch --unshallow"),)),
)
MOVE = replace(
    LOADER,
    id=manifest("analyst-box-legacy"),
    moved_from="analyst",
    foreseen=Foreseen(source="server", next_version=1, environments=3),
)
GONE_IN_DRIFT = Change(
    manifest("scratch"),
    Op.DELETE,
    State.GONE,
    base=base(3),
    base_canonical=THEIRS,
    saved_by="subject:carol",
    three_way=ThreeWay(2, "", AGREED, put_back="1b77f10c" * 5),
    held_back="drift",
)
GONE = (
    Held(manifest("old-box"), State.GONE, base(2), environments=0),
    Held(manifest("analyst"), State.GONE, base(5), environments=3),
    Held(manifest("busy"), State.GONE, base(1), environments=1),
)
IN_SYNC = tuple(
    Held(manifest(f"box-{number:02}"), State.IN_SYNC, base(1), "c" * 64) for number in range(34)
)
MISSING = Held(manifest("notebook"), State.MISSING, path="manifests/notebook.yaml")


def plan(
    *changes: Change, held: tuple[Held, ...] = IN_SYNC, left_out: tuple[str, ...] = ()
) -> Plan:
    return Plan(
        id="9f31c2ab" * 8,
        project="acme-environments",
        context="production",
        server=SERVER,
        tree="d" * 64,
        changes=changes,
        held=held,
        left_out=left_out,
        commit="4f2c1aa9" * 5,
        created_at="2026-11-29T17:04:00Z",
    )


def plan_report(*changes: Change, held: tuple[Held, ...] = IN_SYNC) -> PlanReport:
    made = plan(*changes, held=held)
    return PlanReport(made, (), len(changes) + len(held), 0.212)


def outcomes() -> tuple[Outcome, ...]:
    conflict = Problem(
        "E523",
        "v4 is no longer the latest (v5 by subject:carol, 12 s ago); theirs differs in "
        "setup[0].command, and nothing was written",
        remedy="see theirs with: envsync diff api-runner",
    )
    waits = Problem("E525", "the server is gone", severity=Severity.ERROR)
    return (
        Outcome(manifest("analyst-box"), Op.UPDATE, Result.APPLIED, base(8), attempts=1),
        Outcome(manifest("data-loader"), Op.CREATE, Result.APPLIED, base(1), attempts=1),
        Outcome(manifest("web-builder"), Op.UPDATE, Result.UNCHANGED, base(12)),
        Outcome(manifest("api-runner"), Op.UPDATE, Result.CONFLICT, base(5), conflict),
        Outcome(manifest("notebook"), Op.UPDATE, Result.NOT_ATTEMPTED, problem=waits),
        Outcome(manifest("scratch"), Op.DELETE, Result.APPLIED, notes=("3 versions are gone",)),
        *(Outcome(held.id, None, Result.UNCHANGED, held.base) for held in IN_SYNC),
    )


def apply_report() -> ApplyReport:
    made = plan(ANALYST, LOADER)
    return ApplyReport(made, outcomes(), (), 1.84, ExitCode.PARTIAL)


def status_report() -> StatusReport:
    rows = (
        StatusRow(
            manifest("analyst-box"),
            State.DIFFERS,
            "4f2c1aa",
            7,
            "application:ci",
            "2026-11-27T12:00:00Z",
            3,
            1,
        ),
        StatusRow(manifest("data-loader"), State.NEW, "edited"),
        StatusRow(manifest("notebook"), State.MISSING, "4f2c1aa"),
        StatusRow(
            manifest("a-name-that-goes-on-and-on-as-long-as-the-grammar-lets-it-be-1234"),
            State.IN_SYNC,
            "4f2c1aa",
            12,
            "issuer:example:somebody-with-a-long-name",
            "2026-11-29T11:59:48Z",
            8,
        ),
        StatusRow(
            manifest("scratch"), State.FOREIGN, "", 2, "subject:carol", "2025-01-01T00:00:00Z"
        ),
    )
    counts = {state: sum(row.state is state for row in rows) for state in State}
    return StatusReport(
        "acme-environments", "production", SERVER, "4f2c1aa9" * 5, rows, counts, (), 0.05
    )


def at(line: int, column: int, end_column: int | None = None, path: str = "a.yaml") -> Position:
    end = None if end_column is None else line
    return Position(path, line, column, end, end_column)
