"""serve: the embedded server behind a port."""

from __future__ import annotations

from pathlib import Path

from envsync.cli import databases, places
from envsync.cli.arguments import Arguments
from envsync.cli.console import Console
from envsync.errors import ExitCode
from envsync.rendering.text import line, quiet, strong
from envsync.server.events import (
    Announce,
    Event,
    FirstKey,
    Listening,
    Stopping,
    announce_as_json,
)
from envsync.server.serve import serve
from envsync.server.settings import DEFAULT_PORT, LOOPBACK, ServeSettings


def run(arguments: Arguments, console: Console) -> ExitCode:
    """Serves until a signal."""
    start = places.start(arguments)

    def file(name: str) -> Path | None:
        given = arguments.text(name)
        return None if given is None else start / given

    stop = arguments.number("stop_seconds")
    port = arguments.number("port")
    settings = ServeSettings(
        database=databases.location(arguments),
        host=arguments.text("host") or LOOPBACK,
        port=DEFAULT_PORT if port is None else port,
        certificate=file("tls_cert"),
        private_key=file("tls_key"),
        behind_proxy=arguments.flag("behind_proxy"),
        allowed_hosts=arguments.several("allowed_host"),
        public_url=arguments.text("public_url") or "",
        identity_file=file("identity_file"),
        key_file=file("key_file"),
        ready_file=file("ready_file"),
        access_log=_access_log(arguments, start),
        stop_seconds=30 if stop is None else stop,
        pods=not arguments.flag("no_pods"),
    )
    serve(settings, announce_as_json if console.is_json else _for_people(console))
    return ExitCode.DONE


def _access_log(arguments: Arguments, start: Path) -> str:
    given = arguments.text("access_log") or "-"
    return given if given == "-" else str(start / given)


def _for_people(console: Console) -> Announce:
    def announce(event: Event) -> None:
        match event:
            case Listening(address):
                console.out([line("listening on ", strong(address))])
            case FirstKey(_, text):
                console.out(
                    [
                        line("the database had no key; this one is shown once:"),
                        line("  ", strong(text)),
                    ]
                )
            case Stopping(seconds):
                said = f"stopping: finishing what is in flight (at most {seconds} s)"
                console.err([line(quiet(said))])

    return announce
