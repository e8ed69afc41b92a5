"""Commands that go with Git: sync, and the hooks of a clone."""

from __future__ import annotations

from envsync.cli.command import Command, Example, Option

SYNCING = (
    Command(
        name="sync",
        group="Plan and apply",
        summary="commit, push and apply in one go",
        description=(
            "Checks the files of every context, shows the plan, and stops there if anything is "
            "wrong with it. Then it commits exactly the repository's envsync files (whatever else "
            "is staged stays staged), pushes if asked, and applies the plan that was shown. Hooks, "
            "signing and identity are Git's. A run that was cut off is finished by running it "
            "again; where nothing is left to commit it needs no message."
        ),
        module="envsync.cli.commands.sync",
        options=(
            Option(("-m", "--message"), "the commit's message", "MESSAGE"),
            Option(("--push",), "push the branch to its upstream before anything is applied"),
            Option(
                ("--yes",),
                "ask nothing; a protected context needs the plan's id",
                "PLAN-ID",
                optional=True,
            ),
            Option(("--recreate",), "make again what was deleted on the server"),
            Option(("--no-cache",), "read every file again, whatever is remembered"),
            Option(
                ("--audit",), "append one JSON line an outcome to FILE", "FILE", completes="file"
            ),
        ),
        examples=(
            Example('envsync sync -m "Allow the package mirror"', "commit and apply"),
            Example('envsync sync -m "Give builds more memory" --push', "and share it first"),
            Example("envsync sync", "finish what was cut off"),
        ),
        exits=(
            (0, "everything is committed, and the server is as the files say"),
            (1, "an error; nothing was written to the server"),
            (3, "something was written and something was not"),
            (4, "nothing was written to the server: drift, a conflict, or a state of Git"),
            (5, "nothing was committed or written: a safety brake"),
        ),
    ),
)
