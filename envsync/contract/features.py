"""The protocol that is spoken, and the names of our own extensions of it.

Base abilities follow from the protocol number. A feature name is advertised by ``/health`` and
matters only for what our server adds.
"""

from __future__ import annotations

from typing import Final

PROTOCOL: Final = 14
PROTOCOL_MIN: Final = 14
PROTOCOL_MAX: Final = 14

LIST_SUMMARY: Final = "envsync-list-summary"
"""``?view=summary`` on the manifest list: names, versions, hashes and counts without bodies."""

BATCH_PLAN: Final = "envsync-batch-plan"
"""``POST /v1/environment-manifests:plan``: up to 1,000 dry runs in one request."""

FEATURES: Final[tuple[str, ...]] = (BATCH_PLAN, LIST_SUMMARY)
"""What our server advertises today, in byte order."""

BATCH_MAX: Final = 1_000
"""How many manifests one batch plan may hold."""

BODY_MAX_BYTES: Final = 1024 * 1024
"""The largest JSON body that a server of this protocol takes."""
