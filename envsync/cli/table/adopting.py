"""Commands that bring the files to what a server holds."""

from __future__ import annotations

from envsync.cli.command import Argument, Command, Example, Option

GROUP = "Take over"

_OPTIONS = (
    Option(("--dry-run",), "show the change of each file, and write nothing"),
    Option(("--allow-dirty",), "change files too that have edits which are not committed"),
)
_EXITS = (
    (0, "the files say what the server holds"),
    (1, "an error; nothing was written"),
    (3, "some objects were refused, the files of the others are written"),
    (4, "nothing was written: edits that are not committed would be lost"),
)

ADOPTING = (
    Command(
        name="pull",
        group=GROUP,
        summary="write what the server holds into the files",
        description=(
            "Takes the server's latest version of each named manifest, or of all that the "
            "repository owns, into the files: a new file where there is none, and in a file that "
            "is there only the lines that differ, so that comments, order and spelling stay. What "
            "an overlay says is changed in the overlay. Every file is computed and checked before "
            "the first is written. Nothing is sent to the server."
        ),
        module="envsync.cli.commands.pull",
        arguments=(
            Argument(
                "names", "only these manifests, also as patterns with `*`", "*",
                completes="manifest",
            ),
        ),
        options=(
            *_OPTIONS,
            Option(
                ("--prune-files",),
                "remove the files of manifests that were on the server and are no longer",
            ),
        ),
        examples=(
            Example("envsync pull --dry-run", "what would change in the files"),
            Example("envsync pull analyst-box", "keep what somebody saved on the server"),
            Example("envsync pull 'web-*' --dry-run --output json", "for a script"),
        ),
        exits=_EXITS,
    ),
    Command(
        name="rollback",
        group=GROUP,
        summary="write an older version of a manifest into its file",
        description=(
            "Writes what version V of a manifest says into its files, comments kept, as a change "
            "that can be reviewed and committed. The server still has its latest version: the "
            "next apply makes a new one that says the same as V."
        ),
        module="envsync.cli.commands.pull",
        function="run_rollback",
        arguments=(Argument("name", "NAME@V", completes="manifest"),),
        options=_OPTIONS,
        examples=(
            Example("envsync rollback analyst-box@1 --dry-run", "what going back would change"),
        ),
        exits=_EXITS,
    ),
)  # fmt: skip
