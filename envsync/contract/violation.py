"""A rule of the contract that a value breaks, said for a person."""

from __future__ import annotations

from msgspec import Struct

from envsync.contract.json_types import Pointer


class Violation(Struct, frozen=True):
    """One broken rule.

    ``pointer`` leads to the value; with ``on_key`` the key itself is meant and the pointer ends
    with it. ``message`` says what was found, ``label`` what was expected (it stands under the
    caret of a source excerpt), ``remedy`` what to do. No text of it repeats a value that could
    be a secret.
    """

    pointer: Pointer
    code: str
    message: str
    label: str = ""
    remedy: str = ""
    on_key: bool = False
