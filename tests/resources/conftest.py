"""A repository on disk, and a cache folder of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from envsync.project.config import Project, load

CONFIG = """\
project: acme-environments
contexts:
  local: {server: embedded}
  production: {server: https://runtime.example, key: env:NYLORUN_SERVER_KEY}
default_context: local
"""

Write = Callable[[Mapping[str, str | bytes]], Project]


@pytest.fixture(autouse=True)
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda *_, **__: str(folder))
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    return folder


@pytest.fixture
def write(root: Path) -> Write:
    """Writes files below the root, with an ordinary envsync.yaml unless one is given."""

    def writer(files: Mapping[str, str | bytes]) -> Project:
        for path, content in {"envsync.yaml": CONFIG, **files}.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.encode() if isinstance(content, str) else content)
        return load(root)

    return writer
