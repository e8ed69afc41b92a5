"""The JSON Schemas that a repository keeps beside its files, so that editors check offline."""

from __future__ import annotations

from pathlib import Path

from envsync.contract.assets import asset
from envsync.documents.writing import write_atomically
from envsync.errors import Position, Problem

PUBLISHED = (
    "environment-manifest.schema.json",
    "envsync.schema.json",
    "plan.schema.json",
)


def export(folder: Path, *, overwrite: bool = True) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Writes this program's schemas into ``folder``. Returns (written, already current) names."""
    written, kept = [], []
    folder.mkdir(parents=True, exist_ok=True)
    for name in PUBLISHED:
        source = asset(f"schemas/{name}").read_bytes()
        target = folder / name
        exists = target.is_file()
        if exists and (not overwrite or target.read_bytes() == source):
            kept.append(name)
            continue
        write_atomically(target, source)
        written.append(name)
    return tuple(written), tuple(kept)


def check(folder: Path, shown_as: str) -> tuple[Problem, ...]:
    """What keeps the schemas in ``folder`` from being this program's own."""
    problems = []
    for name in PUBLISHED:
        target = folder / name
        if not target.is_file():
            found = "is missing"
        elif target.read_bytes() != asset(f"schemas/{name}").read_bytes():
            found = "is not the one that this version of envsync comes with"
        else:
            continue
        problems.append(
            Problem(
                "E432",
                f"{shown_as}/{name} {found}",
                position=Position(f"{shown_as}/{name}"),
                remedy="write it anew with: envsync schema export",
            )
        )
    return tuple(problems)
