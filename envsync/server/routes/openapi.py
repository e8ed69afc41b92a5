"""The API's description as one JSON document, made from the files in ``schemas/``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, cast

import orjson
import yaml

from envsync.contract.assets import asset
from envsync.contract.json_types import Json
from envsync.contract.validator import wire_schema

_MANIFEST_FILE: Final = "../environment-manifest.schema.json"
_MANIFEST: Final = "#/components/schemas/EnvironmentManifest"
_MANAGEMENT: Final = "/v1/tenant/"

JsonDict = dict[str, Json]


def document(*, management: bool = False) -> bytes:
    """The whole description, or what of it is below ``/v1/tenant/``. No reference leaves it."""
    text = asset("schemas/openapi/runtime.yaml").read_bytes()
    loaded = yaml.load(text, Loader=yaml.CSafeLoader)
    described = cast("JsonDict", _references(loaded, _outer_reference))
    components = cast("JsonDict", described["components"])
    cast("JsonDict", components["schemas"])["EnvironmentManifest"] = _manifest_schema()
    if management:
        paths = cast("JsonDict", described["paths"])
        described["paths"] = {
            path: item for path, item in paths.items() if path.startswith(_MANAGEMENT)
        }
    return orjson.dumps(described)


def _manifest_schema() -> JsonDict:
    """The manifest's schema as a part of the document: as a request may send it.

    Members that only a file may have are left out, because a server refuses them.
    """
    schema = wire_schema()
    for key in ("$schema", "$id"):
        schema.pop(key, None)
    return cast("JsonDict", _references(schema, _inner_reference))


def _outer_reference(reference: str) -> str:
    return _MANIFEST if reference == _MANIFEST_FILE else reference


def _inner_reference(reference: str) -> str:
    return _MANIFEST + reference[1:] if reference.startswith("#") else reference


def _references(value: Json, change: Callable[[str], str]) -> Json:
    """``value`` with every ``$ref`` changed."""
    if isinstance(value, dict):
        return {
            key: change(each)
            if key == "$ref" and isinstance(each, str)
            else _references(each, change)
            for key, each in value.items()
        }
    if isinstance(value, list):
        return [_references(each, change) for each in value]
    return value
