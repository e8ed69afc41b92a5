"""The grammars of names: manifests, Environments, labels, variables, headers, keys, subjects."""

from __future__ import annotations

import re
from typing import Final

MANIFEST_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")
"""1-64 letters, digits, ``.``, ``_`` and ``-``, starting with a letter or digit."""

MANIFEST_NAME_RULE: Final = (
    "1-64 letters, digits, `.`, `_` and `-`, starting with a letter or digit"
)

_ENVIRONMENT_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)*\Z")
_LABEL_KEY = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._/-]{0,61}[A-Za-z0-9])?\Z")
_LABEL_VALUE = re.compile(r"[\x20-\x7e]{0,256}\Z")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}\Z")
_SLOT_LABEL = re.compile(r"[^\s/\x00-\x20\x7f]{1,128}\Z")
_HARNESS = re.compile(r"[a-z][a-z0-9-]{0,31}\Z")
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z")
_SUBJECT = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]{0,198}[\x21-\x7e])?\Z")

RESERVED_VARIABLES: Final = frozenset(
    {
        "PATH",
        "HOME",
        "PWD",
        "SHELL",
        "USER",
        "HTTPS_PROXY",
        "HTTP_PROXY",
        "NO_PROXY",
        "ALL_PROXY",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "NODE_EXTRA_CA_CERTS",
        "REQUESTS_CA_BUNDLE",
        "CURL_CA_BUNDLE",
        "GIT_SSL_CAINFO",
        "AWS_CA_BUNDLE",
    }
)
"""Variables that the sandbox itself sets. Compared without case; ``NYLORUN_*`` is reserved too."""

RESERVED_SUBJECTS: Final = frozenset({"host", "installation"})
RESERVED_KEY_IDS: Final = frozenset({"studio", "bootstrap"})


def is_manifest_name(text: str) -> bool:
    """Whether ``text`` can name an environment manifest."""
    return MANIFEST_NAME.match(text) is not None


def is_environment_id(text: str) -> bool:
    """Whether ``text`` can be an Environment's id: ``/``-separated parts, 200 characters."""
    return len(text) <= 200 and _ENVIRONMENT_ID.match(text) is not None


def is_label_key(text: str) -> bool:
    """Whether ``text`` can be a label's key (1-63 characters)."""
    return _LABEL_KEY.match(text) is not None


def is_label_value(text: str) -> bool:
    """Whether ``text`` can be a label's value (up to 256 printable ASCII characters)."""
    return _LABEL_VALUE.match(text) is not None


def is_variable_name(text: str) -> bool:
    """Whether ``text`` can name an environment variable (1-128 characters)."""
    return _VARIABLE.match(text) is not None


def is_reserved_variable(text: str) -> bool:
    """Whether the sandbox keeps this variable for itself, whatever the case of its letters."""
    upper = text.upper()
    return upper in RESERVED_VARIABLES or upper.startswith("NYLORUN_")


def is_slot_label(text: str) -> bool:
    """Whether ``text`` can name a ``bearer`` or ``headers`` slot.

    Such a name is a label: 1-128 visible characters without ``/``.
    """
    return text.isprintable() and _SLOT_LABEL.match(text) is not None


def is_harness_id(text: str) -> bool:
    """Whether ``text`` can name the engine that runs in an Environment."""
    return _HARNESS.match(text) is not None


def is_header_name(text: str) -> bool:
    """Whether ``text`` is a header's name: a token of RFC 9110 section 5.6.2."""
    return _HEADER.match(text) is not None


def is_key_id(text: str) -> bool:
    """Whether ``text`` follows the grammar of a key's id; ``RESERVED_KEY_IDS`` are kept back."""
    return _HARNESS.match(text) is not None


def is_subject(text: str) -> bool:
    """Whether ``text`` can be a ``Nylorun-Subject``; ``RESERVED_SUBJECTS`` are kept back."""
    return _SUBJECT.match(text) is not None
