"""Whether a manifest comes nowhere near a limit, told by a compiled validator.

Nearly every manifest does not. The schema here is narrower than the limits on purpose: what it
lets through breaks none of them, and of the rest nothing is said. It exists for speed alone; a
test holds it to the limits.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from envsync.contract.json_types import JsonObject
from envsync.contract.names import RESERVED_VARIABLES

if TYPE_CHECKING:
    import jsonschema_rs

_SEGMENT: Final = "[A-Za-z0-9_][A-Za-z0-9_-]*(?:[.][A-Za-z0-9_-]+)*"
_DOTTED_SEGMENT: Final = f"[.]?{_SEGMENT}"
_PATH: Final = {"maxLength": 512, "pattern": f"^{_DOTTED_SEGMENT}(?:/{_DOTTED_SEGMENT})*$"}
_TEXT: Final = {"maxLength": 4_096, "pattern": "^[^\\u0000]*$"}
_WHOLE_GIBIBYTES: Final = "[1-9][0-9]{0,4}GiB"

_SCHEMA: Final = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "properties": {
        "kind": {"enum": ["virtual", "pod"]},
        "image": {"maxLength": 512, "pattern": "^[!-~]+$"},
        "resources": {
            "properties": {
                "cpus": {"minimum": 0.1, "maximum": 64},
                "memory": {"pattern": f"^(?:[1-9][0-9]{{3,7}}MiB|{_WHOLE_GIBIBYTES})$"},
            }
        },
        "storage": {"pattern": f"^{_WHOLE_GIBIBYTES}$"},
        "network": {"properties": {"allowedHosts": {"maxItems": 256}}},
        "harness": {"pattern": "^[a-z][a-z0-9-]{0,31}$"},
        "setup": {
            "maxItems": 32,
            "items": {
                "properties": {
                    "command": _TEXT,
                    "cwd": {
                        "maxLength": 512,
                        "pattern": f"^/workspace(?:/{_DOTTED_SEGMENT})*$",
                    },
                    "timeout": {"pattern": "^(?:[1-9][0-9]{0,2}s|[1-5]?[1-9]m|[1-5]0m|1h)$"},
                }
            },
        },
        # All texts together stay below the limit when there are few and none is long.
        "files": {
            "maxItems": 3,
            "items": {
                "properties": {
                    "path": _PATH,
                    "files": {
                        "maxProperties": 5,
                        "propertyNames": _PATH,
                        "additionalProperties": _TEXT,
                    },
                }
            },
        },
        "secrets": {
            "maxProperties": 64,
            "propertyNames": {
                "pattern": "^(?!NYLORUN_)[A-Z][A-Z0-9_]{0,63}$",
                "not": {"enum": sorted(RESERVED_VARIABLES)},
            },
            "additionalProperties": {"properties": {"allowedHosts": {"maxItems": 32}}},
        },
    },
}


def is_ordinary(body: JsonObject) -> bool:
    """Whether ``body``, a manifest that its schema has found valid, is within every limit.
    ``False`` says nothing."""
    return _validator().is_valid(body)


@cache
def _validator() -> jsonschema_rs.Draft202012Validator:
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator(_SCHEMA)
