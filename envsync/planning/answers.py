"""Answers of a server's dry run that are worth remembering.

Where a server's body has fields that a file leaves out, only the server can tell whether a save
would change anything. What it answered stays true as long as nothing of the key has changed, so
that an unchanged object costs no request the next time. Losing what was remembered costs time only.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from envsync.contract.canonical import digest
from envsync.planning.ignore import Tokens
from envsync.resources.resource import Base, Declared


class AnswerKey(Struct, frozen=True):
    """What an answer ``unchanged`` was given for. The server itself is not part of the key:
    whoever keeps answers keeps them apart by server.

    ``ours`` is the digest of what was asked: of the body, and of the fields left to others.
    """

    ours: str
    name: str
    version: int
    hash: str

    def text(self) -> str:
        """One line without spaces but between its parts; names and hashes contain none."""
        return f"{self.ours} {self.name} {self.version} {self.hash}"


def answer_key(declared: Declared, base: Base, ignored: Iterable[Tokens] = ()) -> AnswerKey:
    fields = [list(tokens) for tokens in ignored]
    ours = digest([declared.hash, fields]) if fields else declared.hash
    return AnswerKey(ours, declared.id.name, base.version, base.hash)
