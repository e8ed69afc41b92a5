"""Canonical JSON (RFC 8785) and the digest that is made of it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Final

import orjson

from envsync.contract.json_types import Json

_OPTIONS: Final = (
    orjson.OPT_SORT_KEYS
    | orjson.OPT_STRICT_INTEGER
    | orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
)

# Where the fast encoder, which sorts keys by code point, may write something else than RFC 8785:
# a number with an exponent or with a fraction of zero, which JavaScript writes otherwise, and a
# character beyond U+FFFF, which sorts elsewhere in UTF-16 (its UTF-8 starts with F0 to F4).
# The first expression is quick and finds too much, the second looks closer. A hit inside a text
# costs time, never correctness.
_HINT: Final = re.compile(rb"[0-9](?:\.0(?![0-9])|e[+\-0-9])")
_DOUBTFUL: Final = re.compile(rb"(?:\A|[:,\[])-?[0-9]+(?:\.0(?![0-9])|(?:\.[0-9]+)?e)")
_BEYOND_BMP: Final = re.compile(rb"[\xf0-\xf4]")


def canonical_json(value: Json) -> bytes:
    """``value`` as RFC 8785 writes it: sorted by UTF-16, no space, numbers as JavaScript's.

    Raises ``ValueError`` for what has no canonical form: a number that is not finite, a whole
    number beyond 2**53 - 1, text that is not Unicode, or a value that is not JSON.
    """
    try:
        encoded = orjson.dumps(value, option=_OPTIONS)
    except TypeError:
        return _exactly(value)
    if _is_doubtful(encoded):
        return _exactly(value)
    # The fast encoder writes null for NaN and infinities: only a null can hide one.
    if b"null" in encoded and not _is_finite(value):
        raise ValueError("no canonical JSON: a number is not finite")
    return encoded


def digest(value: Json) -> str:
    """The SHA-256 of the canonical JSON of ``value``: 64 lower-case hexadecimal digits."""
    return sha256(canonical_json(value)).hexdigest()


def _is_doubtful(encoded: bytes) -> bool:
    if not encoded.isascii() and _BEYOND_BMP.search(encoded) is not None:
        return True
    return _HINT.search(encoded) is not None and _DOUBTFUL.search(encoded) is not None


def _is_finite(value: Json) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, Mapping):
        return all(_is_finite(member) for member in value.values())
    if isinstance(value, list | tuple):
        return all(_is_finite(member) for member in value)
    return True


def _exactly(value: Json) -> bytes:
    import rfc8785

    try:
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError, RecursionError) as error:
        raise ValueError(f"no canonical JSON: {error}") from error
