"""One object's files, made to say what is wanted, and judged before anything is written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from envsync.contract.json_types import JsonObject
from envsync.contract.names import MANIFEST_NAME_RULE, is_manifest_name
from envsync.documents.document import Document
from envsync.documents.edits import splice
from envsync.documents.house import compose_text
from envsync.errors import FileError, Problem
from envsync.linting.linter import lint
from envsync.operations.placing import Placing, schema_path
from envsync.operations.pulled import PulledFile
from envsync.planning.layering import layered
from envsync.planning.rewriting import edits_between
from envsync.planning.sameness import same
from envsync.project.config import Project
from envsync.project.files import Scan, SourceFile, Stamp
from envsync.resources.policies import Policy, policy_of
from envsync.resources.resource import ObjectId
from envsync.resources.rules import Judged, Rules
from envsync.resources.sources import Source, read_bytes, source_of

_NEW = Stamp(0, 0, 0, 0)


@dataclass(frozen=True)
class Restater:
    """Works on what the repository held when it was scanned. Writes nothing."""

    project: Project
    context_name: str
    found: Scan
    placing: Placing

    def create(self, object_id: ObjectId, body: JsonObject) -> tuple[PulledFile, ...]:
        """A new file in house style that says ``body``.

        Raises ``FileError``: E451 when there is no place for it, E456 when no file can have its
        name, E453 when it would not be valid.
        """
        if not is_manifest_name(object_id.name):
            raise _unnameable(object_id)
        path, says_name = self.placing.place(object_id.name)
        said = {"$schema": schema_path(path), **({"name": object_id.name} if says_name else {})}
        try:
            data = compose_text({**said, **body})
        except ValueError as error:
            raise _unsayable(object_id, str(error)) from None
        stem = path.rpartition("/")[2].rpartition(".")[0]
        file = SourceFile(path, object_id.type, stem, self.project.root, _NEW)
        self._judge(object_id, body, file, data, None, None)
        self._judge_elsewhere(object_id, file, None, data)
        return (PulledFile(path, None, data, self._others(file)),)

    def change(
        self, object_id: ObjectId, file: SourceFile, source: Source, body: JsonObject
    ) -> tuple[PulledFile, ...]:
        """The files that declare the object, with the edits that make them say ``body``; none when
        they do.

        Raises ``FileError``: E122 when an edit can't be made in place, E452 when base and overlay
        cannot say it together, E453 when it would not be valid.
        """
        base, overlay = source.layers.base, source.layers.overlay
        kept = {name: value for name, value in source.whole.items() if name not in source.body}
        target = {**kept, **body}
        if overlay is None:
            new_base, new_overlay = target, None
        else:
            new_base, new_overlay = layered(base.data, overlay.data, target)
        data = _edited(base, new_base)
        overlay_data = None
        overlay_file = self.found.overlay(self.context_name, file)
        if overlay is not None and new_overlay is not None:
            overlay_data = _edited(overlay, new_overlay)
        self._judge(object_id, body, file, data, overlay_file, overlay_data)
        if data != base.source:
            self._judge_elsewhere(object_id, file, base.source, data)
        return tuple(self._changed(file, base, data, overlay, overlay_data))

    def remove(self, file: SourceFile) -> tuple[PulledFile, ...]:
        """The file and every context's overlay of it, to be removed."""
        overlays = [over[file.path] for over in self.found.overlays.values() if file.path in over]
        return tuple(
            PulledFile(each.path, read_bytes(each), None, self._others(file))
            for each in (file, *overlays)
        )

    def _changed(
        self,
        file: SourceFile,
        base: Document,
        data: bytes,
        overlay: Document | None,
        overlay_data: bytes | None,
    ) -> Iterator[PulledFile]:
        if data != base.source:
            yield PulledFile(base.path, base.source, data, self._others(file))
        if overlay is not None and overlay_data not in (None, overlay.source):
            yield PulledFile(overlay.path, overlay.source, overlay_data)

    def _others(self, file: SourceFile) -> tuple[str, ...]:
        return tuple(name for name in self.project.config.contexts if name != self.context_name)

    def _judge(
        self,
        object_id: ObjectId,
        body: JsonObject,
        file: SourceFile,
        data: bytes,
        overlay: SourceFile | None,
        overlay_data: bytes | None,
    ) -> None:
        """Requires that the new files say exactly ``body``, and validly."""
        try:
            source = source_of(file, data, overlay, overlay_data)
        except FileError as error:
            raise _invalid(object_id, self.context_name, error.problems) from None
        if not same(source.body, body):
            raise FileError(
                "E452",
                f"{' and '.join(source.layers.paths)} cannot say together what {object_id} is on "
                "the server",
                position=source.layers.position(_first_difference(source.body, body)),
                remedy="edit the files by hand",
                subject=str(object_id),
            )
        judged = self._rules(self.context_name).judge(source)
        if not judged.hash:
            raise _invalid(object_id, self.context_name, judged.problems)

    def _judge_elsewhere(
        self,
        object_id: ObjectId,
        file: SourceFile,
        before: bytes | None,
        after: bytes,
    ) -> None:
        """Requires that no other context loses a valid object by a change of its base."""
        contexts = self.project.config.contexts
        own = self._overlay_path(self.context_name, file)
        # Nowhere are the rules stricter than for our own server.
        seen = {(own, False), (own, contexts[self.context_name].embedded)}
        for name, context in contexts.items():
            overlay = self.found.overlay(name, file)
            view = (self._overlay_path(name, file), context.embedded)
            if name == self.context_name or view in seen:
                continue
            seen.add(view)
            overlay_data = None if overlay is None else read_bytes(overlay)
            judged = self._verdict(name, file, after, overlay, overlay_data)
            if judged.hash:
                continue
            if before is not None:
                earlier = self._verdict(name, file, before, overlay, overlay_data)
                if not earlier.hash:
                    continue
            raise _invalid(object_id, name, judged.problems)

    def _overlay_path(self, context_name: str, file: SourceFile) -> str:
        overlay = self.found.overlay(context_name, file)
        return overlay.path if overlay else ""

    def _verdict(
        self,
        context_name: str,
        file: SourceFile,
        data: bytes,
        overlay: SourceFile | None,
        overlay_data: bytes | None,
    ) -> Judged:
        try:
            source = source_of(file, data, overlay, overlay_data)
        except FileError as error:
            return Judged(error.problems, {}, "")
        return self._rules(context_name).judge(source)

    def _rules(self, context_name: str) -> Rules:
        return self._by_ours[self.project.config.contexts[context_name].embedded]

    @cached_property
    def _by_ours(self) -> dict[bool, Rules]:
        policies: tuple[Policy, ...] = tuple(
            policy_of(read_bytes(file), file.path) for file in self.found.policies
        )
        return {ours: Rules(ours, policies, lint) for ours in (False, True)}


def _edited(document: Document, new: JsonObject) -> bytes:
    edits = edits_between(document.data, new, aliases=document.aliases())
    return splice(document, edits) if edits else document.source


def _first_difference(one: JsonObject, other: JsonObject) -> tuple[str, ...]:
    for name in (*one, *other):
        if name not in one or name not in other or not same(one[name], other[name]):
            return (name,)
    return ()


def _unnameable(object_id: ObjectId) -> FileError:
    return FileError(
        "E456",
        f"no file can be named after {object_id}",
        remedy=f"save it under another name on the server: {MANIFEST_NAME_RULE}",
        subject=str(object_id),
    )


def _unsayable(object_id: ObjectId, why: str) -> FileError:
    return FileError(
        "E452",
        f"{object_id} cannot be said in a file: {why}",
        remedy="save it on the server without that value, or leave it out of this repository's "
        "`owns`",
        subject=str(object_id),
    )


def _invalid(object_id: ObjectId, context_name: str, problems: tuple[Problem, ...]) -> FileError:
    errors = [problem for problem in problems if problem.is_error]
    first = errors[0]
    where = f"{first.position}: " if first.position else ""
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return FileError(
        "E453",
        f"the file of {object_id} would not be valid in context `{context_name}`: {where}"
        f"[{first.code}] {first.message}{more}",
        remedy=first.remedy or f"see: envsync explain {first.code}",
        subject=str(object_id),
    )
