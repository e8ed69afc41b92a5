"""The tree digest: one value for all that the repository's envsync files say."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha1, sha256


def blob_hash(data: bytes) -> str:
    """The id that Git gives these bytes as a blob (SHA-1 object format), in hexadecimal.

    The same in every repository, and known from ``git ls-tree`` without reading a file.
    """
    header = f"blob {len(data)}\0".encode()
    return sha1(header + data, usedforsecurity=False).hexdigest()


def tree_digest(blobs: Mapping[str, str]) -> str:
    """The SHA-256, in hexadecimal, over ``<path> NUL <blob hash> LF`` for each file.

    ``blobs`` maps paths (relative to the root, with ``/``) to ``blob_hash`` of the bytes as they
    lie in the working tree: line ends are not converted. Files are taken in byte order of their
    UTF-8 paths. The files are envsync.yaml and every manifest, overlay (of all contexts) and
    policy; never ``schemas/``, which says nothing about any object.
    """
    hasher = sha256()
    for path in sorted(blobs, key=str.encode):
        hasher.update(f"{path}\0{blobs[path]}\n".encode())
    return hasher.hexdigest()
