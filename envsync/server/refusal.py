"""Refusal: an answer of the server that says no, with the wire's status and code."""

from __future__ import annotations

from envsync.contract.json_types import Json


class Refusal(Exception):  # noqa: N818 - it is an answer, not a fault of the program
    """Raised by services and routes; the app turns it into the error body of the Runtime API.

    ``{"status": "rejected", "code", "message", "details"?}``, with ``headers`` added. Raised
    inside a write it undoes what that one work did, and nothing else.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        details: Json = None,
        headers: tuple[tuple[str, str], ...] = (),
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.details = details
        self.headers = headers
