"""What a server that runs has to say to the person who started it."""

from __future__ import annotations

import sys
from collections.abc import Callable

import orjson
from msgspec import Struct


class Listening(Struct, frozen=True):
    """Requests are served at ``address`` now."""

    address: str


class FirstKey(Struct, frozen=True):
    """The database had no key, so one was made. ``text`` is shown this once."""

    id: str
    text: str

    def __repr__(self) -> str:
        return f"FirstKey(id={self.id!r}, text=<hidden>)"


class Stopping(Struct, frozen=True):
    """A signal came: what is in flight is finished, for at most ``seconds``."""

    seconds: int


Event = Listening | FirstKey | Stopping
Announce = Callable[[Event], None]


def announce_as_json(event: Event) -> None:
    """Prints ``event`` as one JSON line on standard output.

    A reader that has gone away is no reason to stop, unless a key would be lost with the line.
    """
    try:
        sys.stdout.write(orjson.dumps(_line(event)).decode() + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        if isinstance(event, FirstKey):
            raise


def _line(event: Event) -> dict[str, object]:
    match event:
        case Listening(address):
            return {"event": "listening", "address": address}
        case FirstKey(key_id, text):
            return {"event": "first-key", "id": key_id, "key": text}
        case Stopping(seconds):
            return {"event": "stopping", "seconds": seconds}
