"""The caps of a document: generous for people, deadly for bombs."""

from __future__ import annotations

from typing import Final

MAX_BYTES: Final = 1024 * 1024
"""Bytes of a file, a byte order mark included."""

MAX_DEPTH: Final = 64
"""Mappings and lists inside one another, the outermost included, after aliases are expanded."""

MAX_ALIASES: Final = 64
"""Aliases (``*name``) of one document."""

MAX_NODES: Final = 100_000
"""Scalars, mappings and lists of one document, after aliases are expanded."""

MAX_INTEGER: Final = 2**53 - 1
"""The largest integer that every JSON reader keeps exactly (RFC 8259 section 6)."""

MAX_PROBLEMS: Final = 100
"""Problems told of one document; the reading ends with the last of them."""
