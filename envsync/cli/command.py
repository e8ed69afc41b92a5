"""What a command is: values that feed the parser, the help, the reference and completion.

Everything here is read by ``envsync --help``, so it imports nothing of weight.
"""

from __future__ import annotations

from envsync.cli.value import dataclass


@dataclass(frozen=True)
class Option:
    """An option, or a flag when ``metavar`` is empty.

    ``flags`` are its spellings, the long one last. ``choices`` are the only values it takes.
    ``default`` is what holds when it isn't given, for the help. ``completes`` says what a shell
    offers for its value: ``file``, ``folder``, ``context``, or nothing. An ``optional`` value is
    given behind ``=``; the option alone has the empty value.
    """

    flags: tuple[str, ...]
    help: str
    metavar: str = ""
    choices: tuple[str, ...] = ()
    default: str = ""
    repeated: bool = False
    optional: bool = False
    completes: str = ""
    number: bool = False

    @property
    def name(self) -> str:
        """The key its value is found under: the long spelling without dashes."""
        return self.flags[-1].lstrip("-").replace("-", "_")

    @property
    def takes_value(self) -> bool:
        return bool(self.metavar)


@dataclass(frozen=True)
class Argument:
    """A positional argument. ``takes`` is ``""`` (exactly one), ``?``, ``*`` or ``+``.

    ``completes`` is as for an option, or ``manifest`` or ``code``.
    """

    name: str
    help: str
    takes: str = ""
    choices: tuple[str, ...] = ()
    completes: str = ""

    @property
    def shown(self) -> str:
        word = self.name.upper()
        return {"": word, "?": f"[{word}]", "*": f"[{word}...]", "+": f"{word}..."}[self.takes]


@dataclass(frozen=True)
class Example:
    """A command line that works in a repository like the sample one, and what it is for."""

    line: str
    says: str


@dataclass(frozen=True)
class Command:
    """``name`` may have several words (``serve keys create``). ``module`` and ``function`` carry
    it out; both are looked up only then. ``formats`` are the values of ``--output``, the default
    one first; none means that it prints no data."""

    name: str
    group: str
    summary: str
    description: str
    module: str
    function: str = "run"
    arguments: tuple[Argument, ...] = ()
    options: tuple[Option, ...] = ()
    examples: tuple[Example, ...] = ()
    formats: tuple[str, ...] = ("text", "json")
    exits: tuple[tuple[int, str], ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(self.name.split())

    @property
    def usage(self) -> str:
        parts = [f"envsync {self.name}"]
        if self.options:
            parts.append("[OPTIONS]")
        parts += [argument.shown for argument in self.arguments]
        return " ".join(parts)


GLOBALS: tuple[Option, ...] = (
    Option(("-C", "--directory"), "work in the repository around DIR", "DIR", completes="folder"),
    Option(
        ("--context",),
        "the context of envsync.yaml to work with",
        "NAME",
        default="the one chosen with `envsync context use`, else default_context",
        completes="context",
    ),
    Option(("--output",), "how data is printed", "FORMAT"),
    Option(("--no-color",), "no colour, also on a terminal (or set NO_COLOR)"),
    Option(("-v", "--verbose"), "a traceback below an error's message"),
    Option(("--debug",), "write what goes over the wire to stderr, without secrets"),
    Option(("-h", "--help"), "this help"),
)
"""Options that every command takes, before or after its name."""

SELECTORS: tuple[Option, ...] = (
    Option(
        ("--name",),
        "only objects whose name matches PATTERN (`*` and `?`); may be given again",
        "PATTERN",
        repeated=True,
    ),
    Option(("--type",), "only objects of this type", "TYPE", choices=("manifest",), repeated=True),
)
"""What narrows a command to some of the objects, beside paths."""
