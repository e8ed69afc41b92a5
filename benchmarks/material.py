"""What the benchmarks run on: repositories of many manifests, and the same amount for peers."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

CONFIG = """\
$schema: schemas/envsync.schema.json
format: 1
project: benchmark
contexts:
  local: {{server: embedded}}
  remote: {{server: '{address}', key: 'env:ENVSYNC_BENCH_KEY'}}
default_context: remote
"""

MANIFEST = """\
$schema: ../schemas/environment-manifest.schema.json
# The box of team {team}: what its agents need to build and test service {number}.
kind: virtual
resources:
  cpus: {cpus}
  memory: {memory}MiB
network:
  allowedHosts:
    - packages.example
    - mirror-{team}.packages.example
    - api.team-{team}.example   # their own service
    - registry.example
harness: nylorun
lifecycle:
  idle: 15m
  deleteAfter: 7d
setup:
  - command: |
      set -euo pipefail
      install-toolchain --channel stable --profile {number}
    cwd: /workspace/service-{number}
    timeout: 10m
  - command: build --locked --jobs {cpus}
    timeout: 20m
files:
  - path: .config/service
    files:
      settings.ini: |
        [service]
        number = {number}
        team = team-{team}
secrets:
  SERVICE_TOKEN:
    type: environment_secret
    description: Reads the service's own interface
    allowedHosts: [api.team-{team}.example]
  LOG_LEVEL:
    type: environment_variable
    required: false
"""


def repository(folder: Path, count: int, address: str = "http://127.0.0.1:1") -> Path:
    """An envsync repository of ``count`` manifests of about 40 lines."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "manifests").mkdir(parents=True)
    shutil.copytree(ROOT / "schemas", folder / "schemas")
    (folder / "envsync.yaml").write_text(CONFIG.format(address=address))
    for number in range(count):
        text = MANIFEST.format(
            number=number, team=number % 97, cpus=1 + number % 8, memory=1024 * (1 + number % 4)
        )
        (folder / "manifests" / f"service-{number:05}.yaml").write_text(text)
    return folder


def dns_zone(folder: Path, count: int) -> Path:
    """An octoDNS configuration: ``count`` records, from YAML files to YAML files."""
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("source", "target"):
        (folder / name).mkdir(parents=True)
    records = "".join(
        f"host-{number:05}:\n  ttl: 300\n  type: A\n  value: 192.0.2.{number % 250 + 1}\n"
        for number in range(count)
    )
    (folder / "source" / "zone.example.yaml").write_text(f"---\n{records}")
    (folder / "config.yaml").write_text(
        "providers:\n"
        "  source:\n    class: octodns.provider.yaml.YamlProvider\n    directory: ./source\n"
        "  target:\n    class: octodns.provider.yaml.YamlProvider\n    directory: ./target\n"
        "zones:\n  zone.example.:\n    sources: [source]\n    targets: [target]\n"
    )
    return folder


def terraform_project(folder: Path, count: int) -> Path:
    """A Terraform project of ``count`` ``terraform_data`` resources (no provider to fetch)."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "main.tf").write_text(
        "".join(
            f'resource "terraform_data" "service_{number:05}" {{\n'
            f'  input = {{ team = "team-{number % 97}", cpus = {1 + number % 8} }}\n}}\n'
            for number in range(count)
        )
    )
    return folder


def commit_all(folder: Path) -> None:
    """Makes ``folder`` a Git repository with one commit of everything in it."""
    git = ["git", "-c", "user.name=Benchmark", "-c", "user.email=benchmark@team.example"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "Manifests"]):
        subprocess.run([*git, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)
