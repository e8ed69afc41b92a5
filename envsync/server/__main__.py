"""``python -m envsync.server``: the server alone, for service managers and tests.

The same code path as ``envsync serve``, with events as JSON lines on standard output.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from envsync.errors import EnvsyncError
from envsync.server.serve import serve
from envsync.server.settings import DEFAULT_PORT, LOOPBACK, ServeSettings


def main(argv: Sequence[str] | None = None) -> int:
    """Parses ``argv``, serves, and returns the exit status."""
    given = _parser().parse_args(argv)
    settings = ServeSettings(
        database=given.database,
        host=given.host,
        port=given.port,
        certificate=given.tls_cert,
        private_key=given.tls_key,
        behind_proxy=given.behind_proxy,
        allowed_hosts=tuple(given.allowed_host),
        public_url=given.public_url,
        identity_file=given.identity_file,
        key_file=given.key_file,
        ready_file=given.ready_file,
        access_log=given.access_log,
        stop_seconds=given.stop_seconds,
        body_seconds=given.body_seconds,
        pods=not given.no_pods,
    )
    try:
        serve(settings)
    except EnvsyncError as error:
        sys.stderr.write(f"error[{error.code}]: {error.message}\n")
        if error.remedy:
            sys.stderr.write(f"  = {error.remedy}\n")
        return error.exit_code
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m envsync.server", description=__doc__)
    add = parser.add_argument
    add("--database", required=True, metavar="PATH|URL", help="SQLite file or postgresql:// URL")
    add("--host", default=LOOPBACK, help="address to listen on (default: %(default)s)")
    add("--port", type=int, default=DEFAULT_PORT, help="0 takes a free one (default: %(default)s)")
    add("--tls-cert", type=Path, metavar="FILE", help="PEM certificate chain")
    add("--tls-key", type=Path, metavar="FILE", help="PEM private key")
    add("--behind-proxy", action="store_true", help="a proxy in front of this server ends TLS")
    add("--allowed-host", action="append", default=[], metavar="NAME", help="accepted Host name")
    add("--public-url", default="", metavar="URL", help="where clients reach this server")
    add("--identity-file", type=Path, metavar="FILE", help="issuers whose tokens are trusted")
    add("--key-file", type=Path, metavar="FILE", help="holds the first application key")
    add("--ready-file", type=Path, metavar="FILE", help="written when the server listens")
    add("--access-log", default="-", metavar="FILE", help="- is standard error (default)")
    add("--stop-seconds", type=int, default=30, metavar="N", help="for requests in flight")
    add("--body-seconds", type=float, default=30.0, metavar="N", help="for a body to arrive")
    add("--no-pods", action="store_true", help="refuse manifests of kind pod")
    return parser


if __name__ == "__main__":
    sys.exit(main())
