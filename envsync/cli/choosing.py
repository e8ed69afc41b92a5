"""What part of the repository a command speaks of, as said by its arguments."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from envsync.cli import places
from envsync.cli.arguments import Arguments
from envsync.operations.planning import PlanOptions
from envsync.planning.selection import Selection
from envsync.project.config import Project


def changing_options(arguments: Arguments, root: Path) -> PlanOptions:
    """The options of a plan that is to be carried out."""
    on_drift = arguments.text("on_drift")
    return replace(
        plan_options(arguments, root),
        recreate=arguments.flag("recreate"),
        prune=arguments.flag("prune"),
        # What is adopted is left alone by the plan: it is written into the files.
        on_drift=None if on_drift is None else "overwrite" if on_drift == "overwrite" else "refuse",
    )


def plan_options(arguments: Arguments, root: Path) -> PlanOptions:
    """The options of a plan, for commands that take paths and selectors."""
    return PlanOptions(
        selection=Selection(
            paths=places.selected(arguments, root),
            types=arguments.several("type"),
            names=arguments.several("name"),
        ),
        cache=not arguments.flag("no_cache"),
    )


def is_plan_file(path: Path, project: Project) -> bool:
    """Whether ``path`` can only be meant as a plan: a JSON file that declares nothing here."""
    from envsync.project import files

    if path.suffix != ".json" or path.is_dir():
        return False
    sources = {source.absolute.resolve() for source in files.find(project)}
    return path.resolve() not in sources
