"""Commands for a person's own machine, and help."""

from __future__ import annotations

from envsync.cli.command import Argument, Command, Example

GROUP = "Set up and help"

_CONTEXT = "envsync.cli.commands.context"
_SCHEMA = "envsync.cli.commands.schema"

SETTING_UP = (
    Command(
        name="context list",
        group=GROUP,
        summary="the contexts of envsync.yaml",
        description=(
            "One row a context: its server, whether it is protected, and whether its credential "
            "is there (never the credential). The one in use is marked."
        ),
        module=_CONTEXT,
        function="run_list",
        examples=(Example("envsync context list", "where this repository can be applied"),),
    ),
    Command(
        name="context use",
        group=GROUP,
        summary="choose the context for this clone",
        description=(
            "Writes the choice into .envsync/context, which Git ignores: it holds for this clone "
            "and nobody else. --context still wins for one command."
        ),
        module=_CONTEXT,
        function="run_use",
        arguments=(Argument("name", "a context's name", completes="context"),),
        examples=(Example("envsync context use local", "work locally from now on"),),
    ),
    Command(
        name="context show",
        group=GROUP,
        summary="the context in use, and why",
        description="Says which context commands work with now, and what decided it.",
        module=_CONTEXT,
        function="run_show",
        examples=(Example("envsync context show", "what would apply write to"),),
    ),
    Command(
        name="schema export",
        group=GROUP,
        summary="write the JSON Schemas into schemas/",
        description=(
            "Writes the schemas of this version of envsync into the repository's schemas folder, "
            "so that editors complete and check offline."
        ),
        module=_SCHEMA,
        function="run_export",
        arguments=(Argument("dir", "the folder to write to", "?", completes="folder"),),
        examples=(
            Example("envsync schema export", "after an upgrade of envsync"),
            Example("envsync schema export ../schemas", "somewhere else"),
        ),
    ),
    Command(
        name="schema check",
        group=GROUP,
        summary="are the repository's schemas those of this envsync",
        description=(
            "Compares the repository's schemas folder with the schemas of this version of "
            "envsync, and changes nothing."
        ),
        module=_SCHEMA,
        function="run_check",
        arguments=(Argument("dir", "the folder to look at", "?", completes="folder"),),
        examples=(Example("envsync schema check", "in a workflow, before validate"),),
        exits=((0, "they are the same"), (1, "some are missing or differ")),
    ),
    Command(
        name="doctor",
        group=GROUP,
        summary="what is in effect here, and what is in the way",
        description=(
            "Looks at the installation, the repository, Git, the context, its credential, the "
            "network settings and the server, and says what to do about what is wrong."
        ),
        module="envsync.cli.commands.doctor",
        examples=(Example("envsync doctor", "the first thing to try when something is off"),),
        exits=((0, "nothing failed"), (1, "something failed")),
    ),
    Command(
        name="explain",
        group=GROUP,
        summary="what a code like E103 means, and how to mend it",
        description=(
            "Explains a code of an error or a warning. Without a code it lists all of them."
        ),
        module="envsync.cli.commands.explain",
        arguments=(Argument("code", "a code such as E103", "?", completes="code"),),
        examples=(
            Example("envsync explain E103", "what this error means"),
            Example("envsync explain", "every code there is"),
        ),
    ),
    Command(
        name="completion",
        group=GROUP,
        summary="completion of commands and options for a shell",
        description=(
            "Prints a script that teaches the shell to complete envsync's commands, options, "
            "contexts and manifests."
        ),
        module="envsync.cli.commands.completion",
        arguments=(Argument("shell", "bash, zsh or fish", choices=("bash", "zsh", "fish")),),
        examples=(
            Example('eval "$(envsync completion bash)"', "in ~/.bashrc"),
            Example('eval "$(envsync completion zsh)"', "in ~/.zshrc, after compinit"),
            Example("envsync completion fish | source", "in config.fish"),
        ),
        formats=(),
    ),
    Command(
        name="help",
        group=GROUP,
        summary="help on a command",
        description="Shows the overview, or what a command does, takes and returns.",
        module="envsync.cli.commands.help",
        arguments=(Argument("command", "a command's name", "*", completes="command"),),
        examples=(Example("envsync help plan", "the same as envsync plan --help"),),
        formats=(),
    ),
)
