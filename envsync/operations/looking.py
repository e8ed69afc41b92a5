"""Looking at one object: one of its versions, and the difference between two."""

from __future__ import annotations

import re

from msgspec import Struct

from envsync.api.views import ManifestView
from envsync.contract.json_types import JsonObject
from envsync.contract.normalise import normalise
from envsync.errors import EnvsyncError, UsageError
from envsync.operations.reports import DiffReport, ShowReport
from envsync.operations.workspace import Session, Workspace
from envsync.planning.diff import field_changes
from envsync.resources import reading
from envsync.resources.resource import Desired, ObjectId

_REFERENCE = re.compile(r"(?P<name>[^@]+)(?:@(?P<old>\d+)(?:\.\.(?P<new>\d+))?)?")


class Reference(Struct, frozen=True):
    """``NAME``, ``NAME@V`` or ``NAME@V..W`` as written on a command line; 0 for a left-out
    version."""

    name: str
    old: int = 0
    new: int = 0

    @property
    def id(self) -> ObjectId:
        return ObjectId("manifest", self.name)

    @classmethod
    def parse(cls, text: str) -> Reference:
        """Raises ``UsageError`` when ``text`` is none of the three forms."""
        match = _REFERENCE.fullmatch(text)
        if match is None:
            raise UsageError(
                "E906",
                f"`{text}` names no manifest or version",
                remedy="write NAME, NAME@VERSION or NAME@OLD..NEW, such as analyst-box@3..5",
            )
        return cls(match["name"], int(match["old"] or 0), int(match["new"] or 0))


async def show(workspace: Workspace, name: str) -> ShowReport:
    """The latest version of ``name`` on the server, or the one asked for with ``NAME@V``."""
    reference = Reference.parse(name)
    async with workspace.session() as session:
        latest = await fetch(session, workspace, Reference(reference.name))
        view = latest
        if reference.old not in (0, latest.version):
            view = await fetch(session, workspace, reference)
        return ShowReport(
            reference.id,
            view.version,
            view.hash,
            view.saved_at,
            view.saved_by,
            view.environments,
            view.version == latest.version,
            canonical(view) or {},
        )


async def diff(workspace: Workspace, name: str) -> DiffReport:
    """``NAME``: from the server's latest to here; ``NAME@V``: from version V to here;
    ``NAME@V..W``: from one version to the other."""
    reference = Reference.parse(name)
    async with workspace.session() as session:
        if reference.new:
            old = await fetch(session, workspace, reference)
            new = await fetch(session, workspace, Reference(reference.name, reference.new))
            return compare(
                reference.id, f"v{old.version}", f"v{new.version}", canonical(old), canonical(new)
            )
        here = desired_of(workspace, reference.id)
        view = await session.reader.get_manifest(reference.name, reference.old or None)
        if view is None and (here is None or reference.old):
            raise missing(reference, workspace)
        return compare(
            reference.id,
            f"v{view.version}" if view else "absent",
            "here" if here else "not declared here",
            canonical(view),
            here.canonical if here else None,
            here.paths[0] if here else "",
        )


def compare(
    object_id: ObjectId,
    old_label: str,
    new_label: str,
    old: JsonObject | None,
    new: JsonObject | None,
    path: str = "",
) -> DiffReport:
    fields = field_changes(old or {}, new or {})
    return DiffReport(object_id, old_label, new_label, old, new, fields, path)


async def fetch(session: Session, workspace: Workspace, reference: Reference) -> ManifestView:
    view = await session.reader.get_manifest(reference.name, reference.old or None)
    if view is None:
        raise missing(reference, workspace)
    return view


def canonical(view: ManifestView | None) -> JsonObject | None:
    if view is None or view.manifest is None:
        return None
    return normalise("manifest", {**view.manifest, "kind": view.kind})


def desired_of(workspace: Workspace, object_id: ObjectId) -> Desired | None:
    """What the repository says of an object now; ``None`` when no file declares it."""
    found = reading.load(workspace.project, workspace.context.name, [object_id])
    return found.get(object_id)


def missing(reference: Reference, workspace: Workspace) -> EnvsyncError:
    what = f"version {reference.old} of manifest" if reference.old else "manifest"
    return EnvsyncError(
        "E508",
        f"the server of context `{workspace.context.name}` has no {what} `{reference.name}`",
        remedy=f"see what there is with: envsync status --context {workspace.context.name}",
    )
