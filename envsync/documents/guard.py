"""Which texts the compiled reader may be trusted with.

The guard knows the lines that people write and how every reader takes them; what it does not know
goes to the exact reader. It is no parser: whether the lines fit together is the reader's business.
It only makes sure that no scalar could be read in two ways, that nothing outside of the profile
stands anywhere, and that the caps hold.
"""

from __future__ import annotations

import re
from typing import Final

# No tab, no control character: and in ASCII nothing else is to be feared.
_PRINTABLE: Final = bytes(range(0x20, 0x7F)) + b"\n"

_MAX_BYTES: Final = 128 * 1024
"""So that the caps on nodes (every node takes two bytes at least) hold without counting."""

_AMBIGUOUS = r"(?!\.?[yYnNoOtTfFiI](?i:|es|n|o|ff|rue|alse|ull|an|nf|nfinity)[ ]*[:,\]}#\n])"
_KEY = rf"""(?:\$schema | {_AMBIGUOUS}[._]?[A-Za-z][A-Za-z0-9_./-]{{0,99}}+
             | "[^"\\\n]{{1,99}}+" | '[^'\n]{{1,99}}+')"""
_WORD = r"true|false|null"
# At most 15 digits, which every reader holds exactly; a size or a duration has a unit behind them.
_NUMBER = r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15}+)?+"
_AMOUNT = r"[0-9]{1,9}+(?:ms|[smhd]|[KMGT]i?B?)"
_DOUBLE = r'"[^"\\\n]*+(?:\\["\\/nt][^"\\\n]*+)*+"'
_SINGLE = r"'[^'\n]*+(?:''[^'\n]*+)*+'"
_START = r"(?:\.?[A-Za-z/$(]|\.\./)"
_PLAIN = rf"{_AMBIGUOUS}{_START}[^:#\n]*+(?:(?::(?=[^ \n])|(?<=[^ ])\#)[^:#\n]*+)*+"
_FLOW_PLAIN = (
    rf"{_AMBIGUOUS}{_START}[^:#,\[\]{{}}?\"'\n]*+"
    r"(?::(?=[A-Za-z0-9/])[^:#,\[\]{}?\"'\n]*+)*+"
)
_FLOW_ITEM = rf"""(?:(?:{_WORD}|{_NUMBER}|{_AMOUNT})(?=[ ]*[,\]}}])
                  | {_FLOW_PLAIN} | {_DOUBLE} | {_SINGLE})"""
_FLOW_LIST = rf"\[[ ]*+(?:{_FLOW_ITEM}(?:[ ]*+,[ ]*+{_FLOW_ITEM})*+)?[ ]*+\]"
_FLOW_PAIR = rf"{_KEY}:[ ]++(?:{_FLOW_ITEM}|{_FLOW_LIST})"
_FLOW_MAPPING = rf"\{{[ ]*+(?:{_FLOW_PAIR}(?:[ ]*+,[ ]*+{_FLOW_PAIR})*+)?[ ]*+\}}"
_VALUE = rf"""(?:(?:{_WORD}|{_NUMBER}|{_AMOUNT})(?=[ ]*+(?:\#|\n))
              | {_PLAIN} | {_DOUBLE} | {_SINGLE} | {_FLOW_LIST} | {_FLOW_MAPPING})"""
_END = r"[ ]*+(?:(?<![^ \n])\#[^\n]*+)?\n"


def _block_scalar(indent: str, group: int) -> str:
    """A block scalar whose text stands right of ``indent``, wherever it begins."""
    return (
        rf"[|>][-+]?+(?:[ ]++\#[^\n]*+)?\n"
        rf"\n*+({indent})[^ \n][^\n]*+\n(?:\{group}[^\n]*+\n|\n)*+"
    )


# What an entry of a mapping holds is indented further than its key, which behind a dash stands two
# to the right. A line of its own that only continues the one above is as clear as any other value.
_IN_MAPPING = _block_scalar(r"\1[ ]++", 2)
_IN_ITEM = _block_scalar(r"\1[ ]{3}[ ]*+", 3)
_AS_ITEM = _block_scalar(r"\1[ ]++", 4)
_LINE = rf"""([ ]{{0,40}}+)(?:
    (?:-[ ]++)?+(?:{_KEY}:(?:[ ]++|(?=\n)))?+{_VALUE}?+{_END}
  | {_KEY}:[ ]++{_IN_MAPPING}
  | -[ ](?:{_KEY}:[ ]++{_IN_ITEM} | [ ]*+{_AS_ITEM})
)"""
_TEXT: Final = re.compile(rf"(?:---[ ]*+\n)?+(?:{_LINE})*+", re.VERBOSE)


def trusted(data: bytes) -> str | None:
    """The text to hand to the compiled reader (without byte order mark, lines ended by LF), or
    None when only the exact reader can tell."""
    if len(data) > _MAX_BYTES:
        return None
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    odd = data.translate(None, _PRINTABLE)
    if odd:
        text = _plain_text(text)
    return text if text.endswith("\n") and _TEXT.fullmatch(text) else None


def _plain_text(text: str) -> str:
    from envsync.documents.text import BOM, FORBIDDEN

    text = text.removeprefix(BOM).replace("\r\n", "\n")
    return "" if "\t" in text or "\r" in text or FORBIDDEN.search(text) else text
