"""What a person may set about the network, and what holds when they set nothing."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

DEFAULT_CONCURRENCY = 16
"""Requests to one host side by side. Measured: on a loopback 16 are no slower than one, at 10 ms
away they already take all that one process can do, and they are polite to a small server."""


@dataclass(frozen=True, slots=True)
class HttpSettings:
    """Times are in seconds, sizes in bytes.

    ``request_seconds`` bounds one attempt from the first byte out to the last byte in, so that an
    answer that drips forever ends. ``budget_seconds`` bounds everything that one client does,
    waiting included. ``environment`` is where proxies and ``SSL_CERT_FILE`` are looked up.
    """

    connect_seconds: float = 10.0
    read_seconds: float = 30.0
    write_seconds: float = 30.0
    request_seconds: float = 120.0
    budget_seconds: float = 600.0
    attempts: int = 5
    concurrency: int = DEFAULT_CONCURRENCY
    max_answer_bytes: int = 64 * 1024 * 1024
    ca_bundle: Path | None = None
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
