"""Commands of the embedded server."""

from __future__ import annotations

from envsync.cli.command import Argument, Command, Example, Option

GROUP = "Run a server"

_KEYS = "envsync.cli.commands.serve_keys"
_KEEPING = "envsync.cli.commands.serve_backup"

_DATABASE = Option(
    ("--database",),
    "a SQLite file, or a postgresql:// address",
    "PATH|URL",
    default="the repository's .envsync/server.db",
    completes="file",
)
_ID = Argument("id", "the key's name: a-z, 0-9 and `-`, first a letter")
_ROLE = Option(
    ("--role",),
    "what the key may do: the Runtime API, or managing keys",
    "ROLE",
    choices=("application", "management"),
    default="application",
)
_FORCE = Option(("--force",), "replace what is there already")

SERVING = (
    Command(
        name="serve",
        group=GROUP,
        summary="the embedded server behind a port",
        description=(
            "Serves the Runtime API's manifest routes from a database, until Ctrl-C or SIGTERM; "
            "then it finishes what is in flight. A database without keys gets a first one, "
            "which is printed once. It listens on loopback unless told otherwise; any other "
            "address needs a certificate, or a proxy that ends TLS."
        ),
        module="envsync.cli.commands.serve",
        options=(
            _DATABASE,
            Option(("--host",), "the address to listen on", "HOST", default="127.0.0.1"),
            Option(("--port",), "0 takes a free one", "PORT", default="8787", number=True),
            Option(("--tls-cert",), "a PEM certificate chain", "FILE", completes="file"),
            Option(("--tls-key",), "its PEM private key", "FILE", completes="file"),
            Option(("--behind-proxy",), "a proxy in front of the server ends TLS"),
            Option(
                ("--allowed-host",),
                "a name that a Host header may have; may be given again",
                "NAME",
                default="any",
                repeated=True,
            ),
            Option(("--public-url",), "where clients reach the server", "URL"),
            Option(
                ("--identity-file",), "issuers whose tokens are trusted", "FILE", completes="file"
            ),
            Option(
                ("--key-file",),
                "holds the first application key: 64 hexadecimal digits",
                "FILE",
                completes="file",
            ),
            Option(
                ("--ready-file",),
                "written when the server listens, removed when it stops",
                "FILE",
                completes="file",
            ),
            Option(
                ("--access-log",),
                "one JSON line a request, without secrets",
                "FILE",
                default="-, standard error",
                completes="file",
            ),
            Option(
                ("--stop-seconds",),
                "how long requests in flight may take after a signal",
                "N",
                default="30",
                number=True,
            ),
            Option(("--no-pods",), "refuse manifests of kind pod"),
        ),
        examples=(
            Example("envsync serve", "this repository's own database, on loopback"),
            Example("envsync serve --database team.db --port 8790", "another database"),
        ),
        exits=((0, "stopped by a signal, everything in flight is done"),),
    ),
    Command(
        name="serve keys create",
        group=GROUP,
        summary="make a key, shown once",
        description=(
            "Makes a key and prints it, once: only its hash is kept. Put it where the contexts "
            "of envsync.yaml look for theirs."
        ),
        module=_KEYS,
        function="run_create",
        arguments=(_ID,),
        options=(_ROLE, _DATABASE),
        examples=(Example("envsync serve keys create ci", "a key for a workflow"),),
    ),
    Command(
        name="serve keys list",
        group=GROUP,
        summary="the keys there are, without their text",
        description="One row a key: its role, and when it was made and rotated.",
        module=_KEYS,
        function="run_list",
        options=(_DATABASE,),
        examples=(Example("envsync serve keys list", "who may call"),),
    ),
    Command(
        name="serve keys rotate",
        group=GROUP,
        summary="give a key a new text, shown once",
        description="Makes a new text for a key and prints it, once. The old text stops working.",
        module=_KEYS,
        function="run_rotate",
        arguments=(_ID,),
        options=(_ROLE, _DATABASE),
        examples=(Example("envsync serve keys rotate laptop", "after others saw it"),),
    ),
    Command(
        name="serve keys delete",
        group=GROUP,
        summary="take a key away",
        description="Deletes a key. It stops working at once, on every server of the database.",
        module=_KEYS,
        function="run_delete",
        arguments=(_ID,),
        options=(_ROLE, _DATABASE),
        examples=(Example("envsync serve keys delete laptop", "when it is lost"),),
    ),
    Command(
        name="serve backup",
        group=GROUP,
        summary="write the whole database into one file",
        description=(
            "Writes everything into one portable file (mode 0600), also while servers run on "
            "the database. It can be restored into SQLite or PostgreSQL."
        ),
        module=_KEEPING,
        function="run_backup",
        arguments=(Argument("file", "the file to write", completes="file"),),
        options=(_DATABASE, _FORCE),
        examples=(Example("envsync serve backup envsync.backup", "before an upgrade"),),
    ),
    Command(
        name="serve restore",
        group=GROUP,
        summary="fill a database from a backup",
        description=(
            "Fills a database from a backup, all or nothing. A database that holds something "
            "already is left alone without --force. Stop the servers of the database first."
        ),
        module=_KEEPING,
        function="run_restore",
        arguments=(Argument("file", "a file that `serve backup` wrote", completes="file"),),
        options=(_DATABASE, _FORCE),
        examples=(
            Example("envsync serve restore envsync.backup --database new.db", "into a new one"),
        ),
    ),
)
