"""ManifestView as bytes: the stored canonical JSON is spliced in, never parsed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from hashlib import sha256

import orjson

from envsync.server.store.interface import Row


def view(
    row: Row | Mapping[str, str | int],
    environments: int,
    body: str | None,
    unchanged: bool | None = None,
) -> str:
    """One ManifestView; without ``manifest`` when ``body`` is ``None``.

    ``row`` has ``name``, ``version``, ``hash``, ``kind``, ``saved_at``, ``saved_by``, in whatever
    place. Names, hashes, kinds and times hold nothing that JSON would escape.
    """
    return _text(
        str(row["name"]),
        int(row["version"]),
        str(row["hash"]),
        str(row["kind"]),
        str(row["saved_at"]),
        str(row["saved_by"]),
        environments,
        "" if body is None else f'"manifest":{body},',
        "" if unchanged is None else f',"unchanged":{"true" if unchanged else "false"}',
    )


def listed(
    heads: Iterable[Row], environments: Mapping[str, int], bodies: Iterable[Row] | None
) -> bytes:
    """The body of a list. ``heads`` and ``bodies`` come in the same order, six columns and one."""
    count = environments.get
    if bodies is None:
        views = [
            _text(name, version, digest, kind, at, by, count(name, 0))
            for name, version, digest, kind, at, by in heads
        ]
        return f'{{"view":"summary","manifests":[{",".join(views)}]}}'.encode()
    views = [
        _text(name, version, digest, kind, at, by, count(name, 0), f'"manifest":{body},')
        for (name, version, digest, kind, at, by), (body,) in zip(heads, bodies, strict=True)
    ]
    return f'{{"manifests":[{",".join(views)}]}}'.encode()


def etag(heads: Iterable[Row], environments: Mapping[str, int]) -> str:
    """A weak tag over the name, version, hash and Environments of each, in order."""
    count = environments.get
    lines = [
        f"{name} {version} {digest} {count(name, 0)}"
        for name, version, digest, _kind, _at, _by in heads
    ]
    return f'W/"{sha256(chr(10).join(lines).encode()).hexdigest()[:32]}"'


def _text(
    name: str,
    version: int,
    digest: str,
    kind: str,
    saved_at: str,
    saved_by: str,
    environments: int,
    manifest: str = "",
    end: str = "",
) -> str:
    return (
        f'{{"name":"{name}","version":{version},"hash":"{digest}","kind":"{kind}",{manifest}'
        f'"savedAt":"{saved_at}","savedBy":{_quoted(saved_by)},"environments":{environments}{end}}}'
    )


@lru_cache(maxsize=1024)
def _quoted(text: str) -> str:
    return orjson.dumps(text).decode()
