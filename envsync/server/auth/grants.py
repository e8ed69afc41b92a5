"""Grants: which Environments a token reaches; and the templates that make them from claims."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Final

from envsync.contract.json_types import Json
from envsync.contract.names import is_environment_id

MAX_GRANTS: Final = 16

_REFERENCE: Final = re.compile(r"\{([^{}]+)\}")
_SEGMENT: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def is_grant(text: str) -> bool:
    """An exact Environment id, or a prefix that ends in ``/*``. A bare ``*`` is none."""
    return is_environment_id(text.removesuffix("/*"))


def is_granted(environment_id: str, grants: tuple[str, ...]) -> bool:
    """``p/*`` reaches every id that starts with ``p/``, at any depth, and not ``p`` itself."""
    return any(
        environment_id.startswith(grant[:-1]) if grant.endswith("/*") else environment_id == grant
        for grant in grants
    )


def references(template: str) -> tuple[str, ...]:
    """The claims that ``template`` names in braces."""
    return tuple(_REFERENCE.findall(template))


def is_template(text: str) -> bool:
    """Braces stand around claim names only."""
    return not re.search(r"[{}]", _REFERENCE.sub("", text))


def render(template: str, value: Callable[[str], str | None]) -> str | None:
    """``template`` with each ``{claim}`` replaced; ``None`` when one of them has no value."""
    values = {name: value(name) for name in references(template)}
    if any(text is None for text in values.values()):
        return None
    return _REFERENCE.sub(lambda found: values[found[1]] or "", template)


def scalar(claims: Mapping[str, Json], name: str) -> str | None:
    """A claim as template text: a string that is not empty, or a finite number."""
    value = claims.get(name)
    if isinstance(value, str):
        return value or None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not math.isfinite(value):
        return None
    return str(int(value)) if value == int(value) else repr(value)


def segment(claims: Mapping[str, Json], name: str) -> str | None:
    """As ``scalar``, if it is one segment of an id: a claim can never widen a grant."""
    text = scalar(claims, name)
    return text if text is not None and _SEGMENT.fullmatch(text) else None


def grants_of(templates: tuple[str, ...], claims: Mapping[str, Json]) -> tuple[str, ...]:
    """The grants that ``templates`` make; one whose claim is missing or unfit is dropped."""
    rendered = (render(each, lambda name: segment(claims, name)) for each in templates)
    return tuple(dict.fromkeys(text for text in rendered if text and is_grant(text)))
