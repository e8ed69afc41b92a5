"""init: make a folder an envsync repository. Never overwrites; a second run changes nothing."""

from __future__ import annotations

from pathlib import Path

from envsync.documents.writing import write_atomically
from envsync.operations import schemas
from envsync.operations.reports import InitReport

CONFIG = """\
$schema: schemas/envsync.schema.json
format: 1
project: {project}
contexts:
  # In process, on .envsync/server.db: nothing to install, nothing to start.
  local: {{server: embedded}}
  # A server for the team. The key is read from the environment, never from a file in Git.
  # staging: {{server: 'https://runtime.staging.example', key: 'env:NYLORUN_SERVER_KEY'}}
default_context: local
"""

MANIFEST = """\
$schema: ../schemas/environment-manifest.schema.json
# What an agent needs to build and test this repository. The file's stem is the manifest's name.
kind: virtual
resources: {cpus: 2, memory: 1024MiB}
network:
  # Nothing else can be reached from inside.
  allowedHosts: [packages.example]
setup:
  - command: |
      set -euo pipefail
      echo "install what the repository needs here"
    timeout: 10m
lifecycle: {idle: 15m}
"""

WORKFLOW = """\
name: envsync
on:
  pull_request:
  push: {branches: [main]}
permissions: {contents: read}
jobs:
  validate:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with: {python-version: '3.12'}
      - run: pip install envsync
      # Needs no credential, so it runs for pull requests from forks too.
      - run: envsync validate --output github
"""

IGNORED = ("/.envsync/",)


def initialise(root: Path, *, project: str = "") -> InitReport:
    """Writes what is missing below ``root``: envsync.yaml, the schemas, an example manifest,
    lines of .gitignore and a CI workflow."""
    written: list[str] = []
    kept: list[str] = []

    def put(relative: str, text: str) -> None:
        target = root / relative
        if target.exists():
            kept.append(relative)
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(target, text.encode())
        written.append(relative)

    put("envsync.yaml", CONFIG.format(project=project_name(root, project)))
    new, current = schemas.export(root / "schemas", overwrite=False)
    written += [f"schemas/{name}" for name in new]
    kept += [f"schemas/{name}" for name in current]
    if not any((root / "manifests").glob("*")):
        put("manifests/example.yaml", MANIFEST)
    ignore(root, written, kept)
    put(".github/workflows/envsync.yml", WORKFLOW)
    return InitReport(str(root), tuple(written), tuple(kept))


def project_name(root: Path, asked: str) -> str:
    """A name for envsync.yaml: the one asked for, or the folder's, that needs no quotes."""
    plain = "".join(
        letter if letter.isascii() and (letter.isalnum() or letter in "._-") else "-"
        for letter in (asked or root.resolve().name)
    ).strip("-._")
    return plain if plain and plain[0].isalpha() else f"project-{plain}".rstrip("-")


def ignore(root: Path, written: list[str], kept: list[str]) -> None:
    """Adds the lines that .gitignore lacks, below what stands there."""
    target = root / ".gitignore"
    before = target.read_bytes() if target.exists() else b""
    lines = before.decode("utf-8", "surrogateescape").splitlines()
    missing = [line for line in IGNORED if line not in lines and line.strip("/") + "/" not in lines]
    if not missing:
        kept.append(".gitignore")
        return
    newline = "\r\n" if b"\r\n" in before else "\n"
    text = "" if not before or before.endswith(b"\n") else newline
    text += newline.join(missing) + newline
    write_atomically(target, before + text.encode())
    written.append(".gitignore")
