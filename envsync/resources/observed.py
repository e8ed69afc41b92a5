"""What a server says of an object, as a Resource."""

from __future__ import annotations

from typing import TYPE_CHECKING

from envsync.contract.normalise import normalise
from envsync.resources.resource import Base, ObjectId, Observed

if TYPE_CHECKING:
    from envsync.api.views import ManifestView


def observed(view: ManifestView) -> Observed:
    """``view`` as a Resource: its body normalised, with ``kind`` inside wherever the server puts
    it. A summary has no body."""
    body = view.manifest
    canonical = None
    if body is not None:
        if view.kind and "kind" not in body:
            body = {"kind": view.kind, **body}
        canonical = normalise("manifest", body)
    return Observed(
        ObjectId("manifest", view.name),
        Base(view.version, view.hash),
        canonical,
        saved_at=view.saved_at or "",
        saved_by=view.saved_by or "",
        environments=view.environments,
        body=body,
    )
