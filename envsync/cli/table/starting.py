"""Commands to begin with."""

from __future__ import annotations

from envsync.cli.command import Argument, Command, Example, Option

GROUP = "Start here"

STARTING = (
    Command(
        name="demo",
        group=GROUP,
        summary="see the whole loop once, in a temporary folder",
        description=(
            "Copies the sample repository into a temporary Git repository and walks through the "
            "loop there, against an embedded server: plan, apply, a second plan without changes, "
            "an edit and its diff, and a conflict with somebody else's change. It needs no "
            "account and no network, asks nothing, and leaves your own files alone."
        ),
        module="envsync.cli.commands.demo",
        options=(
            Option(
                ("--keep",),
                "work in DIR (new or empty) and leave it there to play with",
                "DIR",
                completes="folder",
            ),
        ),
        examples=(Example("envsync demo", "watch it once, it takes seconds"),),
        formats=(),
    ),
    Command(
        name="init",
        group=GROUP,
        summary="make a folder an envsync repository",
        description=(
            "Writes envsync.yaml, the JSON Schemas that editors complete from, an example "
            "manifest, lines for .gitignore and a GitHub workflow. A file that exists is left as "
            "it is, so that running it again changes nothing."
        ),
        module="envsync.cli.commands.init",
        arguments=(Argument("dir", "the folder to prepare", "?", completes="folder"),),
        options=(
            Option(
                ("--project",),
                "the project's name in envsync.yaml",
                "NAME",
                default="the folder's name",
            ),
        ),
        examples=(
            Example("envsync init", "prepare the current folder"),
            Example("envsync init agents --project acme-agents", "prepare another one, by name"),
        ),
    ),
    Command(
        name="validate",
        group=GROUP,
        summary="check the files, offline",
        description=(
            "Reads every file of the repository as each context would see it and reports what "
            "is wrong, with the place in the file and the way out: syntax, schema, names, "
            "policies, and what a valid file may still do wrong. It needs no server and no "
            "credentials. Warnings alone leave the exit code at 0."
        ),
        module="envsync.cli.commands.validate",
        arguments=(Argument("paths", "only these files or folders", "*", completes="file"),),
        options=(
            Option(("--staged",), "check what is staged for the next commit, not what lies there"),
            Option(("--no-cache",), "read every file again, whatever is remembered"),
        ),
        examples=(
            Example("envsync validate", "check everything, for every context"),
            Example("envsync validate manifests/analyst-box.yaml", "check one file"),
            Example("envsync validate --staged", "what a pre-commit hook checks"),
            Example("envsync validate --output github", "annotate a pull request on GitHub"),
            Example("envsync validate --output sarif > envsync.sarif", "for code scanning"),
        ),
        formats=("text", "json", "sarif", "github"),
        exits=((0, "no errors"), (1, "at least one error")),
    ),
)
