"""A text that must not be seen: every way of showing it shows the same mask."""

from __future__ import annotations

import hmac
from typing import Final, NoReturn

MASK: Final = "********"


class SecretText:
    """Holds a credential. Only ``reveal`` gives the text; it belongs in a request, nowhere else.

    ``repr``, ``str``, ``format`` and a JSON encoder that falls back to ``str`` all give a mask of
    one fixed length. It cannot be pickled or copied by accident, and compares in constant time.
    """

    __slots__ = ("__text",)

    def __init__(self, text: str) -> None:
        self.__text = text

    def reveal(self) -> str:
        """The text itself."""
        return self.__text

    def __repr__(self) -> str:
        return f"SecretText({MASK})"

    def __str__(self) -> str:
        return MASK

    def __format__(self, _spec: str) -> str:
        return MASK

    def __bool__(self) -> bool:
        return bool(self.__text)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SecretText):
            return NotImplemented
        return hmac.compare_digest(self.__text.encode(), other.reveal().encode())

    def __hash__(self) -> int:
        return hash((SecretText, self.__text))

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not written anywhere")
