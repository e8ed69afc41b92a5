"""Reading leniently: a server that we do not know is understood as far as it can be.

Unknown members are ignored and absent ones have a default; where one value cannot be understood,
it is empty or ``UNKNOWN``. What must be there for the answer to mean anything (a name, a version)
raises ``ApiError``: a list that is half read would pass for a list with fewer objects.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeGuard, TypeVar

from envsync.api.messages import Response
from envsync.api.views import UNKNOWN, Caller, Health, Listing, ManifestView
from envsync.contract.json_types import Json, JsonObject
from envsync.errors import ApiError

T = TypeVar("T")

OUR_FEATURE_PREFIX = "envsync-"
_LONGEST_RAW = 4_000


def body_of(response: Response) -> Json:
    """The decoded body. Raises ``ApiError`` when it is not JSON."""
    try:
        return response.json()
    except ValueError:
        raise unreadable(response, "its answer is not JSON") from None


def unreadable(response: Response, why: str) -> ApiError:
    """An answer that cannot be used, with its beginning in ``details``."""
    return ApiError(
        "E632",
        f"the server's answer cannot be read: {why}",
        status=response.status,
        details=raw_text(response),
        remedy="check that the address is that of a Runtime; `--debug` shows what was asked",
    )


def raw_text(response: Response) -> str:
    """The body as text, cut after some thousand characters."""
    text = response.body[: _LONGEST_RAW * 4].decode("utf-8", "replace")
    return text[:_LONGEST_RAW] + ("..." if len(text) > _LONGEST_RAW else "")


def is_object(value: Json) -> TypeGuard[JsonObject]:
    return isinstance(value, Mapping)


def is_array(value: Json) -> TypeGuard[Sequence[Json]]:
    return isinstance(value, Sequence) and not isinstance(value, str)


def text(value: Json) -> str:
    """A string as it is, a number as its digits, all else empty."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return ""


def whole(value: Json) -> int | None:
    """A whole number that is 0 or more, also when written as a string or with ``.0``."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value if value >= 0 else None
    if isinstance(value, float):
        return int(value) if value >= 0 and value.is_integer() and value < 2**53 else None
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 17:
        return int(value)
    return None


def count(value: Json) -> int:
    """A count, or the length of a list of the things counted, or ``UNKNOWN``."""
    if is_array(value):
        return len(value)
    number = whole(value)
    return UNKNOWN if number is None else number


def actor(value: Json) -> str:
    """``application:ci``, from that string or from an object that says it in parts."""
    if not is_object(value):
        return text(value)
    order = ("type", "kind", "via", "issuer", "name", "subject", "id")
    parts = [text(value.get(key)) for key in order]
    return ":".join(part for part in parts if part) or compact(value)


def compact(value: Json) -> str:
    """Any JSON on one line."""
    import orjson

    try:
        return orjson.dumps(value).decode("utf-8", "replace")
    except TypeError:
        return str(value)


def items_of(value: Json, key: str) -> list[JsonObject] | None:
    """The list under ``key``, or the value itself if it is one, or else the only array of objects
    with a ``name``, ``id`` or ``version`` in it. ``None`` when there is no such list."""
    if is_array(value):
        return _objects(value)
    if not is_object(value):
        return None
    documented = value.get(key)
    if is_array(documented):
        return _objects(documented)
    lists = [found for member in value.values() if (found := _named_objects(member)) is not None]
    return lists[0] if len(lists) == 1 else None


def _objects(value: Sequence[Json]) -> list[JsonObject] | None:
    found = [item for item in value if is_object(item)]
    return found if len(found) == len(value) else None


def _named_objects(value: Json) -> list[JsonObject] | None:
    found = _objects(value) if is_array(value) else None
    if not found:
        return None
    named = all(any(key in item for key in ("name", "id", "version")) for item in found)
    return found if named else None


def read_health(response: Response) -> Health:
    """What ``/health`` says. Raises ``ApiError`` when this is no server of that kind; an object
    without a protocol is one that has no extensions (a gateway may answer for the server)."""
    try:
        value = response.json()
    except ValueError:
        value = None
    if response.status != 200 or not is_object(value):
        raise ApiError(
            "E633",
            f"this is not a Runtime: `/health` answers {response.status}"
            + ("" if is_object(value) else " without JSON"),
            status=response.status,
            details=raw_text(response),
            remedy="check the context's `server:`: it is the address without any path of the API",
        )
    protocol = value.get("protocol")
    said = protocol if is_object(protocol) else {}
    listed = said.get("features")
    names = [text(item) for item in listed] if is_array(listed) else []
    features = frozenset(name for name in names if name)
    return Health(
        version=text(value.get("version")),
        protocol_min=whole(said.get("min")) or 0,
        protocol_max=whole(said.get("max")) or 0,
        features=features,
        host_id=text(value.get("hostId")),
        ours=any(name.startswith(OUR_FEATURE_PREFIX) for name in features),
    )


def read_caller(response: Response) -> Caller:
    value = body_of(response)
    if not is_object(value):
        raise unreadable(response, "it is not an object")
    grants = value.get("environments")
    return Caller(
        via=text(value.get("via")),
        subject=text(value.get("subject")),
        scopes=_texts(value.get("scopes")),
        environments=_texts(grants) if is_array(grants) else None,
    )


def _texts(value: Json) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(value.split())
    return tuple(text(item) for item in value if text(item)) if is_array(value) else ()


def view_of(value: Json, name: str = "") -> ManifestView | None:
    """``value`` as a manifest; ``name`` is what it is called when it does not say so itself.
    ``None`` without a name or a version."""
    if not is_object(value):
        return None
    called = text(value.get("name")) or name
    version = whole(value.get("version"))
    if not called or version is None:
        return None
    inner = value.get("manifest")
    manifest = inner if is_object(inner) else None
    kind = text(value.get("kind")) or (text(manifest.get("kind")) if manifest is not None else "")
    if manifest is not None and kind and "kind" not in manifest:
        manifest = {"kind": kind, **manifest}
    return ManifestView(
        name=called,
        version=version,
        hash=text(value.get("hash")),
        kind=kind,
        manifest=manifest,
        saved_at=text(value.get("savedAt")),
        saved_by=actor(value.get("savedBy")),
        environments=count(value.get("environments")),
    )


def read_view(response: Response, name: str) -> ManifestView:
    """One manifest, bare or under ``manifest`` with its version beside or inside."""
    value = body_of(response)
    view = view_of(value, name)
    if view is None and is_object(value):
        view = view_of(value.get("manifest"), name)
    if view is None:
        raise unreadable(response, f"it does not say which version of {name} this is")
    return view


def read_views(response: Response, key: str, name: str = "") -> list[ManifestView]:
    """The list under ``key``; ``name`` names the items that do not name themselves."""
    items = items_of(body_of(response), key)
    if items is None:
        raise unreadable(response, f"there is no list of `{key}` in it")
    views = [view_of(item, name) for item in items]
    whole_list = [view for view in views if view is not None]
    if len(whole_list) != len(views):
        raise unreadable(response, f"an item of `{key}` has no name or no version")
    return whole_list


def read_listing(response: Response) -> Listing:
    return Listing(tuple(read_views(response, "manifests")), response.headers.get("etag", ""))


def each(value: Json, read: Callable[[Json], T]) -> tuple[T, ...]:
    """``read`` of every item, of the value itself when it is no list, of nothing for null."""
    if value is None:
        return ()
    return tuple(read(item) for item in value) if is_array(value) else (read(value),)
