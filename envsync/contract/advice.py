"""What to say of a text that does not follow a grammar, and what to write in its place."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from envsync.contract.durations import format_duration
from envsync.contract.hosts import WILDCARD, is_exact_host, is_host_pattern
from envsync.contract.names import MANIFEST_NAME_RULE

SHOWN_MAX: Final = 60


class Advice(Struct, frozen=True):
    """``found`` completes "`path` ..."; ``expected`` and ``remedy`` stand alone."""

    code: str
    found: str
    expected: str
    remedy: str


def shown(text: str) -> str:
    """``text`` for a message: in backticks, on one line, cut to a readable length."""
    line = text.replace("\r", " ").replace("\n", " ")
    if len(line) > SHOWN_MAX:
        line = line[: SHOWN_MAX - 3] + "..."
    return f"`{line}`"


def advise(grammar: str, text: str) -> Advice | None:
    """What to say of ``text``, which breaks ``grammar`` (the ``x-grammar`` of a schema).

    ``None`` when the grammar is not one that is known here.
    """
    adviser = _ADVISERS.get(grammar)
    return adviser(text) if adviser else None


_SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kmgt]?)(?:i?b?|bytes?)\s*\Z", re.IGNORECASE)
_FACTORS: Final = (("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1))


def _size(text: str) -> Advice:
    expected = "a whole number above zero and `B`, `KiB`, `MiB`, `GiB` or `TiB`, without a space"
    match = _SIZE.match(text)
    remedy = 'write a number and a unit, such as "512MiB" or "2GiB"'
    if match and match[2]:
        factor = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}[match[2].lower()]
        size = float(match[1]) * factor
        if size.is_integer() and 0 < size < 1 << 63:
            remedy = f'write "{_size_text(int(size), match[1], match[2])}"'
    elif match and match[1].isdigit() and int(match[1]):
        remedy = f'say the unit, such as "{int(match[1])}MiB"'
    return Advice("E210", f"is {shown(text)}, which is not a size", expected, remedy)


def _size_text(size: int, amount: str, unit: str) -> str:
    if amount.isdigit():
        return f"{int(amount)}{unit.upper()}iB"
    name, factor = next((name, factor) for name, factor in _FACTORS if size % factor == 0)
    return f"{size // factor}{name}"


_PART = re.compile(
    r"\s*([0-9]+(?:\.[0-9]+)?)\s*(milliseconds?|millis|msecs?|ms|seconds?|secs?|s|minutes?|mins?|m"
    r"|hours?|hrs?|h|days?|d|weeks?|w)\b\s*|\s*([0-9]+)\s*(ms|s|m|h|d|w)",
    re.IGNORECASE,
)
_WEEK: Final = 7 * 86_400_000


def _duration(text: str) -> Advice:
    expected = "a whole number above zero and `ms`, `s`, `m`, `h` or `d`, without a space"
    milliseconds = _spoken_duration(text)
    if milliseconds:
        remedy = f'write "{format_duration(milliseconds)}"'
    elif text.strip().isdigit() and int(text):
        remedy = f'say the unit, such as "{int(text)}m" for minutes'
    else:
        remedy = 'write a number and a unit, such as "90s", "30m" or "7d"'
    return Advice("E211", f"is {shown(text)}, which is not a duration", expected, remedy)


def _spoken_duration(text: str) -> int:
    """The milliseconds that a person may have meant (``1h30m``, ``5 min``); 0 when unclear."""
    if len(text) > SHOWN_MAX:
        return 0
    total, at = 0.0, 0
    while at < len(text):
        match = _PART.match(text, at)
        if match is None:
            return 0
        total += float(match[1] or match[3]) * _unit(match[2] or match[4])
        at = match.end()
    return int(total) if total.is_integer() and total < 1 << 53 else 0


def _unit(word: str) -> int:
    word = word.lower()
    if word.startswith(("ms", "mil")):
        return 1
    return {"s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": _WEEK}[word[0]]


def _host_pattern(text: str) -> Advice:
    expected = "a full host name such as `pypi.example`, or `*.pkg.example`"
    return _host(text, expected, is_host_pattern)


def _exact_host(text: str) -> Advice:
    expected = "a full host name such as `api.github.example`"
    if text.startswith("*"):
        return Advice(
            "E212",
            f"is {shown(text)}, but a secret goes only to exact hosts",
            expected,
            "name each host that gets the value",
        )
    return _host(text, expected, is_exact_host)


def _host(text: str, expected: str, fits: Callable[[str], bool]) -> Advice:
    bare = _bare_host(text)
    if bare != text and fits(bare):
        found = f"is {shown(_without_userinfo(text))}, which is more than a host name"
        return Advice("E212", found, expected, f'write "{bare}"')
    found = f"is {shown(_without_userinfo(text))}, which is not a host name"
    if text == "*":
        return Advice("E212", found, expected, "name the hosts: no pattern stands for every host")
    if re.fullmatch(r"[0-9.]+|\[?[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*\]?", bare):
        return Advice("E212", found, expected, "name the host: an address is not allowed")
    if not bare.isascii() and (ascii_name := _ascii_host(bare)) and fits(ascii_name):
        return Advice("E212", found, expected, f'write "{ascii_name}"')
    if "*" in bare.removeprefix(WILDCARD):
        remedy = 'a wildcard is only the first label, such as "*.pkg.example"'
    elif bare and "." not in bare:
        remedy = "write the full name: it has at least two labels, with a dot between"
    else:
        remedy = "labels are 1-63 letters, digits and `-`, with dots between them"
    return Advice("E212", found, expected, remedy)


def _bare_host(text: str) -> str:
    """What is left of ``text`` without scheme, user, path, port and the dot at its end."""
    bare = text.strip()
    _, scheme, rest = bare.partition("://")
    bare = rest if scheme else bare
    bare = re.split(r"[/?#]", bare, maxsplit=1)[0].rpartition("@")[2]
    if bare.count(":") == 1:
        bare = bare.partition(":")[0]
    return bare.rstrip(".")


def _without_userinfo(text: str) -> str:
    """``text`` without what stands before an ``@``: that may be a credential."""
    head, at, tail = text.rpartition("@")
    if not at:
        return text
    scheme, marker, _ = head.partition("://")
    return f"{scheme}{marker}...@{tail}" if marker else f"...@{tail}"


def _ascii_host(text: str) -> str:
    try:
        return text.encode("idna").decode("ascii")
    except UnicodeError:
        return ""


def _url(text: str) -> Advice:
    expected = "an absolute URL such as `https://mcp.tracker.example/mcp`"
    if "@" in re.split(r"[/?#]", text.partition("://")[2], maxsplit=1)[0]:
        found = "holds a user name or a password"
        remedy = "remove what stands before the `@`: the slot's own value is the credential"
    elif text != text.strip() or re.search(r"\s", text):
        found, remedy = (
            f"is {shown(text)}, which has a space",
            "remove the space, or write it as %20",
        )
    elif "://" not in text and is_exact_host(_bare_host(text)):
        found, remedy = f"is {shown(text)}, which has no scheme", f'write "https://{text}"'
    else:
        found = f"is {shown(text)}, which is not an absolute http or https URL"
        remedy = "write the whole URL, with https:// at its start"
    return Advice("E213", found, expected, remedy)


def _via_url(text: str) -> Advice:
    expected = "an absolute https URL without user name, query or fragment"
    if text.startswith("http://") and "@" not in text:
        bare = re.split(r"[?#]", text.removeprefix("http://"), maxsplit=1)[0]
        found = f"is {shown('http://' + bare)}, and http is only for this machine itself"
        return Advice("E213", found, expected, f'write "https://{bare}"')
    if "@" not in text and re.search(r"[?#]", text):
        bare = re.split(r"[?#]", text, maxsplit=1)[0]
        found = f"is {shown(bare)} with a query or a fragment"
        return Advice("E213", found, expected, f'write "{bare}"')
    advice = _url(text)
    return Advice(advice.code, advice.found, expected, advice.remedy)


def _header_name(text: str) -> Advice:
    found = f"is {shown(text)}, which is not the name of a header"
    remedy = 'write one word of letters, digits and `-`, such as "Authorization" or "X-Api-Key"'
    bare = text.strip().rstrip(":").strip()
    if bare != text and re.fullmatch(r"[A-Za-z0-9-]+", bare):
        remedy = f'write "{bare}"'
    return Advice("E214", found, "the name of an HTTP header", remedy)


def _inject_format(text: str) -> Advice:
    expected = "`{value}` exactly once, alone or inside one `{base64:...}`"
    count = text.count("{value}")
    if count == 0:
        # Somebody may have written the secret itself here: it is not shown.
        found = "does not hold `{value}`, the place where the secret's value goes"
    elif count > 1:
        found = f"holds `{{value}}` {count} times"
    else:
        found = "holds braces or line ends beside `{value}`"
    return Advice(
        "E214", found, expected, 'write "Bearer {value}", or "Basic {base64:user:{value}}"'
    )


def _manifest_name(text: str) -> Advice:
    bare = re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-._")[:64]
    remedy = f'write "{bare}"' if bare else 'write a name such as "analyst-box"'
    found = f"is {shown(text)}, which cannot name a manifest"
    return Advice("E215", found, MANIFEST_NAME_RULE, remedy)


_ADVISERS: Final[dict[str, Callable[[str], Advice]]] = {
    "size": _size,
    "duration": _duration,
    "host-pattern": _host_pattern,
    "exact-host": _exact_host,
    "url": _url,
    "via-url": _via_url,
    "header-name": _header_name,
    "inject-format": _inject_format,
    "manifest-name": _manifest_name,
}
