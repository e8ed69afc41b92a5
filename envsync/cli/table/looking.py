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
            "in sync, new (only here), ahead (the server has what an earlier commit said), drift "
            "(it has what no commit said, or somebody put an older content back), missing (was "
            "deleted on the server), gone (no file declares it any more), foreign (no commit ever "
            "did), unknown (this clone has too few commits to tell), differs (there is no Git to "
            "tell more)."
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
        summary="the commits and versions of a manifest as one timeline",
        description=(
            "One row a version that the server keeps or a commit that changed the manifest, newest "
            "first: which commit said which version, who applied it and when, how many "
            "Environments were made from it, what was never applied, and what no commit said."
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
