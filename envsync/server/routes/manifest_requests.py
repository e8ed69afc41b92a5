"""Requests that bring manifests, read and checked before any database is asked.

Apart from the routes themselves because validating costs imports that a read never needs.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from envsync.contract.features import BATCH_MAX
from envsync.contract.json_types import Json, JsonObject
from envsync.contract.names import is_manifest_name
from envsync.server.refusal import Refusal
from envsync.server.routes.bodies import Fault, FaultFinder, object_of
from envsync.server.routes.call import Call, bad_request
from envsync.server.routes.manifest_names import MAX_VERSION, NAME_RULE, choice, name_of
from envsync.server.services.abilities import Abilities
from envsync.server.services.drafts import Draft, Notice, draft
from envsync.server.services.manifests import PlanItem
from envsync.server.services.preconditions import if_match_version

_ITEM_KEYS = frozenset({"name", "manifest", "ifMatch"})


class Save(Struct, frozen=True):
    """A manifest to be saved, or with ``dry_run`` to be planned."""

    name: str
    draft: Draft
    if_match: int | None
    dry_run: bool


def read_save(call: Call, abilities: Abilities) -> Save:
    """The save that ``call`` asks for. Raises ``Refusal`` 400.

    Checked in the contract's order: name, body, ``If-Match``; ``dryRun`` changes none of it.
    """
    name = name_of(call)
    body = object_of(call)
    faults = FaultFinder().faults_of(body)
    if faults:
        raise _malformed(faults)
    if_match = if_match_version(call.header("if-match"))
    dry_run = choice(call, "dryRun", ("true", "false"), "false") == "true"
    drafted = _drafted(body, abilities)
    if isinstance(drafted, Fault):
        raise _malformed((drafted,))
    return Save(name, drafted, if_match, dry_run)


def read_batch(call: Call, abilities: Abilities) -> tuple[PlanItem, ...]:
    """The items of a batch plan. One whose name or manifest is not well-formed brings its errors.

    Raises ``Refusal`` 400 for a body that is no batch.
    """
    body = object_of(call)
    items = body.get("manifests")
    if not isinstance(items, list) or set(body) != {"manifests"}:
        raise bad_request("The body is an object with the one member manifests, a list")
    if len(items) > BATCH_MAX:
        raise bad_request(f"At most {BATCH_MAX} manifests fit into one batch, not {len(items)}")
    finder = FaultFinder()
    return tuple(_item(place, item, abilities, finder) for place, item in enumerate(items))


def _item(place: int, item: Json, abilities: Abilities, finder: FaultFinder) -> PlanItem:
    where = f"manifests[{place}]"
    if not isinstance(item, dict) or not {"name", "manifest"} <= set(item) <= _ITEM_KEYS:
        raise bad_request(f"{where} is an object with name, manifest and, if wanted, ifMatch")
    name, manifest, base = item["name"], item["manifest"], item.get("ifMatch")
    if not isinstance(name, str) or not isinstance(manifest, dict):
        raise bad_request(f"{where}: name is a string, and manifest an object")
    if "ifMatch" in item and not _is_version(base):
        raise bad_request(f"{where}: ifMatch is a whole number, 0 for none yet")
    expected = base if isinstance(base, int) else None
    if not is_manifest_name(name):
        return PlanItem(name, None, expected, (Notice("request_rejected", NAME_RULE),))
    faults = finder.faults_of(manifest)
    if faults:
        return PlanItem(name, None, expected, tuple(fault.notice for fault in faults))
    drafted = _drafted(manifest, abilities)
    if isinstance(drafted, Fault):
        return PlanItem(name, None, expected, (drafted.notice,))
    return PlanItem(name, drafted, expected)


def _drafted(body: JsonObject, abilities: Abilities) -> Draft | Fault:
    """The draft; a fault for a number that has no canonical JSON (RFC 8785 section 3.2.2.3)."""
    try:
        return draft(body, abilities)
    except ValueError:
        return Fault((), "A number is larger than JSON can carry exactly")


def _is_version(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_VERSION


def _malformed(faults: Sequence[Fault]) -> Refusal:
    """All that is wrong with a body, in one message and one by one in ``details``."""
    message = "; ".join(str(fault) for fault in faults)
    errors: list[Json] = [fault.notice.json() for fault in faults]
    return Refusal(400, "request_rejected", message, {"errors": errors})
