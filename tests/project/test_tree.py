"""The tree digest: the blob ids are Git's own, and the order is that of bytes."""

from __future__ import annotations

import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from envsync.project.tree import blob_hash, tree_digest


@pytest.mark.parametrize("data", [b"", b"kind: pod\n", b"kind: pod\r\n", b"\xff\x00"])
def test_a_blob_hash_is_gits(tmp_path: Path, data: bytes) -> None:
    done = subprocess.run(
        ["git", "hash-object", "--stdin", "--no-filters"],
        input=data,
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    assert blob_hash(data) == done.stdout.decode().strip()


def test_the_digest_is_over_sorted_paths_and_blob_hashes() -> None:
    blobs = {"manifests/ä.yaml": "2" * 40, "manifests/z.yaml": "1" * 40, "envsync.yaml": "0" * 40}
    expected = sha256(
        f"envsync.yaml\0{'0' * 40}\n"
        f"manifests/z.yaml\0{'1' * 40}\n"
        f"manifests/ä.yaml\0{'2' * 40}\n".encode()
    ).hexdigest()
    assert tree_digest(blobs) == expected
    assert tree_digest(dict(reversed(blobs.items()))) == expected


def test_another_line_end_is_another_tree() -> None:
    assert tree_digest({"a": blob_hash(b"x\n")}) != tree_digest({"a": blob_hash(b"x\r\n")})
