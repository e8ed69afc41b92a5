"""context list, use and show."""

from __future__ import annotations

from msgspec.structs import replace

from envsync.cli import places
from envsync.cli.arguments import Arguments
from envsync.cli.console import Console
from envsync.errors import ExitCode
from envsync.operations.contexts import contexts, use
from envsync.operations.workspace import choose_context, chosen_context
from envsync.rendering.json_output import json_text
from envsync.rendering.machine import context_lines, contexts_json
from envsync.rendering.text import line, quiet, strong


def run_list(arguments: Arguments, console: Console) -> ExitCode:
    rows = contexts(places.project(arguments), console.environ)
    if console.is_json:
        console.data(contexts_json(rows))
    else:
        console.out(context_lines(rows, console.fixed_width))
    return ExitCode.DONE


def run_use(arguments: Arguments, console: Console) -> ExitCode:
    context = use(places.project(arguments), arguments.required("name"))
    if console.is_json:
        console.data(json_text({"context": context.name, "server": context.server}))
    else:
        console.out([line("this clone works with ", strong(context.name), f" ({context.server})")])
    return ExitCode.DONE


def run_show(arguments: Arguments, console: Console) -> ExitCode:
    project = places.project(arguments)
    given = arguments.text("context")
    name = choose_context(project, given).name
    if given:
        reason = "named by --context"
    elif chosen_context(project):
        reason = "chosen for this clone with: envsync context use"
    else:
        reason = "default_context of envsync.yaml"
    rows = [row for row in contexts(project, console.environ) if row.name == name]
    if console.is_json:
        row = replace(rows[0], current=True)
        console.data(
            json_text(
                {
                    "name": row.name,
                    "server": row.server,
                    "protected": row.protected,
                    "credential": row.credential,
                    "reason": reason,
                }
            )
        )
    else:
        row = rows[0]
        console.out(
            [
                line(strong(row.name), quiet(f"  {reason}")),
                line(f"  server      {row.server}"),
                line(f"  protected   {'yes' if row.protected else 'no'}"),
                line(f"  credential  {row.credential}"),
            ]
        )
    return ExitCode.DONE
