"""Servers that do not take ``kind`` in a manifest: recognising them, and what is safe then."""

from __future__ import annotations

import re

from envsync.api.refusals import Refusal
from envsync.api.views import ManifestView
from envsync.contract.json_types import JsonObject

DEFAULT_KIND = "virtual"
"""The kind of a manifest that does not say one, on every server that we know."""

_NAMES_KIND = re.compile(r"\bkind\b")


def refuses_kind(refusal: Refusal, body: JsonObject) -> bool:
    """Whether a 400 is about the ``kind`` that ``body`` says."""
    return refusal.status == 400 and "kind" in body and bool(_NAMES_KIND.search(refusal.message))


def without_kind(body: JsonObject) -> JsonObject:
    return {key: value for key, value in body.items() if key != "kind"}


def comes_out_right(body: JsonObject, view: ManifestView | None) -> bool:
    """Whether ``body`` without its kind still ends as that kind: ``view``, what the server holds
    now, has it, or there is none yet and the kind is the one that is meant by saying none."""
    return body.get("kind") == (view.kind if view is not None else DEFAULT_KIND)
