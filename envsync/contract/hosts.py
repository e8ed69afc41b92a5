"""Host names and host patterns: what an Environment may reach, and where a secret may go."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_EXACT = re.compile(rf"{_LABEL}(?:\.{_LABEL})+\Z")
_NUMERIC = re.compile(r"[0-9.]+\Z")

WILDCARD: Final = "*."
_LENGTH_MAX: Final = 253


def is_exact_host(text: str) -> bool:
    """Whether ``text`` is a full host name: two labels or more, not an address."""
    return (
        len(text) <= _LENGTH_MAX and _EXACT.match(text) is not None and _NUMERIC.match(text) is None
    )


def is_host_pattern(text: str) -> bool:
    """Whether ``text`` is a host name, or ``*.`` and one, which stands for every name below it."""
    return len(text) <= _LENGTH_MAX and is_exact_host(text.removeprefix(WILDCARD))


def normalise_hosts(hosts: Iterable[str]) -> list[str]:
    """``hosts`` in lower case, each once, in byte order."""
    return sorted({host.lower() for host in hosts})
