"""Commands that bring a server to what the files say."""

from __future__ import annotations

from envsync.cli.command import SELECTORS, Argument, Command, Example, Option

GROUP = "Plan and apply"

_SELECTORS = (
    *SELECTORS,
    Option(("--recreate",), "make again what was deleted on the server"),
    Option(("--prune",), "delete what the repository declared once and no longer does"),
    Option(("--no-cache",), "read every file again, whatever is remembered"),
)

CHANGING = (
    Command(
        name="plan",
        group=GROUP,
        summary="show what apply would change, and change nothing",
        description=(
            "Compares the repository with the context's server and shows each change, field by "
            "field, with what the server itself foresees: errors, warnings, and how many "
            "Environments stay on older versions. Nothing is written. A plan that is saved with "
            "-o holds the exact bodies, so that apply sends what was reviewed or refuses."
        ),
        module="envsync.cli.commands.plan",
        arguments=(
            Argument("paths", "only what these files or folders declare", "*", completes="file"),
        ),
        options=(
            *_SELECTORS,
            Option(
                ("--on-drift",),
                "what to do with what the repository never said (default: as envsync.yaml says)",
                "CHOICE",
                choices=("refuse", "overwrite"),
            ),
            Option(("-o", "--out"), "save the plan to FILE", "FILE", completes="file"),
            Option(
                ("--detailed-exitcode",),
                "exit with 2 when there are changes, 0 when there are none",
            ),
            Option(
                ("--offline",),
                "compare with what the files said at a Git revision; needs no server and no key",
                "REVISION",
            ),
        ),
        examples=(
            Example("envsync plan", "what would change"),
            Example("envsync plan --context local -o plan.json", "save the plan for a review"),
            Example("envsync plan --output markdown", "for a pull request"),
            Example("envsync plan --name 'web-*'", "only some objects"),
            Example("envsync plan --prune", "with deletes"),
            Example("envsync plan --offline HEAD", "what is not committed, without a server"),
        ),
        formats=("text", "markdown", "json"),
        exits=(
            (0, "no changes, or changes without --detailed-exitcode"),
            (1, "an error: in the files, on the way, or foreseen by the server"),
            (2, "changes, with --detailed-exitcode"),
        ),
    ),
    Command(
        name="apply",
        group=GROUP,
        summary="bring the server to what the files say",
        description=(
            "Plans and carries the plan out, each object with a precondition, so "
            "that a change which somebody else made meanwhile is never overwritten. With a "
            "saved PLAN it sends exactly what was reviewed, or refuses when the server has moved "
            "on. Every object gets one outcome. Ctrl-C finishes what is in flight and says what "
            "is left; running it again goes on from there."
        ),
        module="envsync.cli.commands.apply",
        arguments=(
            Argument(
                "paths",
                "a plan saved by `envsync plan -o`, or only what these files declare",
                "*",
                completes="file",
            ),
        ),
        options=(
            *_SELECTORS,
            Option(
                ("--on-drift",),
                "what to do with what the repository never said: leave it, write over it, or take "
                "it into the files (default: as envsync.yaml says)",
                "CHOICE",
                choices=("refuse", "overwrite", "adopt"),
            ),
            Option(("--allow-deletes",), "how many deletes are meant", "N", number=True),
            Option(("--allow-dirty",), "apply files that are not committed"),
            Option(
                ("--yes",),
                "ask nothing; a protected context needs the plan's id",
                "PLAN-ID",
                optional=True,
            ),
            Option(("--concurrency",), "objects written side by side", "N", number=True),
            Option(
                ("--audit",), "append one JSON line an outcome to FILE", "FILE", completes="file"
            ),
        ),
        examples=(
            Example("envsync apply", "plan, then apply"),
            Example("envsync apply plan.json", "apply exactly what was reviewed"),
            Example("envsync apply --on-drift overwrite", "write over drift"),
            Example("envsync apply --context local --output json", "every outcome, for a script"),
        ),
        exits=(
            (0, "everything is as the files say"),
            (1, "an error; nothing was written"),
            (3, "something was written and something was not"),
            (4, "nothing was written: drift, a conflict, a stale plan, or uncommitted files"),
            (5, "nothing was written: a safety brake"),
        ),
    ),
)
