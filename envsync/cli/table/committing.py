"""Commands that go with Git: sync, and the hooks of a clone."""

from __future__ import annotations

from envsync.cli.command import Command, Example, Option
from envsync.cli.value import replace

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
            Option(
                ("--on-drift",),
                "what to do with what the repository never said",
                "CHOICE",
                choices=("refuse", "overwrite"),
                default="as envsync.yaml says",
            ),
            Option(("--recreate",), "make again what was deleted on the server"),
            Option(("--prune",), "delete what the repository declared once and no longer does"),
            Option(("--allow-deletes",), "how many deletes are meant", "N", number=True),
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

_HOOK = "envsync.cli.commands.hook"

_GROUP = "Set up and help"

_TYPE = Option(
    ("--type",),
    "which hook",
    "TYPE",
    choices=("pre-commit", "post-commit", "post-merge"),
)

HOOKS = (
    Command(
        name="hook install",
        group=_GROUP,
        summary="let Git check each commit, or apply after it",
        description=(
            "pre-commit validates what is staged, and refuses the commit if it has an error. "
            "post-commit and post-merge apply in the one context that is named, which must not be "
            "protected. A hook that is there already is kept and runs first. It holds for this "
            "clone and all of its working trees; installing again changes nothing."
        ),
        module=_HOOK,
        function="run_install",
        options=(replace(_TYPE, default="pre-commit"),),
        examples=(
            Example("envsync hook install", "check each commit"),
            Example(
                "envsync hook install --type post-merge --context local",
                "apply what a git pull brought",
            ),
        ),
    ),
    Command(
        name="hook uninstall",
        group=_GROUP,
        summary="take hooks away again",
        description=(
            "Takes one hook away, or all that envsync has here. A hook that was there before is "
            "there again, as it was."
        ),
        module=_HOOK,
        function="run_uninstall",
        options=(replace(_TYPE, default="all of them"),),
        examples=(
            Example("envsync hook uninstall", "all of them"),
            Example("envsync hook uninstall --type post-merge", "only one"),
        ),
    ),
    Command(
        name="hook status",
        group=_GROUP,
        summary="which hooks are installed",
        description="One row a hook: whether it is installed, what it does, what it runs first.",
        module=_HOOK,
        function="run_status",
        options=(replace(_TYPE, default="all of them"),),
        examples=(Example("envsync hook status", "what does Git run for envsync here"),),
    ),
)
