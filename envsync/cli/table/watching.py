"""The command that stays."""

from __future__ import annotations

from envsync.cli.command import SELECTORS, Argument, Command, Example, Option

WATCHING = (
    Command(
        name="watch",
        group="Plan and apply",
        summary="plan at every save or commit, and apply when told to",
        description=(
            "Stays, and plans whenever the files change or somebody saves on the server. "
            "Nothing is written without --apply; with it each plan is carried out as `apply` "
            "would: with preconditions, never over drift, never in a fight with somebody else. On "
            "a terminal it shows a live table, elsewhere one line an event. Ctrl-C and SIGTERM "
            "finish what is in flight and say what is left."
        ),
        module="envsync.cli.commands.watch",
        arguments=(
            Argument("paths", "only what these files or folders declare", "*", completes="file"),
        ),
        options=(
            *SELECTORS,
            Option(("--apply",), "carry the plans out"),
            Option(("--yes",), "a protected context may be written"),
            Option(
                ("--source",),
                "the files as they lie there, or as the commits of a branch hold them",
                "SOURCE",
                choices=("worktree", "commit"),
                default="worktree",
            ),
            Option(
                ("--ref",),
                "with --source commit, the branch to follow, such as origin/main",
                "REF",
                default="HEAD, the branch that is checked out",
            ),
            Option(
                ("--on-drift",),
                "what to do with what the repository never said (default: as envsync.yaml says; "
                "what it would adopt is left alone)",
                "CHOICE",
                choices=("refuse", "overwrite"),
            ),
            Option(("--prune",), "delete what the repository declared once and no longer does"),
            Option(
                ("--allow-dirty",),
                "apply files that are not committed, outside embedded contexts too",
            ),
            Option(("--once",), "one round, then end"),
            Option(
                ("--listen",),
                "answer /healthz and /metrics on this port of loopback; 0 takes a free one",
                "PORT",
                number=True,
            ),
            Option(
                ("--audit",), "append one JSON line an outcome to FILE", "FILE", completes="file"
            ),
        ),
        examples=(
            Example("envsync watch --once", "plan once, for a script"),
            Example("envsync watch --once --apply --output json", "apply once, a line an event"),
        ),
        exits=(
            (0, "stopped and nothing was left to apply; with --once: everything is in sync"),
            (1, "with --once: an error, nothing was written"),
            (2, "with --once, without --apply: there are changes"),
            (3, "with --once: something was written and something was not"),
            (4, "with --once: nothing was written, held back or in conflict"),
            (130, "stopped by Ctrl-C while changes were left to apply"),
            (143, "stopped by SIGTERM while changes were left to apply"),
        ),
    ),
)
