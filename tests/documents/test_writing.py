"""A file is written whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from envsync.documents.writing import write_atomically, write_together
from envsync.errors import FileError


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_a_new_file(tmp_path: Path) -> None:
    write_atomically(tmp_path / "a.yaml", b"a: 1\n")
    assert (tmp_path / "a.yaml").read_bytes() == b"a: 1\n"
    assert names(tmp_path) == ["a.yaml"]


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o444])
def test_the_mode_stays(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes(b"old")
    file.chmod(mode)
    write_atomically(file, b"new")
    assert file.read_bytes() == b"new"
    assert stat.S_IMODE(file.stat().st_mode) == mode


def test_a_new_file_gets_the_mode_of_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_atomically(tmp_path / "a.yaml", b"x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a.yaml").stat().st_mode) == 0o640


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    target = tmp_path / "there" / "a.yaml"
    target.write_bytes(b"old")
    link = tmp_path / "link.yaml"
    link.symlink_to(Path("there") / "a.yaml")
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert not target.is_symlink()
    assert names(tmp_path / "there") == ["a.yaml"]


def test_a_link_to_nothing_makes_what_it_names(tmp_path: Path) -> None:
    link = tmp_path / "link.yaml"
    link.symlink_to("a.yaml")
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert (tmp_path / "a.yaml").read_bytes() == b"new"


def test_a_loop_of_links_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(FileError) as caught:
        write_atomically(tmp_path / "a", b"x")
    assert caught.value.code == "E123"
    assert names(tmp_path) == ["a", "b"]


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "a.yaml"
    folder.mkdir()
    with pytest.raises(FileError) as caught:
        write_atomically(folder, b"x")
    assert caught.value.message == "the file cannot be written: a.yaml is not a regular file"
    assert folder.is_dir()


def test_a_missing_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileError) as caught:
        write_atomically(tmp_path / "none" / "a.yaml", b"x")
    assert caught.value.message == "the file cannot be written: No such file or directory"
    assert caught.value.problems[0].position is not None
    assert caught.value.problems[0].position.path == (tmp_path / "none" / "a.yaml").as_posix()


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes(b"old")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    if step == "fsync":
        monkeypatch.setattr(os, "fsync", full)
    else:
        monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(FileError) as caught:
        write_atomically(file, b"new")
    assert caught.value.message == "the file cannot be written: No space left on device"
    assert file.read_bytes() == b"old"
    assert names(tmp_path) == ["a.yaml"]


def test_files_that_belong_together_are_written_whole(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(b"old")
    write_together({tmp_path / "a.yaml": b"1", tmp_path / "new" / "b.yaml": b"2"})
    assert (tmp_path / "a.yaml").read_bytes() == b"1"
    assert (tmp_path / "new" / "b.yaml").read_bytes() == b"2"
    assert names(tmp_path) == ["a.yaml", "new"]
    write_together({})


def test_one_that_cannot_be_written_keeps_all_as_they_were(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(b"old")
    (tmp_path / "b.yaml").mkdir()
    with pytest.raises(FileError) as caught:
        write_together({tmp_path / "a.yaml": b"1", tmp_path / "b.yaml": b"2"})
    assert caught.value.code == "E123"
    assert caught.value.problems[0].position is not None
    assert caught.value.problems[0].position.path == (tmp_path / "b.yaml").as_posix()
    assert (tmp_path / "a.yaml").read_bytes() == b"old"
    assert names(tmp_path) == ["a.yaml", "b.yaml"]


def test_whenever_it_is_cut_off_every_file_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Cut(BaseException):
        pass

    real = Path.replace
    for last in range(4):
        files = {tmp_path / f"{number}.yaml": b"new" for number in range(3)}
        for file in files:
            file.write_bytes(b"old")
        left = iter(range(last))

        def replace(self: Path, target: Path, left: Iterator[int] = left) -> Path:
            if next(left, None) is None:
                raise Cut
            return real(self, target)

        monkeypatch.setattr(Path, "replace", replace)
        if last < 3:
            with pytest.raises(Cut):
                write_together(files)
        else:
            write_together(files)
        said = [file.read_bytes() for file in files]
        assert said == [b"new"] * last + [b"old"] * (3 - last)
        assert names(tmp_path) == ["0.yaml", "1.yaml", "2.yaml"]
