"""Commands that show how things stand."""

from __future__ import annotations

from envsync.cli.command import SELECTORS, Argument, Command, Example, Option

GROUP = "Look"

_NAME = Argument("name", "a manifest's name", completes="manifest")

LOOKING = (
    Command(
        name="status",
        group=GROUP,
        summary="one row an object, with its state",
        description=(
            "Compares the repository with the context's server and shows a row for each object: "
            "in sync, new (only here), differs, missing (was deleted on the server), foreign "
            "(the repository doesn't speak for it)."
        ),
        module="envsync.cli.commands.status",
        arguments=(
            Argument("paths", "only what these files or folders declare", "*", completes="file"),
        ),
        options=(
            *SELECTORS,
            Option(("--no-cache",), "read every file again, whatever is remembered"),
        ),
        examples=(
            Example("envsync status", "how everything stands"),
            Example("envsync status --name 'web-*' --output json", "some of it, for a script"),
        ),
    ),
    Command(
        name="diff",
        group=GROUP,
        summary="what differs between the server and here, or two versions",
        description=(
            "NAME compares the server's latest version with the files, NAME@V compares version V "
            "with the files, NAME@V..W compares two versions. Both sides are compared in their "
            "normal form, so that defaults, order and spelling of sizes don't show."
        ),
        module="envsync.cli.commands.look",
        function="run_diff",
        arguments=(Argument("name", "NAME, NAME@V or NAME@V..W", completes="manifest"),),
        examples=(
            Example("envsync diff analyst-box", "from the server's latest to the files"),
            Example("envsync diff analyst-box@1", "from version 1 to the files"),
            Example("envsync diff analyst-box@1..2", "from version 1 to version 2"),
        ),
        exits=((0, "done, whether anything differs or not"),),
    ),
    Command(
        name="history",
        group=GROUP,
        summary="the versions of a manifest that the server keeps",
        description=(
            "One row a version, newest first: when it was saved, by whom, how many Environments "
            "were made from it, and which one the files say now."
        ),
        module="envsync.cli.commands.look",
        function="run_history",
        arguments=(_NAME,),
        examples=(Example("envsync history analyst-box", "who changed it, and when"),),
    ),
    Command(
        name="show",
        group=GROUP,
        summary="a manifest as the server holds it",
        description=(
            "Prints the latest version of a manifest, or version V of it, in its normal form, "
            "with who saved it and when."
        ),
        module="envsync.cli.commands.look",
        function="run_show",
        arguments=(Argument("name", "NAME or NAME@V", completes="manifest"),),
        examples=(
            Example("envsync show analyst-box", "the latest version"),
            Example("envsync show analyst-box@1 --output json", "version 1, for a script"),
        ),
    ),
)
