"""Text that looks like a token: it is searched for in the bytes of every file, comments too.

What is written into a file stays in Git for ever. A form that only real tokens have is an error;
an assignment that merely looks like one is a warning. No message repeats what was found.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator

from envsync.documents import Document
from envsync.errors import Problem, Severity
from envsync.linting.places import line_of

_START = rb"(?<![A-Za-z0-9_-])"
_AUTHORIZATION = rb"(?i:authorization['\"]?\s*[:=]\s*['\"]?(?:bearer|basic|token))\s+"
_KINDS: tuple[tuple[str, bytes], ...] = (
    ("a private key", rb"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"),
    ("a GitHub token", _START + rb"(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{60,})"),
    ("a GitLab token", _START + rb"gl(?:pat|ptt|dt|rt|cbt|ft|soat)-[A-Za-z0-9_-]{20,}"),
    ("a Slack token", _START + rb"xox[abeoprs]-[A-Za-z0-9-]{20,}"),
    ("an AWS access key", _START + rb"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("a Stripe key", _START + rb"(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{20,}"),
    ("an Anthropic key", _START + rb"sk-ant-[A-Za-z0-9_-]{24,}"),
    ("an OpenAI key", _START + rb"sk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{40,}"),
    ("a Google API key", _START + rb"AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])"),
    ("an npm token", _START + rb"npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    ("a PyPI token", _START + rb"pypi-AgE[A-Za-z0-9_-]{50,}"),
    ("a Hugging Face token", _START + rb"hf_[A-Za-z0-9]{30,}"),
    ("a SendGrid key", _START + rb"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    ("a DigitalOcean token", _START + rb"do[op]_v1_[a-f0-9]{64}"),
    ("a Vault token", _START + rb"hv[sbr]\.[A-Za-z0-9_-]{24,}"),
    ("an age secret key", _START + rb"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    (
        "a JSON Web Token",
        _START + rb"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{16,}",
    ),
    (
        "a password in a URL",
        rb"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@'\"$<{]{1,64}:(?P<password>[^\s/@'\"$<{*]{6,})@[^\s]",
    ),
    (
        "a bearer token",
        _AUTHORIZATION + rb"(?P<bearer>[A-Za-z0-9+/._~=-]{20,})",
    ),
)
# What each form cannot do without: most files hold none of it, and a look for plain pieces says so
# much sooner than an expression. All but a few forms need a word of more than 20 characters too.
_LONG_WORD = b"w" * 21
_WORDS = bytes(
    ord("w") if chr(byte).isascii() and (chr(byte).isalnum() or chr(byte) in "_-") else 0
    for byte in range(256)
)
_SHORT_HINTS = (b"PRIVATE KEY", b"AKIA", b"ASIA", b"uthorization", b"AUTHORIZATION", b"eyJ")
_HINTS = (
    b"ghp_",
    b"gho_",
    b"ghu_",
    b"ghs_",
    b"ghr_",
    b"github_pat_",
    b"glpat-",
    b"glptt-",
    b"gldt-",
    b"glrt-",
    b"glcbt-",
    b"glft-",
    b"glsoat-",
    b"xox",
    b"_live_",
    b"_test_",
    b"sk-",
    b"AIza",
    b"npm_",
    b"pypi-AgE",
    b"hf_",
    b"SG.",
    b"dop_v1_",
    b"doo_v1_",
    b"hvs.",
    b"hvb.",
    b"hvr.",
    b"AGE-SECRET",
)
_ASSIGNED_HINTS = (
    b"TOKEN",
    b"SECRET",
    b"PASSW",
    b"APIKEY",
    b"API_KEY",
    b"ACCESS_KEY",
    b"PRIVATE_KEY",
    b"CREDENTIAL",
)
_ASSIGNED = re.compile(
    rb"(?<![A-Za-z0-9_])(?P<name>[A-Z0-9_]*"
    rb"(?:TOKEN|SECRET|PASSWORD|PASSWD|APIKEY|API_KEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIALS?)"
    rb"[A-Z_]*)=(?P<quote>['\"]?)(?P<value>[A-Za-z0-9+/_.~=-]{16,})(?P=quote)"
)
# The same value alone: it starts with one certain byte, so that looking for it is quick.
_ASSIGNED_VALUE = re.compile(rb"=['\"]?[A-Za-z0-9+/_.~=-]{16}")
_PLACEHOLDER = re.compile(
    rb"(?i)example|changeme|change-me|placeholder|redacted|dummy|sample|your[-_]|xxxx|1234567890"
    rb"|nylorun-managed"
)


def token_problems(document: Document) -> Iterator[Problem]:
    """What in a file looks like a token, each with its place and none with its text."""
    data = document.source
    seen: list[tuple[int, int]] = []
    if _may_hold_a_token(data):
        for what, pattern in _COMPILED:
            for found in pattern.finditer(data):
                start, end = _piece(found)
                if _is_placeholder(data[start:end]) or _overlaps(seen, start, end):
                    continue
                seen.append((start, end))
                yield _problem(document, "E301", f"this looks like {what}", start, end)
    if _ASSIGNED_VALUE.search(data) and any(hint in data for hint in _ASSIGNED_HINTS):
        yield from _assigned(document, seen)


def _may_hold_a_token(data: bytes) -> bool:
    if any(hint in data for hint in _SHORT_HINTS) or (b"://" in data and b"@" in data):
        return True
    return _LONG_WORD in data.translate(_WORDS) and any(hint in data for hint in _HINTS)


def _assigned(document: Document, seen: list[tuple[int, int]]) -> Iterator[Problem]:
    """Assignments of values that look generated, where nothing else was ``seen``."""
    for found in _ASSIGNED.finditer(document.source):
        start, end = found.span("value")
        value = found["value"]
        if _overlaps(seen, start, end) or _is_placeholder(value) or not _is_random(value):
            continue
        name = found["name"].decode("ascii")
        yield _problem(
            document, "W302", f"the value given to {name} looks like a secret", start, end
        )


_COMPILED = tuple((what, re.compile(pattern)) for what, pattern in _KINDS)


def _piece(found: re.Match[bytes]) -> tuple[int, int]:
    """The secret's own part of a match."""
    for name in ("password", "bearer"):
        if name in found.re.groupindex:
            return found.span(name)
    return found.span()


def _overlaps(seen: list[tuple[int, int]], start: int, end: int) -> bool:
    return any(start < other_end and other_start < end for other_start, other_end in seen)


def _is_placeholder(value: bytes) -> bool:
    if value.startswith(b"-----BEGIN"):
        return False
    return _PLACEHOLDER.search(value) is not None or len(set(value[4:] or value)) < 4


def _is_random(value: bytes) -> bool:
    """Whether ``value`` has letters and digits in the disorder of a generated secret (above 3.5
    bits a character), and is no path and no host name."""
    if not (re.search(rb"[0-9]", value) and re.search(rb"[A-Za-z]", value)):
        return False
    if value.startswith((b"/", b"./")) or value.count(b"/") > 2 or value.count(b".") > 2:
        return False
    counts = Counter(value)
    entropy = -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())
    return entropy > 3.5


def _problem(document: Document, code: str, message: str, start: int, end: int) -> Problem:
    return Problem(
        code,
        message,
        severity=Severity.ERROR if code.startswith("E") else Severity.WARNING,
        position=line_of(document, start, end - start),
        label="whatever stands here is in Git for ever",
        remedy="declare a slot under `secrets` and set its value on the server; if this one is "
        "real, revoke it",
        private=True,
    )
