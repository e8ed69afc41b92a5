"""envsync.yaml: found, read, checked, and turned into values."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Literal, cast

from msgspec import Struct, field

from envsync.contract.json_types import JsonObject, Pointer
from envsync.errors import FileError, Position, Problem
from envsync.project.context import Context, KeyReference, Place
from envsync.project.keys import resolve_key
from envsync.project.moves import Move, moves_of

if TYPE_CHECKING:
    from envsync.documents import Document

__all__ = [
    "CONFIG_NAME",
    "Config",
    "Context",
    "Ignored",
    "KeyReference",
    "Policy",
    "Project",
    "find_root",
    "load",
    "resolve_key",
]

CONFIG_NAME = "envsync.yaml"

DEFAULT_GLOBS: Mapping[str, tuple[str, ...]] = {
    "manifest": ("manifests/*",),
    "policy": ("policies/*.schema.json",),
}
DEFAULT_OVERLAYS = "overlays"

_NEARLY = ("envsync.yml", "envsync.json", ".envsync.yaml")
_PLURALS = {"manifest": "manifests", "policy": "policies"}


class Ignored(Struct, frozen=True):
    """A field that is left to others, in the objects of ``type`` whose name matches ``name``."""

    type: str
    name: str
    path: Pointer


class Policy(Struct, frozen=True):
    """How careful a run is. ``max_delete_percent`` is a share of the objects of one type."""

    prune: bool = False
    max_delete_percent: int = 30
    on_drift: Literal["refuse", "overwrite", "adopt"] = "refuse"


class Config(Struct, frozen=True):
    """What envsync.yaml says, with every default filled in.

    ``owns`` maps a type to the name patterns that this repository speaks for. ``globs`` maps a
    type, or ``policy``, to the patterns of its files; ``overlays`` is a folder. Paths are
    relative to the root, with ``/``.
    """

    project: str
    contexts: Mapping[str, Context]
    default_context: str
    owns: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: {"manifest": ("*",)})
    ignore: tuple[Ignored, ...] = ()
    moved: tuple[Move, ...] = ()
    policy: Policy = Policy()
    globs: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: DEFAULT_GLOBS)
    overlays: str = DEFAULT_OVERLAYS


class Project(Struct, frozen=True, eq=False):
    """A repository that envsync looks after. ``root`` is absolute: the folder of envsync.yaml.
    ``warnings`` are what its envsync.yaml may do wrong. ``laid_out_for`` is there when the files
    were laid out in a folder of their own, as a commit holds them: the repository's own root."""

    root: Path
    config: Config
    config_document: Document
    warnings: tuple[Problem, ...] = ()
    laid_out_for: Path | None = None

    @property
    def home(self) -> Path:
        """Where Git and this program's own state are."""
        return self.laid_out_for or self.root


def find_root(start: Path) -> Path:
    """The nearest folder that holds envsync.yaml: ``start`` itself or one above it.

    Raises ``FileError`` when there is none.
    """
    start = Path(start)
    # `/a/b/../c` lies in `/a`, but its parents as text would lead through `/a/b`.
    start = start.resolve() if ".." in start.parts else start.absolute()
    if not start.is_dir():
        raise FileError("E401", f"{start} is not a folder", remedy="name an existing folder")
    for folder in (start, *start.parents):
        if (folder / CONFIG_NAME).is_file():
            return folder
    remedy = "go to a repository that has one (or name it with -C DIR), or run: envsync init"
    for folder in (start, *start.parents):
        for name in _NEARLY:
            if (folder / name).is_file():
                remedy = f"rename {folder / name} to {CONFIG_NAME}"
    raise FileError(
        "E401",
        f"there is no {CONFIG_NAME} in {start} or in any folder above it",
        remedy=remedy,
    )


def load(root: Path, *, home: Path | None = None) -> Project:
    """The repository whose envsync.yaml stands in ``root``.

    ``home`` is the repository's own root where its files were laid out in ``root`` for a while:
    that is where the paths that envsync.yaml says lead from. Raises ``FileError`` with every
    problem that the file has, each with its position. Neither the environment nor any other file
    is looked at.
    """
    from envsync.documents import parse
    from envsync.project.complaints import complaints, without_keys

    root = Path(root).absolute()
    source = _read(root / CONFIG_NAME)
    try:
        document = parse(source, CONFIG_NAME)
    except FileError as error:
        raise FileError.of(without_keys(error.problems, source)) from None
    problems = complaints(document)
    if any(problem.is_error for problem in problems):
        raise FileError.of(problems)
    return Project(root, _config(document, home or root), document, problems, home)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise FileError(
            "E401",
            f"{CONFIG_NAME} cannot be read: {reason}",
            position=Position(CONFIG_NAME),
            remedy="check that the file is there and that you may read it, or run: envsync init",
        ) from None


def _config(document: Document, root: Path) -> Config:
    """The values of a document that has no problem."""
    data = cast("JsonObject", document.data)
    contexts = {
        name: _context(name, cast("JsonObject", said), document, root)
        for name, said in _object(data, "contexts").items()
    }
    files = _object(data, "files")
    return Config(
        project=str(data["project"]),
        contexts=contexts,
        default_context=str(data.get("default_context") or next(iter(contexts))),
        owns={"manifest": _texts(_object(data, "owns"), "manifests", ("*",))},
        ignore=tuple(_ignored(entry) for entry in cast("list[JsonObject]", data.get("ignore", []))),
        moved=moves_of(data.get("moved", [])),
        policy=_policy(_object(data, "policy")),
        globs={
            type_: _texts(files, plural, DEFAULT_GLOBS[type_]) for type_, plural in _PLURALS.items()
        },
        overlays=str(files.get("overlays", DEFAULT_OVERLAYS)),
    )


def _context(name: str, said: JsonObject, document: Document, root: Path) -> Context:
    def path(member: str) -> Path | None:
        return root / Path(str(said[member])).expanduser() if member in said else None

    def key(member: str) -> KeyReference | None:
        if member not in said:
            return None
        source, _, target = str(said[member]).partition(":")
        place = Place(document, ("contexts", name, member))
        if source == "env":
            return KeyReference("env", target, place)
        return KeyReference("file", str(root / Path(target).expanduser()), place)

    return Context(
        name=name,
        server=str(said["server"]).rstrip("/"),
        place=Place(document, ("contexts", name), key=True),
        key=key("key"),
        management_key=key("management_key"),
        protected=bool(said.get("protected", False)),
        ca_bundle=path("ca_bundle"),
        database=path("database"),
    )


def _policy(said: JsonObject) -> Policy:
    return Policy(
        prune=bool(said.get("prune", False)),
        max_delete_percent=cast("int", said.get("max_delete_percent", 30)),
        on_drift=cast("Literal['refuse']", said.get("on_drift", "refuse")),
    )


def _ignored(said: JsonObject) -> Ignored:
    parts = str(said["path"]).split("/")[1:]
    unescaped = tuple(part.replace("~1", "/").replace("~0", "~") for part in parts)
    return Ignored(str(said["type"]), str(said.get("name", "*")), unescaped)


def _object(data: JsonObject, member: str) -> JsonObject:
    return cast("JsonObject", data.get(member, {}))


def _texts(data: JsonObject, member: str, default: tuple[str, ...]) -> tuple[str, ...]:
    said = data.get(member)
    return default if said is None else tuple(cast("list[str]", said))


def static_folder(glob: str) -> str:
    """The part of a glob before its first pattern: the folder that holds whatever it matches."""
    parts = PurePosixPath(glob).parts
    fixed = []
    for part in parts[:-1]:
        if "*" in part or "?" in part:
            break
        fixed.append(part)
    return "/".join(fixed)
