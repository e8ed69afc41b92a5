"""demo: the whole loop on the sample repository, told as it goes."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from msgspec import Struct

from envsync.api.messages import Request, Response
from envsync.cli import places
from envsync.cli.arguments import Arguments
from envsync.cli.console import Console
from envsync.contract.assets import asset
from envsync.errors import EnvsyncError, ExitCode
from envsync.project.config import Project
from envsync.project.context import Context
from envsync.rendering.text import EMPTY, Line, line, quiet, strong

_MEMORY = re.compile(r"(memory: *)(\d+)(MiB|GiB)")
_BOX = "analyst-box"


def run(arguments: Arguments, console: Console) -> ExitCode:
    """Plays the loop in a temporary folder, or in the one that ``--keep`` names."""
    keep = arguments.text("keep")
    if keep is not None:
        _play(_empty(places.start(arguments) / keep), console, kept=True)
        return ExitCode.DONE
    with tempfile.TemporaryDirectory(prefix="envsync-demo-") as folder:
        _play(Path(folder) / "acme-environments", console, kept=False)
    return ExitCode.DONE


def _empty(folder: Path) -> Path:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise EnvsyncError(
            "E910", f"{folder} is not an empty folder", remedy="name a new one with --keep"
        )
    return folder


def _play(root: Path, console: Console, *, kept: bool) -> None:
    stage = _Stage(root, console)
    stage.tell("A company keeps its agents' environments in a repository like this one:")
    stage.prepare()
    stage.show_files()
    stage.tell("Nothing is on the server yet. First, are the files right?")
    stage.envsync("validate")
    stage.tell("What would change on the server? A plan writes nothing.")
    stage.envsync("plan")
    stage.tell("Do it. Each manifest is saved with a precondition, and has one outcome.")
    stage.envsync("apply")
    stage.tell("Files and server agree now, and the next plan says so.")
    stage.envsync("plan")
    stage.tell(f"You give {_BOX} more memory, and save the plan so that others can review it.")
    stage.edit_and_commit()
    stage.envsync("plan", "-o", "../plan.json")
    stage.tell("While it is reviewed, carol saves another version past the repository.")
    stage.interfere()
    stage.tell("The reviewed plan no longer fits. It is refused, and carol's change is safe.")
    stage.envsync("apply", "../plan.json", expected=ExitCode.REFUSED)
    stage.tell("Who did what? Commits and versions are one history.")
    stage.envsync("history", _BOX)
    stage.tell("No commit ever said what carol saved: that is drift, and it is yours to decide.")
    stage.envsync("plan")
    stage.end(kept=kept)


class _Stage(Struct, frozen=True):
    """The sample repository in ``root``, and where it is told about."""

    root: Path
    console: Console

    def tell(self, text: str) -> None:
        self.console.out([EMPTY, line(strong(f"# {text}"))])

    def envsync(self, *words: str, expected: ExitCode = ExitCode.DONE) -> None:
        """Runs a command as a person would, in the sample repository."""
        from envsync.cli import invocation
        from envsync.cli.run import run_in

        self.console.out([line(quiet("$ "), f"envsync {' '.join(words)}")])
        tokens = ["-C", str(self.root), *words]
        code = run_in(self.console, tokens, invocation.split(tokens))
        if code != expected:
            raise EnvsyncError(
                "E913",
                f"the demo stopped: `envsync {' '.join(words)}` ended with {code}",
                remedy="see what is wrong with this machine: envsync doctor",
            )

    def prepare(self) -> None:
        """The sample, committed, so that plans can name a commit."""
        shutil.copytree(asset("sample-repo"), self.root, dirs_exist_ok=True)
        self._git("init", "-q", "-b", "main")
        self._commit("The environments of our agents")

    def show_files(self) -> None:
        rows: list[Line] = []
        for path in sorted(self.root.glob("*/*.yaml")):
            relative = path.relative_to(self.root).as_posix()
            if relative.startswith("manifests/"):
                rows.append(line(f"  {relative}"))
        self.console.out([line("  envsync.yaml"), *rows])

    def edit_and_commit(self) -> None:
        """Doubles the box's memory, as an editor would: one value, nothing else."""
        path = self.root / "manifests" / f"{_BOX}.yaml"
        text = path.read_text(encoding="utf-8")
        edited = _MEMORY.sub(lambda m: f"{m[1]}{2 * int(m[2])}{m[3]}", text, count=1)
        path.write_text(edited, encoding="utf-8")
        self._commit("More memory for the analysts")

    def interfere(self) -> None:
        """Somebody else saves a version of the box straight to the server."""
        asyncio.run(_save_as_carol(self.root))

    def end(self, *, kept: bool) -> None:
        where = f"The repository is in {self.root}." if kept else "All of it is deleted again."
        self.console.out(
            [
                EMPTY,
                line(strong("# That is the loop. "), where),
                line("  envsync init              begin with a repository of your own"),
                line("  envsync demo --keep DIR   keep the sample to play with"),
                line("  envsync help plan         what a command does"),
            ]
        )

    def _commit(self, message: str) -> None:
        self._git("add", "-A")
        self._git("commit", "-q", "-m", message)

    def _git(self, *words: str) -> None:
        """Git, with a name of its own: a fresh machine has none. Without Git the demo goes on;
        plans just name no commit."""
        git = shutil.which("git")
        if git is None:
            return
        settings = ["-c", "user.name=You", "-c", "user.email=you@acme.example"]
        settings += ["-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null"]
        subprocess.run([git, *settings, *words], cwd=self.root, check=True)  # noqa: S603


class _CarolsTransport:
    """The embedded server as another person's process would have it open."""

    address = "embedded"

    def __init__(self, database: Path) -> None:
        from envsync.server.local import open_local

        self._server = open_local(database, user="carol")

    async def send(self, request: Request) -> Response:
        from envsync.embedded import call

        return await call(self._server.app, request)

    async def aclose(self) -> None:
        await self._server.aclose()


def _as_carol(project: Project, context: Context) -> _CarolsTransport:
    return _CarolsTransport(context.database_path(project.root))


async def _save_as_carol(root: Path) -> None:
    from envsync.api.runtime import RuntimeWriter
    from envsync.operations.workspace import Workspace

    workspace = Workspace.open(root, None, _as_carol)
    async with workspace.session() as session:
        view = await session.reader.get_manifest(_BOX)
        assert view is not None
        assert view.manifest is not None
        body = {**view.manifest, "kind": view.kind, "lifecycle": {"idle": "2h"}}
        await RuntimeWriter(session.reader).save_manifest(_BOX, body, view.version)
