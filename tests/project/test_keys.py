"""Keys: taken from a variable or a private file, and every way in which they are not there."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from envsync.documents import parse
from envsync.errors import FileError, Position
from envsync.project.config import Context, KeyReference, resolve_key
from envsync.project.context import Place

DOCUMENT = parse(b"contexts:\n  production:\n    server: x\n    key: z\n", "envsync.yaml")
PLACE = Place(DOCUMENT, ("contexts", "production", "key"))
KEY = "0123456789abcdef" * 4

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")


def by_variable() -> Context:
    return Context("production", "https://runtime.example", PLACE, KeyReference("env", "K", PLACE))


def by_file(path: Path) -> Context:
    reference = KeyReference("file", str(path), PLACE)
    return Context("production", "https://runtime.example", PLACE, reference)


def refusal(context: Context, env: dict[str, str]) -> FileError:
    with pytest.raises(FileError) as caught:
        resolve_key(context, env)
    assert caught.value.problems[0].position == Position("envsync.yaml", 4, 10, 4, 11)
    assert KEY not in str(caught.value)
    return caught.value


def test_an_embedded_server_needs_no_key() -> None:
    assert resolve_key(Context("local", "embedded", PLACE), {}) is None


def test_a_variable_gives_the_key_as_it_is() -> None:
    key = resolve_key(by_variable(), {"K": KEY})
    assert key is not None
    assert key.reveal() == KEY
    assert KEY not in repr(key)


@pytest.mark.parametrize(("env", "state"), [({}, "is not set"), ({"K": ""}, "is empty")])
def test_a_variable_that_gives_nothing(env: dict[str, str], state: str) -> None:
    error = refusal(by_variable(), env)
    assert error.code == "E410"
    assert f"K, which {state}" in error.message
    assert "set K" in error.remedy


@pytest.mark.parametrize("text", [f"{KEY}\n", f" {KEY}", f"{KEY} {KEY}", "schlüssel", "a\tb"])
def test_a_variable_that_holds_no_key(text: str) -> None:
    assert refusal(by_variable(), {"K": text}).code == "E411"


@pytest.mark.parametrize("ending", ["", "\n", "\r\n"])
def test_a_private_file_gives_the_key_without_its_line_end(tmp_path: Path, ending: str) -> None:
    path = tmp_path / "key"
    path.write_bytes(f"{KEY}{ending}".encode())
    path.chmod(0o600)
    key = resolve_key(by_file(path), {})
    assert key is not None
    assert key.reveal() == KEY


@posix
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o644, 0o666])
def test_a_file_that_others_can_open_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "key"
    path.write_text(KEY)
    path.chmod(mode)
    error = refusal(by_file(path), {})
    assert error.code == "E412"
    assert f"{mode:04o}" in error.message
    assert error.remedy == f"run: chmod 600 {path}"


def test_a_missing_or_empty_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "key"
    assert str(path) in refusal(by_file(path), {}).message
    path.write_text("\n")
    path.chmod(0o600)
    assert "is empty" in refusal(by_file(path), {}).message


@posix
def test_a_named_pipe_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "key"
    os.mkfifo(path, 0o600)
    assert "not a regular file" in refusal(by_file(path), {}).message


def test_a_folder_is_no_key(tmp_path: Path) -> None:
    assert refusal(by_file(tmp_path), {}).code == "E410"


def test_two_lines_are_no_key(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text(f"{KEY}\n{KEY}\n")
    path.chmod(0o600)
    assert refusal(by_file(path), {}).code == "E411"
