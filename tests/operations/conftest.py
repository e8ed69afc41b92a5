"""Repositories that Git knows, on one embedded server, with somebody else who saves on it."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from envsync.api.messages import Transport
from envsync.api.runtime import RuntimeReader, RuntimeWriter
from envsync.embedded import EmbeddedTransport, connect
from envsync.operations import adopting, applying, planning
from envsync.operations.adopting import ADOPT, AdoptOptions
from envsync.operations.pulled import PullReport
from envsync.operations.workspace import Connect, Workspace
from envsync.planning.plan import Plan

CONFIG = """\
project: acme
contexts:
  local: {{server: embedded, database: {database}}}
  staging: {{server: embedded, database: {database}.staging}}
default_context: local
"""


@dataclass
class Place:
    """A repository, and the server of its context ``local``."""

    root: Path
    database: Path
    connect: Connect = connect

    def write(self, files: Mapping[str, str | bytes]) -> None:
        for path, content in files.items():
            target = self.root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.encode() if isinstance(content, str) else content)

    def read(self, path: str) -> str:
        return (self.root / path).read_bytes().decode()

    def git(self, *words: str) -> str:
        who = ("-c", "user.name=Alice", "-c", "user.email=alice@team.example")
        return subprocess.run(
            ["git", *who, *words], cwd=self.root, check=True, capture_output=True, text=True
        ).stdout

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-qm", "change", "--allow-empty")

    def diff(self) -> str:
        """The lines that went and came since the last commit."""
        rows = self.git("diff", "--unified=0", "--text").splitlines()
        return "".join(
            f"{row}\n"
            for row in rows
            if row[:1] in ("+", "-") and not row.startswith(("+++", "---"))
        )

    def workspace(self, context: str | None = None) -> Workspace:
        return Workspace.open(self.root, context, self.connect)

    def plan(self, context: str | None = None) -> Plan:
        return asyncio.run(planning.plan(self.workspace(context))).plan

    def apply(self) -> None:
        workspace = self.workspace()
        made = asyncio.run(planning.plan(workspace)).plan
        report = asyncio.run(applying.apply(workspace, made))
        assert report.exit_code == 0, report.outcomes

    def pull(self, *names: str, context: str | None = None, **options: bool) -> PullReport:
        chosen = AdoptOptions(**options) if options else ADOPT
        return asyncio.run(adopting.pull(self.workspace(context), names, chosen))

    def rollback(self, reference: str, **options: bool) -> PullReport:
        return asyncio.run(adopting.rollback(self.workspace(), reference, AdoptOptions(**options)))

    def saves(self, bodies: Mapping[str, Mapping[str, Any]]) -> None:
        """Somebody saves past the repository."""

        async def save(transport: Transport) -> None:
            writer = RuntimeWriter(RuntimeReader(transport, None))
            for name, body in bodies.items():
                view = await RuntimeReader(transport, None).get_manifest(name)
                await writer.save_manifest(name, body, view.version if view else 0)
            await transport.aclose()

        asyncio.run(save(EmbeddedTransport(self.database)))

    def deletes(self, *names: str) -> None:
        async def delete(transport: Transport) -> None:
            reader = RuntimeReader(transport, None)
            for name in names:
                view = await reader.get_manifest(name)
                assert view is not None
                await RuntimeWriter(reader).delete_manifest(name, view.version)
            await transport.aclose()

        asyncio.run(delete(EmbeddedTransport(self.database)))


@pytest.fixture(autouse=True)
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def make_place(tmp_path: Path) -> Callable[..., Place]:
    def make(files: Mapping[str, str | bytes] | None = None, name: str = "acme") -> Place:
        root = tmp_path / name
        root.mkdir()
        database = tmp_path / "server.db"
        place = Place(root, database)
        place.write({"envsync.yaml": CONFIG.format(database=database), **(files or {})})
        place.git("init", "-q", "-b", "main")
        place.commit()
        return place

    return make
