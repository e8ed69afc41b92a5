"""Reads an issuer's key set over the network. The only place where the server calls out."""

from __future__ import annotations

from typing import Final

MAX_BYTES: Final = 256 * 1024
_SECONDS: Final = 5.0


async def fetch_jwks(address: str) -> bytes:
    """The body at ``address``. Raises ``NetworkError`` or ``OSError``; follows no redirect."""
    from envsync.http.client import HttpClient
    from envsync.http.settings import HttpSettings

    client = HttpClient(
        HttpSettings(
            connect_seconds=_SECONDS,
            read_seconds=_SECONDS,
            request_seconds=_SECONDS,
            budget_seconds=_SECONDS,
            attempts=1,
            max_answer_bytes=MAX_BYTES,
        ),
        user_agent="envsync-server",
    )
    headers = {"accept": "application/jwk-set+json, application/json"}
    try:
        answer = await client.send("GET", address, headers, repeatable=True)
    finally:
        await client.aclose()
    if answer.status != 200:
        raise OSError(f"the key set answered {answer.status}")
    return answer.body
