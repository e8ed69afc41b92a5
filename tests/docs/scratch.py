"""Runs the blocks of a page, one shell a page, in a copy of the sample repository."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.docs.blocks import ROOT

SECONDS = 120
_MARK = "\x1e"


@dataclass(frozen=True, slots=True)
class Step:
    """A piece of shell, and where the page says it."""

    where: str
    script: str


@dataclass(frozen=True, slots=True)
class Done:
    """``output`` holds both streams, as a person would see them."""

    exit_code: int
    output: str


class Scratch:
    """A person's home folder with a Git repository in it, made from the sample one."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.repository = home / "acme-environments"
        home.mkdir(exist_ok=True)
        shutil.copytree(ROOT / "sample-repo", self.repository)
        shutil.rmtree(self.repository / ".envsync", ignore_errors=True)
        for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "sample"]):
            subprocess.run(
                ["git", *words], cwd=self.repository, env=self.environment(), check=True, timeout=60
            )

    def environment(self) -> dict[str, str]:
        """Nothing of the machine but the programs on its path."""
        programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        person = {"NAME": "Alice", "EMAIL": "alice@acme.example"}
        return {
            "PATH": programs,
            "HOME": str(self.home),
            "TMPDIR": str(self.home),
            "LOGNAME": "alice",
            "LANG": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            **{f"GIT_AUTHOR_{key}": value for key, value in person.items()},
            **{f"GIT_COMMITTER_{key}": value for key, value in person.items()},
        }

    def run(self, steps: list[Step]) -> list[Done]:
        """Each step's end. What one step leaves behind (files, variables, the folder it went to,
        jobs) the next one finds."""
        script, output = self.home / "page.sh", self.home / "page.out"
        script.write_text(self._script(steps), encoding="utf-8")
        with output.open("wb") as stream:
            shell = subprocess.Popen(
                ["bash", str(script)],
                cwd=self.repository,
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                shell.wait(SECONDS)
            finally:
                _end(shell)
        said = output.read_text(encoding="utf-8", errors="replace")
        said = said.replace(str(self.home), "/home/alice")
        ends = said.split(_MARK)
        assert len(ends) == 2 * len(steps) + 1, f"the page ended early:\n{said}"
        return [
            Done(int(ends[2 * at + 1]), ends[2 * at].removesuffix("\n")) for at in range(len(steps))
        ]

    def _script(self, steps: list[Step]) -> str:
        lines = []
        for step in steps:
            lines += [
                f"# {step.where}",
                "{",
                step.script,
                "}",
                f"printf '{_MARK}%d{_MARK}' $?",
            ]
        return "\n".join(lines) + "\n"

    def python(self, number: int, text: str) -> str:
        """The shell that runs a Python block."""
        path = self.home / f"block-{number}.py"
        path.write_text(text, encoding="utf-8")
        return f"python {shlex.quote(str(path))}"


def writing(path: str, text: str) -> str:
    """The shell that writes a file which a page shows."""
    folder = shlex.quote(str(Path(path).parent))
    return f"mkdir -p {folder} && cat > {shlex.quote(path)} <<'END'\n{text}END"


def _end(shell: subprocess.Popen[bytes]) -> None:
    """Ends what the page left running: its own process group and nothing else."""
    try:
        os.killpg(shell.pid, signal.SIGTERM)
    except ProcessLookupError:
        return
    finally:
        shell.wait(SECONDS)
