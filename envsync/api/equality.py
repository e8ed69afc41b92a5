"""Whether a server holds what we wanted, whoever put it there."""

from __future__ import annotations

from envsync.api.views import ManifestView
from envsync.contract.json_types import JsonObject


def holds(view: ManifestView | None, body: JsonObject) -> bool:
    """Whether ``view`` is ``body`` in the one canonical form."""
    if view is None or view.manifest is None:
        return False
    from envsync.contract.canonical import digest
    from envsync.contract.normalise import normalise

    try:
        theirs = digest(normalise("manifest", view.manifest))
    except (ValueError, TypeError, RecursionError):
        # What a foreign server holds may be beyond any canonical form; it is not what we wanted.
        return False
    return theirs == digest(normalise("manifest", body))
