"""Secrets are planted wherever envsync takes one, and then looked for wherever it writes."""

from __future__ import annotations

import base64
import json
import os
import secrets
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from envsync.cli.table import COMMANDS, find
from tests.e2e.conftest import ENVSYNC, Repository, Server
from tests.e2e.footprint import files_below
from tests.e2e.interposer import Answer, Interposer, Seen

BOX = "kind: virtual\nlifecycle: {{deleteAfter: 7d}}\nsetup:\n  - command: make {}\n"

CONFIG = """\
format: 1
project: acme
default_context: env
contexts:
  local: {{server: embedded}}
  env: {{server: '{address}', key: 'env:CANARY_KEY', management_key: 'env:CANARY_MANAGEMENT'}}
  file: {{server: '{address}', key: 'file:../canary.key'}}
  wrong: {{server: '{address}', key: 'env:CANARY_WRONG'}}
  echo: {{server: '{echo}', key: 'env:CANARY_KEY'}}
  away: {{server: 'https://runtime.example', key: 'env:CANARY_KEY'}}
  badly: {{server: '{address}', key: 'env:CANARY_BADLY'}}
  nobody: {{server: 'http://127.0.0.1:1', key: 'env:CANARY_KEY'}}
"""

LINES = [
    "validate",
    "doctor",
    "doctor --context badly",
    "context list",
    "context show",
    "context use env",
    "plan",
    "plan -o plan.json",
    "plan --context wrong",
    "plan --offline HEAD",
    "apply --audit audit.jsonl --allow-dirty",
    "apply plan.json --allow-dirty",
    "apply --context wrong --yes --allow-dirty",
    "status --context file",
    "diff box",
    "show box",
    "show box --context echo",
    "history box",
    "sync -m Canary",
    "rollback box@1",
    "pull --allow-dirty",
    "watch --once --apply",
    "init",
    "schema check",
    "schema export",
    "serve keys list",
    "serve backup saved.json",
    "serve restore saved.json --force",
    "serve restore ../canary.key",
    "serve --port 0 --key-file ../canary.key --tls-cert ../canary.key --tls-key ../canary.key",
    "explain E410",
    "hook install",
    "hook status",
    "hook uninstall",
]

FAILING = [
    "doctor --context away",
    "doctor --context echo",
    "plan --context away",
    "plan --context badly",
    "plan --context echo",
    "plan --context nobody",
    "status --context wrong",
    "apply --context echo --allow-dirty",
    "apply --context nobody --allow-dirty",
    "watch --once --context wrong",
    "pull --context wrong",
    "serve keys list --database {postgresql}",
    "serve --database {postgresql}",
]
"""Ends in nothing but trouble, some of it after a while: all are run at once."""

NOT_TRIED = {"demo", "help", "completion"}
"""They take no secret and know of none."""


def echo(seen: Seen) -> Answer:
    """A server that tells everybody what it was told: the worst gateway there is."""
    if seen.target == "/health":
        health = {"version": "1", "hostId": "h", "protocol": {"min": 14, "max": 14}}
        return Answer(200, body=json.dumps(health).encode())
    # The key itself is not among it: what a server says is shown, that is its purpose.
    return Answer(418, body=b'{"status": "rejected", "code": "teapot", "message": "no"}')


def spellings(secret: str) -> list[bytes]:
    """How a secret may look in bytes: as it is, and as HTTP, JSON and URLs encode it."""
    plain = secret.encode()
    return [plain, base64.b64encode(plain).rstrip(b"="), plain[:24], plain[-24:]]


@pytest.mark.slow
def test_no_secret_is_written_anywhere(tmp_path: Path, start_server: Callable[..., Server]) -> None:
    known = secrets.token_hex(32)
    planted = {
        "CANARY_KEY": known,
        "CANARY_MANAGEMENT": secrets.token_hex(32),
        "CANARY_WRONG": secrets.token_hex(32),
        "CANARY_BADLY": f"{secrets.token_hex(16)} {secrets.token_hex(16)}",
    }
    proxy, postgresql = secrets.token_hex(32), secrets.token_hex(32)
    everything = [*planted.values(), proxy, postgresql]
    key_file = tmp_path / "canary.key"
    key_file.write_text(known + "\n")
    key_file.chmod(0o600)
    log = tmp_path / "access.log"
    (tmp_path / "first.key").write_text(known)
    server = start_server(tmp_path / "served.db", "--access-log", str(log))
    with Interposer("http://127.0.0.1:9", echo) as between:
        repository = Repository(tmp_path / "repository")
        text = CONFIG.format(address=server.address, echo=between.address)
        repository.write("envsync.yaml", text)
        repository.write("manifests/box.yaml", BOX.format("one"))
        repository.git("init", "-q", "-b", "main")
        repository.commit("First")
        environ = {
            **os.environ,
            **planted,
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
            "HTTPS_PROXY": f"http://bob:{proxy}@127.0.0.1:1",
        }
        address = f"postgresql://bob:{postgresql}@127.0.0.1:1/envsync?connect_timeout=1"

        def run(line: str, form: str) -> bytes:
            words = line.format(postgresql=address).split()
            done = subprocess.run(
                [str(ENVSYNC), *words, "--output", form, "-v", "--debug"],
                cwd=repository.root,
                env=environ,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=120,
                check=False,
            )
            said = done.stdout + done.stderr
            assert b"E999" not in said, (line, said.decode())
            for spelling in (each for secret in everything for each in spellings(secret)):
                assert spelling not in said, (line, form)
            return said

        said = b""
        for number, line in enumerate(LINES):
            for form in formats_of(line):
                repository.write("manifests/box.yaml", BOX.format(f"{number}-{form}"))
                said += run(line, form)
        with ThreadPoolExecutor(8) as pool:
            pairs = [(line, form) for line in FAILING for form in formats_of(line)]
            said += b"".join(pool.map(run, *zip(*pairs, strict=True)))
    assert b"/v1/environment-manifests" in said  # --debug did tell
    assert log.stat().st_size
    searched = require_absent(tmp_path, everything, besides={key_file, tmp_path / "first.key"})
    assert searched > 20


def require_absent(root: Path, planted: list[str], *, besides: set[Path]) -> int:
    """How many files were searched."""
    searched = 0
    for path in files_below(root):
        if path in besides or not path.is_file():
            continue
        data = path.read_bytes()
        searched += 1
        for secret in planted:
            for spelling in spellings(secret):
                assert spelling not in data, path
    return searched


def formats_of(line: str) -> tuple[str, ...]:
    words = tuple(line.split())
    command = find(words[:3]) or find(words[:2]) or find(words[:1])
    assert command is not None
    return command.formats


def test_every_command_is_tried() -> None:
    tried = {" ".join(line.split()[: len(each.words)]) for line in LINES for each in COMMANDS}
    made = {"serve keys create", "serve keys rotate", "serve keys delete"}
    assert {each.name for each in COMMANDS} - tried - NOT_TRIED - made == set()


def test_a_new_key_is_shown_once_and_kept_nowhere(
    make_repository: Callable[..., Repository], tmp_path: Path
) -> None:
    repository = make_repository({"box": BOX.format("x")})
    made = []
    for line in ("create", "rotate"):
        for form in ("text", "json"):
            name = f"ci-{form}"
            done = repository.run("serve", "keys", line, name, "--output", form, "--debug")
            assert done.code == 0, done.err
            key = json.loads(done.out)["key"] if form == "json" else done.out.strip()
            assert len(key) == 64
            assert key not in done.err
            made.append(key)
    assert len(set(made)) == 4
    backup = repository.run("serve", "backup", "saved.json")
    listed = repository.run("serve", "keys", "list", "--output", "json")
    deleted = repository.run("serve", "keys", "delete", "ci-text")
    assert (backup.code, listed.code, deleted.code) == (0, 0, 0)
    said = backup.out + listed.out + deleted.out
    assert [key for key in made if key in said] == []
    require_absent(tmp_path, made, besides=set())
