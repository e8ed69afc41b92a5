"""Draft: a manifest body made ready to be compared and stored. Pure, no database."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

from msgspec import Struct

from envsync.contract.canonical import canonical_json
from envsync.contract.json_types import Json, JsonObject, pointer_text
from envsync.contract.limits import server_limits
from envsync.contract.normalise import normalise
from envsync.server.services.abilities import Abilities


class Notice(Struct, frozen=True):
    """An error or a warning of a plan. ``path`` is a JSON Pointer, empty for the whole."""

    code: str
    message: str
    path: str = ""

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message

    def json(self) -> dict[str, Json]:
        """The notice as it goes over the wire."""
        body: dict[str, Json] = {"code": self.code, "message": self.message}
        if self.path:
            body["path"] = self.path
        return body


class Draft(Struct, frozen=True):
    """``text`` is the canonical JSON of the normalised ``manifest``; ``hash`` its SHA-256.

    ``errors`` are the reasons that refuse a save whatever the database holds.
    """

    manifest: JsonObject
    text: str
    hash: str
    kind: str
    errors: tuple[Notice, ...] = ()
    warnings: tuple[Notice, ...] = ()


def draft(body: JsonObject, abilities: Abilities) -> Draft:
    """The draft of a body that the JSON Schema and the named checks have accepted.

    Made once, before the write, so that a write that is run again does not normalise again.
    """
    manifest = normalise("manifest", body)
    canonical = canonical_json(manifest)
    limits = [
        Notice("limit_exceeded", violation.message, pointer_text(violation.pointer))
        for violation in server_limits("manifest", body)
    ]
    return Draft(
        manifest,
        canonical.decode(),
        sha256(canonical).hexdigest(),
        str(manifest["kind"]),
        (*limits, *_unavailable(manifest, abilities)),
        tuple(_surprises(manifest, abilities)),
    )


def _unavailable(manifest: JsonObject, abilities: Abilities) -> Iterator[Notice]:
    if manifest["kind"] == "pod" and not abilities.pods:
        yield Notice("environment_unavailable", "this server cannot run kind pod", "/kind")
    files = manifest.get("files")
    for index, entry in enumerate(files if isinstance(files, list) else ()):
        if isinstance(entry, dict) and "artifactId" in entry:
            yield Notice(
                "artifact_not_found",
                f"this server has no artifact {entry['artifactId']} version {entry['version']}",
                f"/files/{index}/artifactId",
            )


def _surprises(manifest: JsonObject, abilities: Abilities) -> Iterator[Notice]:
    if "image" in manifest and abilities.images_are_host:
        yield Notice(
            "image_is_host",
            f"this server runs every image on its own system, read-only; it does not fetch"
            f" {manifest['image']}",
            "/image",
        )
