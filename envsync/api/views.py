"""What a Runtime told us, as values. Text in them is raw: whoever shows it escapes it."""

from __future__ import annotations

from msgspec import Struct, field

from envsync.contract.json_types import Json, JsonObject

UNKNOWN = -1
"""A count that the server did not give."""


class Health(Struct, frozen=True):
    """``protocol_min`` and ``protocol_max`` are 0 when the server does not say.

    ``ours`` means that the server is envsync's own: it has at least one of our extensions, so its
    hashes compare with ours.
    """

    version: str = ""
    protocol_min: int = 0
    protocol_max: int = 0
    features: frozenset[str] = frozenset()
    host_id: str = ""
    ours: bool = False


class Caller(Struct, frozen=True):
    """Who we are to the server. ``environments`` holds the grants of a token, ``None`` when the
    caller is not limited to some; ``via`` is such as ``application:ci``."""

    via: str
    subject: str = ""
    scopes: tuple[str, ...] = ()
    environments: tuple[str, ...] | None = None


class ManifestView(Struct, frozen=True):
    """A manifest as the server holds it.

    ``manifest`` has ``kind`` inside, wherever the server said it, and is ``None`` in a summary.
    ``saved_at`` is the server's own text (ISO 8601 UTC). ``environments`` may be ``UNKNOWN``.
    """

    name: str
    version: int
    hash: str = ""
    kind: str = ""
    manifest: JsonObject | None = None
    saved_at: str = ""
    saved_by: str = ""
    environments: int = UNKNOWN


class Listing(Struct, frozen=True):
    """A list and its ``etag`` (empty when the server gives none)."""

    manifests: tuple[ManifestView, ...]
    etag: str = ""


class Notice(Struct, frozen=True):
    """An error or a warning that the server foresees. ``path`` is a JSON Pointer or empty."""

    code: str
    message: str
    path: str = ""


class ServerChange(Struct, frozen=True):
    """One change as the server sees it. ``op`` and ``path`` are empty when it was told in a form
    that we do not know; ``text`` is then what it said."""

    op: str = ""
    path: str = ""
    old: Json = None
    new: Json = None
    text: str = ""


class Conflict(Struct, frozen=True):
    """The server's latest is not the one we named. ``current_version`` is ``None`` when there is
    no manifest (any more), or when the server does not say."""

    current_version: int | None = None
    current_hash: str = ""
    saved_by: str = ""
    saved_at: str = ""
    message: str = ""


class DryRun(Struct, frozen=True):
    """What a save would do, as the server foresees it. Nothing was saved.

    When ``unreadable``, only ``raw`` (the answer as text) means anything: it is not "no changes".
    ``without_kind`` says that this server does not take ``kind`` and was asked without it.
    """

    name: str
    conflict: Conflict | None = None
    current_version: int | None = None
    next_version: int | None = None
    unchanged: bool = False
    changes: tuple[ServerChange, ...] = ()
    errors: tuple[Notice, ...] = ()
    warnings: tuple[Notice, ...] = ()
    environments_total: int = UNKNOWN
    environments_on_older: int = UNKNOWN
    unreadable: bool = False
    raw: str = ""
    without_kind: bool = False


class PlanItem(Struct, frozen=True):
    """One manifest to plan. ``if_match`` is the version it starts from, 0 for none yet."""

    name: str
    body: JsonObject
    if_match: int | None = None


class Saved(Struct, frozen=True):
    """``view`` is what the server holds now. ``unchanged``: it held just that before.

    ``notes`` are sentences for a person: the answer was lost and the result found by reading.
    """

    view: ManifestView
    unchanged: bool
    notes: tuple[str, ...] = ()


class Deleted(Struct, frozen=True):
    """``deleted`` is false when there was none. ``versions`` may be ``UNKNOWN``.

    ``atomic`` says whether the server itself checked the version; else somebody may have saved
    between our reading and the delete.
    """

    name: str
    deleted: bool
    versions: int = UNKNOWN
    atomic: bool = False
    notes: tuple[str, ...] = field(default=())
