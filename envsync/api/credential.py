"""Credential: the key that goes with every request, and on whose behalf."""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct

from envsync.contract.secret_text import SecretText
from envsync.errors import EnvsyncError

_TOKEN = re.compile(r"[\x21-\x7e]+")
_SUBJECT = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]{0,198}[\x21-\x7e])?")


class Credential(Struct, frozen=True):
    """``source`` says where the key came from, for messages: ``env:NYLORUN_SERVER_KEY``.

    ``subject`` acts for one user and then needs ``scopes``; both are empty for the key itself.
    """

    key: SecretText
    subject: str = ""
    scopes: tuple[str, ...] = ()
    source: str = ""

    def headers(self) -> Mapping[str, str]:
        """``Authorization``, and the subject's headers when there is one. Raises ``EnvsyncError``,
        without the key in it, for what a header cannot carry."""
        text = self.key.reveal()
        if not _TOKEN.fullmatch(text):
            raise EnvsyncError(
                "E630",
                f"the key from {self.source or 'this context'} is not one: it is empty, or holds "
                "blanks, line ends or characters that are not ASCII",
                remedy="store the key alone, on one line, without quotes",
            )
        headers = {"authorization": f"Bearer {text}"}
        if self.subject:
            self._check_subject()
            headers["nylorun-subject"] = self.subject
            headers["nylorun-scopes"] = " ".join(self.scopes)
        return headers

    def _check_subject(self) -> None:
        if not _SUBJECT.fullmatch(self.subject) or not self.scopes:
            raise EnvsyncError(
                "E631",
                "acting for a subject needs its name (1 to 200 visible ASCII characters) and at "
                "least one scope",
                remedy="give both, or neither",
            )
