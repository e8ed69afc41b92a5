"""What changed between two looks: at the files, and at the server. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

from msgspec import Struct

from envsync.resources.resource import Base, Declared, ObjectId, Observed


class Saved(Struct, frozen=True):
    """One object that changed on the server. ``what`` is ``saved``, ``deleted`` or ``appeared``;
    ``version`` is 0 for one that is gone."""

    id: ObjectId
    what: str
    version: int = 0
    saved_by: str = ""
    saved_at: str = ""


def server_changes(
    before: Mapping[ObjectId, Observed],
    after: Mapping[ObjectId, Observed],
    ours: Mapping[ObjectId, Base | None],
) -> tuple[Saved, ...]:
    """What others did, in order of names. ``ours`` is what we left there ourselves, ``None`` for
    what we deleted."""
    found: list[Saved] = []
    for object_id, now in after.items():
        then = before.get(object_id)
        if then is not None and then.base == now.base:
            continue
        if object_id in ours and ours[object_id] == now.base:
            continue
        what = "appeared" if then is None else "saved"
        found.append(Saved(object_id, what, now.base.version, now.saved_by, now.saved_at))
    found += [
        Saved(object_id, "deleted")
        for object_id in before
        if object_id not in after and not (object_id in ours and ours[object_id] is None)
    ]
    return tuple(sorted(found, key=lambda each: each.id))


def observed_key(listed: Mapping[ObjectId, Observed]) -> str:
    """A digest of what the server holds: names, versions, hashes."""
    hasher = sha256()
    for object_id in sorted(listed):
        base = listed[object_id].base
        hasher.update(f"{object_id}\0{base.version}\0{base.hash}\n".encode())
    return hasher.hexdigest()


def declared_changes(before: Sequence[Declared], after: Sequence[Declared]) -> tuple[ObjectId, ...]:
    """The objects that the files say otherwise than before, or no longer, in order of names."""
    then, now = _hashes(before), _hashes(after)
    return tuple(
        sorted(each for each in then.keys() | now.keys() if then.get(each) != now.get(each))
    )


def _hashes(declared: Iterable[Declared]) -> dict[ObjectId, str]:
    return {each.id: each.hash for each in declared}
