"""The bare ASGI application that the server's figures stand beside."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping

Message = MutableMapping[str, object]


async def app(
    scope: Message,
    receive: Callable[[], Awaitable[Message]],
    send: Callable[[Message], Awaitable[None]],
) -> None:
    if scope["type"] != "http":
        return
    headers = [(b"content-type", b"application/json"), (b"content-length", b"2")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"{}"})
