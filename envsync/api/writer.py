"""RuntimeWriter: saving and deleting, and knowing afterwards what happened."""

from __future__ import annotations

from envsync.api.calling import encoded, manifest_path
from envsync.api.equality import holds
from envsync.api.kinds import comes_out_right, refuses_kind, without_kind
from envsync.api.messages import Response
from envsync.api.plan_reading import decoded
from envsync.api.reader import RuntimeReader
from envsync.api.reading import count, is_object, raw_text, view_of
from envsync.api.refusals import read_refusal
from envsync.api.views import UNKNOWN, Deleted, ManifestView, Saved
from envsync.contract.json_types import JsonObject
from envsync.errors import ApiError, EnvsyncError, NetworkError

_DELETE_ATTEMPTS = 3
_MAY_HAVE_BEEN_DONE = frozenset({500, 502, 503, 504})
_ASKED_AGAIN = _MAY_HAVE_BEEN_DONE | {429}


class RuntimeWriter:
    """Writes over the connection of ``reader``. After an answer that is lost or cannot be read,
    the result is learnt by reading; only where that fails too does it say that it is unknown."""

    def __init__(self, reader: RuntimeReader) -> None:
        self._reader = reader
        self._calls = reader.calls

    async def save_manifest(self, name: str, body: JsonObject, if_match: int | None) -> Saved:
        """Save ``body`` as the next version after ``if_match`` (0: none yet; ``None``: whatever
        is there). When the latest is not ``if_match`` but already ``body``, that is success:
        ``unchanged`` when somebody else saved it, not so when our own answer was lost.

        Raises ``ApiError`` with status 412 for a conflict, other ``ApiError`` for refusals, and
        ``NetworkError`` when reading shows that nothing was saved.
        """
        return await self._save(name, body, body, if_match)

    async def _save(
        self, name: str, wanted: JsonObject, sent: JsonObject, if_match: int | None
    ) -> Saved:
        headers = {} if if_match is None else {"if-match": str(if_match)}
        try:
            response = await self._calls.send(
                "PUT",
                manifest_path(name),
                headers=headers,
                body=encoded(sent),
                repeatable=if_match is not None,
            )
        except NetworkError as error:
            if not error.sent:
                raise
            return await self._found(name, wanted, if_match, error)
        if response.status == 200:
            return await self._answered(response, name, wanted, if_match)
        refused = self._calls.refused(response, f"manifest {name}")
        if response.status == 412:
            return await self._found(name, wanted, if_match, refused, ours=response.resent)
        if response.status in _MAY_HAVE_BEEN_DONE:
            return await self._found(name, wanted, if_match, refused)
        if sent is wanted and await self._takes_no_kind(response, name, wanted):
            return await self._save(name, wanted, without_kind(wanted), if_match)
        raise refused

    async def _answered(
        self, response: Response, name: str, wanted: JsonObject, if_match: int | None
    ) -> Saved:
        """A 200: believed when it shows the manifest as wanted, else looked up."""
        value = decoded(response)
        view = view_of(value, name)
        told = value.get("unchanged") if is_object(value) else None
        is_plan = is_object(value) and value.get("dryRun") is True
        if view is not None and view.version > 0 and view.name == name and not is_plan:
            if self._keeps_kind(view, wanted):
                unchanged = told if isinstance(told, bool) else view.version == if_match
                return Saved(view, unchanged)
            raise _other_kind(view, wanted)
        unread = ApiError(
            "E650",
            f"the server took manifest {name} and then does not show it as it was sent",
            status=response.status,
            details=raw_text(response),
            remedy=f"look at `envsync diff {name}`",
            subject=f"manifest {name}",
        )
        return await self._found(name, wanted, if_match, unread)

    async def _found(
        self,
        name: str,
        wanted: JsonObject,
        if_match: int | None,
        failure: EnvsyncError,
        *,
        ours: bool = True,
    ) -> Saved:
        """What was saved, by reading; raises ``failure`` when it is not what we wanted. ``ours``
        says that a version which is may come from an attempt of our own."""
        try:
            view = await self._reader.get_manifest(name)
            found = await self._is_wanted(view, wanted, if_match)
        except EnvsyncError as error:
            if isinstance(failure, ApiError) and failure.status == 412:
                raise failure from error
            raise _unknown_result(name, failure) from error
        if view is None or not found:
            raise failure
        unchanged = view.version == if_match or not ours
        return Saved(view, unchanged, (_how_found(view, ours=ours),))

    async def _is_wanted(
        self, view: ManifestView | None, wanted: JsonObject, if_match: int | None
    ) -> bool:
        """By the canonical form; where the server fills in defaults of its own, by its word.
        The version that we started from is not what we wanted, or we would not have sent it."""
        if view is None or holds(view, wanted):
            return view is not None
        if view.version == if_match:
            return False
        health = await self._reader.health()
        if health.ours or not self._keeps_kind(view, wanted):
            return False
        plan = await self._reader.dry_run(view.name, wanted, view.version)
        return plan.unchanged and not plan.errors and plan.conflict is None

    async def _takes_no_kind(self, response: Response, name: str, wanted: JsonObject) -> bool:
        if not refuses_kind(read_refusal(response), wanted):
            return False
        if (await self._reader.health()).ours:
            return False
        return comes_out_right(wanted, await self._reader.get_manifest(name))

    def _keeps_kind(self, view: ManifestView, wanted: JsonObject) -> bool:
        return not view.kind or "kind" not in wanted or view.kind == wanted["kind"]

    async def delete_manifest(self, name: str, if_match: int | None) -> Deleted:
        """Delete every version of ``name``, when its latest is ``if_match`` (``None``: whichever).

        The version is read just before; our own server also checks it itself. Raises
        ``ApiError`` with status 412 when it is another, and 409 while Environments use it.
        """
        subject = f"manifest {name}"
        atomic = (await self._reader.health()).ours and if_match is not None
        failure: EnvsyncError | None = None
        for _ in range(_DELETE_ATTEMPTS):
            view = await self._read_before_delete(name, failure)
            if view is None:
                note = ("the answer was lost; reading shows that it is gone",) if failure else ()
                return Deleted(name, failure is not None, UNKNOWN, atomic, note)
            if if_match is not None and view.version != if_match:
                raise _changed_before_delete(view, if_match)
            try:
                response = await self._calls.send(
                    "DELETE",
                    manifest_path(name),
                    headers={"if-match": str(if_match)} if atomic else {},
                    repeatable=False,
                )
            except NetworkError as error:
                if not error.sent:
                    raise
                failure = error
                continue
            if response.status in (200, 204):
                return _read_deleted(response, name, atomic)
            if response.status == 404:
                return Deleted(name, False, 0, atomic)
            failure = self._calls.refused(response, subject)
            if response.status not in _ASKED_AGAIN:
                raise failure
        assert failure is not None
        raise failure

    async def _read_before_delete(
        self, name: str, failure: EnvsyncError | None
    ) -> ManifestView | None:
        try:
            return await self._reader.get_manifest(name)
        except EnvsyncError as error:
            if failure is None:
                raise
            raise _unknown_result(name, failure) from error


def _how_found(view: ManifestView, *, ours: bool) -> str:
    if not ours:
        by = f", saved by {view.saved_by}," if view.saved_by else ""
        return f"version {view.version}{by} already is what was to be saved"
    return f"the answer was lost; reading shows that version {view.version} is what was sent"


def _read_deleted(response: Response, name: str, atomic: bool) -> Deleted:
    value = decoded(response)
    if not is_object(value):
        return Deleted(name, True, UNKNOWN, atomic)
    said = value.get("deleted")
    deleted = said if isinstance(said, bool) else True
    return Deleted(name, deleted, count(value.get("versions")), atomic)


def _changed_before_delete(view: ManifestView, if_match: int) -> ApiError:
    return ApiError(
        "E641",
        f"manifest {view.name} was changed on the server since it was read: version {if_match} "
        f"was planned to be deleted, the latest is version {view.version}",
        status=412,
        api_code="manifest_changed",
        details={
            "currentVersion": view.version,
            "currentHash": view.hash,
            "savedBy": view.saved_by,
            "savedAt": view.saved_at,
        },
        remedy="run `envsync plan` to see what is there now",
        subject=f"manifest {view.name}",
    )


def _other_kind(view: ManifestView, wanted: JsonObject) -> ApiError:
    return ApiError(
        "E651",
        f"manifest {view.name} was saved as version {view.version} with kind {view.kind}, "
        f"and not {wanted['kind']} as the file says",
        status=200,
        remedy="this server does not take `kind` from a manifest: ask who runs it",
        subject=f"manifest {view.name}",
    )


def _unknown_result(name: str, failure: EnvsyncError) -> NetworkError:
    error = NetworkError(
        "E649",
        f"whether manifest {name} was written is not known: {failure.message}; and it could not "
        "be read afterwards",
        remedy="run `envsync plan` when the server answers again: it shows what is left",
        subject=f"manifest {name}",
    )
    error.sent = True
    return error
