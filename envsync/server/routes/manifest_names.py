"""What a manifest route's path and query say."""

from __future__ import annotations

from typing import Final

from envsync.contract.names import is_manifest_name
from envsync.server.routes.call import Call, bad_request

MAX_VERSION: Final = 2**53 - 1
NAME_RULE: Final = (
    "An environment manifest's name is 1-64 letters, digits, '.', '_' and '-', starting with a "
    "letter or digit"
)


def name_of(call: Call) -> str:
    """The name in the path. Raises ``Refusal`` 400."""
    name = call.parameters[0]
    if not is_manifest_name(name):
        raise bad_request(NAME_RULE)
    return name


def name_and_version_of(call: Call) -> tuple[str, int]:
    """The name and the version in the path. Raises ``Refusal`` 400."""
    name, text = name_of(call), call.parameters[1]
    version = int(text) if text.isascii() and text.isdigit() and len(text) < 17 else 0
    if not 1 <= version <= MAX_VERSION:
        raise bad_request("version is a positive integer")
    return name, version


def choice(call: Call, name: str, values: tuple[str, ...], default: str) -> str:
    """The value of a query parameter, one of ``values``. Raises ``Refusal`` 400."""
    value = call.query(name)
    if value is None:
        return default
    if value not in values:
        raise bad_request(f"{name} is {' or '.join(values)}")
    return value
