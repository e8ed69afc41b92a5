"""The demo needs nothing, asks nothing, and leaves nothing behind."""

from __future__ import annotations

import re
from pathlib import Path

from envsync.errors import ExitCode
from tests.cli.conftest import process
from tests.conftest import Snapshot


def test_the_whole_loop(tmp_path: Path, snapshot: Snapshot) -> None:
    (tmp_path / "tmp").mkdir()
    done = process("demo", cwd=tmp_path, TMPDIR=str(tmp_path / "tmp"), HOME=str(tmp_path))
    assert done.code == ExitCode.DONE
    assert not list((tmp_path / "tmp").iterdir())
    assert "error[E510]" in done.err
    text = re.sub(r"\b(?=\w*\d)[0-9a-f]{7}\b", "<id>", done.golden)
    text = re.sub(r"on \d{4}-\d\d-\d\d\s+\d\d:\d\d UTC", "on <time>", text)
    snapshot("demo", re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "<time>", text))


def test_what_is_kept_is_a_repository(tmp_path: Path) -> None:
    assert process("demo", "--keep", "play", cwd=tmp_path).code == 0
    assert process("status", cwd=tmp_path / "play").code == 0
    again = process("demo", "--keep", "play", cwd=tmp_path)
    assert again.code == 1
    assert "error[E910]" in again.err
