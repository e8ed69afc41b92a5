"""Reading the answer to a dry run, with one question before all others: was anything saved?"""

from __future__ import annotations

from enum import Enum

from envsync.api.messages import Response
from envsync.api.reading import (
    actor,
    compact,
    count,
    each,
    is_array,
    is_object,
    text,
    whole,
)
from envsync.api.views import Conflict, DryRun, Notice, ServerChange
from envsync.contract.json_types import Json, JsonObject

MANIFEST_CHANGED = "manifest_changed"
_PLAN_MEMBERS = ("changes", "errors", "unchanged", "nextVersion")


class Meaning(Enum):
    """What an answer to ``dryRun=true`` says of itself."""

    PLAN = "it says dryRun"
    UNSAID = "it does not say whether anything was saved"
    SAVE = "it looks like the answer to a save"


def meaning_of(value: Json) -> Meaning:
    """Only an answer that says ``dryRun`` is believed to have saved nothing."""
    if not is_object(value):
        return Meaning.UNSAID
    said = value.get("dryRun")
    if said is True:
        return Meaning.PLAN
    shown = "version" in value and ("hash" in value or "manifest" in value)
    saved = "savedAt" in value or (shown and "changes" not in value and "errors" not in value)
    return Meaning.SAVE if said is False or saved else Meaning.UNSAID


def decoded(response: Response) -> Json:
    """The body, or ``None`` when it is not JSON."""
    try:
        return response.json()
    except ValueError:
        return None


def unreadable_plan(name: str, raw: str) -> DryRun:
    return DryRun(name=name, unreadable=True, raw=raw)


def read_plan(value: Json, name: str) -> DryRun:
    """The plan in ``value``, or under ``plan`` in it; flagged unreadable when there is none."""
    if not is_object(value):
        return unreadable_plan(name, compact(value))
    inner = value.get("plan")
    plan = inner if is_object(inner) else value
    if not any(member in plan for member in _PLAN_MEMBERS):
        return unreadable_plan(name, compact(value))
    errors = each(plan.get("errors"), notice_of)
    told = plan.get("environments")
    environments: JsonObject = told if is_object(told) else {}
    return DryRun(
        name=name,
        conflict=_conflict_in(plan, errors),
        current_version=whole(plan.get("currentVersion")),
        next_version=whole(plan.get("nextVersion")),
        unchanged=_is_unchanged(plan, errors),
        changes=_changes_of(plan.get("changes")),
        errors=tuple(error for error in errors if error.code != MANIFEST_CHANGED),
        warnings=each(plan.get("warnings"), notice_of),
        environments_total=count(environments.get("total") if is_object(told) else told),
        environments_on_older=count(environments.get("onOlderVersions")),
    )


def _is_unchanged(plan: JsonObject, errors: tuple[Notice, ...]) -> bool:
    """What the server says; where it says nothing, an empty list of changes says it."""
    said = plan.get("unchanged")
    if isinstance(said, bool):
        return said
    changes = plan.get("changes")
    return is_array(changes) and not changes and not errors and not plan.get("nextVersion")


def _changes_of(value: Json) -> tuple[ServerChange, ...]:
    if is_object(value) and "op" not in value:
        return tuple(
            ServerChange(text=f"{path}: {compact(change)}") for path, change in value.items()
        )
    return each(value, change_of)


def change_of(value: Json) -> ServerChange:
    if not is_object(value) or not isinstance(value.get("path"), str):
        return ServerChange(text=value if isinstance(value, str) else compact(value))
    return ServerChange(
        op=text(value.get("op")),
        path=text(value.get("path")),
        old=value.get("from"),
        new=value.get("to"),
    )


def notice_of(value: Json) -> Notice:
    """From ``{code, message, path}``, or from a bare sentence."""
    if not is_object(value):
        return Notice("", value if isinstance(value, str) else compact(value))
    message = text(value.get("message")) or text(value.get("error")) or compact(value)
    return Notice(text(value.get("code")), message, text(value.get("path")))


def _conflict_in(plan: JsonObject, errors: tuple[Notice, ...]) -> Conflict | None:
    changed = next((error for error in errors if error.code == MANIFEST_CHANGED), None)
    if changed is None:
        return None
    details = plan.get("conflict")
    if not is_object(details):
        details = _details_of_changed(plan.get("errors"))
    return conflict_of(details, changed.message, whole(plan.get("currentVersion")))


def _details_of_changed(errors: Json) -> Json:
    for error in errors if is_array(errors) else (errors,):
        if is_object(error) and error.get("code") == MANIFEST_CHANGED:
            return error.get("details")
    return None


def conflict_of(details: Json, message: str, current_version: int | None = None) -> Conflict:
    """From the ``details`` of a 412, as far as there are any."""
    told: JsonObject = details if is_object(details) else {}
    version = whole(told.get("currentVersion"))
    return Conflict(
        current_version=current_version if version is None else version,
        current_hash=text(told.get("currentHash")),
        saved_by=actor(told.get("savedBy")),
        saved_at=text(told.get("savedAt")),
        message=message,
    )
