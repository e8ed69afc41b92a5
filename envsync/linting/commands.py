"""What a setup command may do wrong though it is valid."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from envsync.contract.checks import VARIABLE_TYPES
from envsync.contract.json_types import JsonObject, Pointer
from envsync.linting.hit import Hit
from envsync.linting.interaction import ASKING_PROGRAMS, Question, question, sudo_question
from envsync.linting.invocations import Invocation, invocations
from envsync.linting.reach import Reach
from envsync.linting.shell import Script, Use, Word, read_script

_DOWNLOADERS = frozenset({"curl", "wget", "fetch", "aria2c"})
# What takes an empty input for a program that does nothing, and calls it a success.
_SILENT = frozenset(
    {
        "sh",
        "bash",
        "dash",
        "ash",
        "zsh",
        "ksh",
        "node",
        "perl",
        "ruby",
        "php",
        "python",
        "python3",
        "pypy3",
        "tee",
        "cat",
        "psql",
        "sqlite3",
        "mysql",
    }
)
_PIPEFAIL = re.compile(r"\bset\s[^\n;&|]*-?[a-z]*o\s+pipefail\b")
_URL = re.compile(r"https?://(?:[^\s/@]*@)?(?P<host>[A-Za-z0-9.-]+)", re.IGNORECASE)
_CREDENTIAL = re.compile(
    r"[A-Z0-9_]*(?:TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|ACCESS_KEY|CREDENTIALS?)[A-Z0-9_]*"
)
_LOST_ALONE = frozenset({"cd", "export", "source", ".", "alias", "pushd", "set", "umask", "ulimit"})
_SPACE_AFTER_BACKSLASH = re.compile(r"\\[ \t]+$", re.MULTILINE)
# Most commands name none of these: they are not taken apart.
_WORTH_READING = ASKING_PROGRAMS | _DOWNLOADERS | {"sudo"}
_BETWEEN_WORDS = str.maketrans(dict.fromkeys("();&|\"'`/{}<>=", " "))


class Command(Struct, frozen=True):
    """A setup command taken apart. Its hits get their pointer later, since many manifests share
    a command."""

    text: str
    script: Script
    runs: tuple[Invocation, ...]

    def hit(self, code: str, word: Word | Use, message: str, label: str, remedy: str) -> Hit:
        return Hit(code, (), message, label, remedy, self.text, word.start, word.end)


def command_hits(body: JsonObject) -> Iterator[Hit]:
    """What the setup's commands may do wrong."""
    setup = body.get("setup")
    if not isinstance(setup, list):
        return
    for index, said in enumerate(setup):
        text = said.get("command") if isinstance(said, dict) else None
        if not isinstance(text, str):
            continue
        pointer: Pointer = ("setup", index, "command")
        command, hits = _read(text)
        if command is not None:
            hits = (*hits, *_unreachable(command, body), *_unset_credentials(command, body))
        for hit in hits:
            yield replace(hit, pointer=pointer)


@lru_cache(maxsize=1024)
def _read(text: str) -> tuple[Command | None, tuple[Hit, ...]]:
    """What a command's text alone shows; and the command itself where the rest of the manifest
    must be asked too."""
    hits = tuple(_characters(text))
    script = read_script(text) if _is_worth_reading(text) else None
    if script is None:
        return None, hits
    command = Command(text, script, tuple(invocations(script)))
    asks_body = bool(script.uses) or any(_downloads(run) for run in command.runs)
    return command if asks_body else None, (
        *hits,
        *_questions(command),
        *_pipes(command),
        *_unchecked_certificates(command),
        *_lost(command),
    )


def _is_worth_reading(text: str) -> bool:
    if "$" in text or "--trusted-host" in text:
        return True
    words = text.translate(_BETWEEN_WORDS).split()
    if not words:
        return False
    alone = words[0] in _LOST_ALONE and "\n" not in text.strip()
    return alone or not _WORTH_READING.isdisjoint(words)


def _slots(body: JsonObject) -> frozenset[str]:
    """The slots that become variables."""
    secrets = body.get("secrets")
    if not isinstance(secrets, dict):
        return frozenset()
    return frozenset(
        name
        for name, slot in secrets.items()
        if isinstance(slot, dict) and slot.get("type") in VARIABLE_TYPES
    )


def _characters(text: str) -> Iterator[Hit]:
    for found in _SPACE_AFTER_BACKSLASH.finditer(text):
        yield Hit(
            "W305",
            (),
            "a blank after `\\` ends the command here",
            "this line does not go on in the next one",
            "remove the blanks after `\\`",
            text,
            found.start(),
            found.end(),
        )
    at = text.find("\r")
    if at >= 0:
        yield Hit(
            "W306",
            (),
            "the command holds a carriage return, which the shell takes as text",
            "",
            "end the lines with LF alone (`\\n`)",
        )


def _questions(command: Command) -> Iterator[Hit]:
    assumes_yes = "assume-yes" in command.text.lower()
    reads_from_loop = re.search(r"\bdone\s*<", command.text) is not None
    for run in command.runs:
        asked: Question | None = sudo_question(run)
        if asked is not None and run.sudo is not None:
            yield _asks(command, run.sudo, "sudo", asked)
        asked = question(run)
        if asked is None:
            continue
        if assumes_yes and run.program.startswith("apt"):
            continue
        if run.program == "read" and reads_from_loop:
            continue
        if (
            run.command.pipe_in
            and command.text[: run.name.start].rstrip().endswith("|")
            and (re.search(r"\byes\b[^|\n]*\|", command.text))
        ):
            continue
        yield _asks(command, run.name, run.program, asked)


def _asks(command: Command, word: Word, program: str, asked: Question) -> Hit:
    waits_for, remedy = asked
    return command.hit(
        "W303", word, f"`{program}` may ask {waits_for}", "nobody is there to answer", remedy
    )


def _pipes(command: Command) -> Iterator[Hit]:
    """A download that fails, piped into what takes nothing for a success."""
    safe_from = _PIPEFAIL.search(command.text)
    for first, second in zip(command.runs, command.runs[1:], strict=False):
        if first.program not in _DOWNLOADERS or not first.command.pipe_out:
            continue
        if not second.command.pipe_in or second.program not in _SILENT:
            continue
        if safe_from is not None and safe_from.start() < first.name.start:
            continue
        yield command.hit(
            "W310",
            first.name,
            f"a pipe hides the exit code of `{first.program}`",
            f"if this fails, `{second.program}` gets nothing and succeeds",
            "start the command with `set -o pipefail` (in bash), or download to a file first",
        )


def _unchecked_certificates(command: Command) -> Iterator[Hit]:
    for run in command.runs:
        insecure = (
            (run.program == "curl" and run.has("-k", "--insecure"))
            or (run.program == "wget" and run.has("--no-check-certificate"))
            or (run.program in ("pip", "pip3", "uv") and run.has("--trusted-host"))
            or (run.program == "git" and "http.sslverify=false" in map(str.lower, run.texts))
            or (run.program in ("npm", "yarn") and _turns_off_ssl(run.texts))
        )
        if insecure:
            yield command.hit(
                "W304",
                run.name,
                f"`{run.program}` is told not to check certificates",
                "anybody on the way can change what is downloaded",
                "remove the option; an authority of your own belongs into the image",
            )


def _turns_off_ssl(texts: tuple[str, ...]) -> bool:
    return "--strict-ssl=false" in texts or texts[-2:] == ("strict-ssl", "false")


def _unreachable(command: Command, body: JsonObject) -> Iterator[Hit]:
    for run in command.runs:
        if not _downloads(run):
            continue
        reach = Reach.of(body)
        for word in run.arguments:
            found = _URL.match(word.text)
            if found is None or "." not in found["host"] or reach.allows(found["host"]):
                continue
            host = found["host"].lower()
            at = command.text.find(found["host"], word.start, word.end)
            place = Word(host, at, at + len(host)) if at >= 0 else word
            yield command.hit(
                "W308",
                place,
                f"`{host}` is not in network.allowedHosts, so this download is refused",
                reach.said,
                f"add {host} to network.allowedHosts",
            )


def _downloads(run: Invocation) -> bool:
    return run.program in _DOWNLOADERS or (
        run.program == "git" and run.plain[:1] in (("clone",), ("fetch",), ("ls-remote",))
    )


def _unset_credentials(command: Command, body: JsonObject) -> Iterator[Hit]:
    script = command.script
    if not script.uses:
        return
    slots = _slots(body)
    if any(run.program in (".", "source", "eval") for run in command.runs):
        return
    told: set[str] = set()
    for use in script.uses:
        name = use.name
        if use.optional or name in slots or name in script.assigned or name in told:
            continue
        meant = _nearly(name, slots)
        if not meant and not _CREDENTIAL.fullmatch(name):
            continue
        told.add(name)
        yield command.hit(
            "W309",
            use,
            f"`${name}` is used, but no slot declares it",
            f"did you mean `${meant}`?" if meant else "empty when the command runs",
            f"declare `{name}` under `secrets`",
        )


def _nearly(name: str, slots: frozenset[str]) -> str:
    """The slot that ``name`` is a slip of the pen for, or nothing."""
    if name.islower() or not slots:
        return ""
    import difflib

    return next(iter(difflib.get_close_matches(name, sorted(slots), n=1, cutoff=0.88)), "")


def _lost(command: Command) -> Iterator[Hit]:
    if len(command.runs) != 1 or command.runs[0].program not in _LOST_ALONE:
        return
    run = command.runs[0]
    if run.command.pipe_in or run.command.pipe_out or not run.arguments:
        return
    remedy = {
        "cd": "give the next command a `cwd`",
        "pushd": "give the next command a `cwd`",
    }.get(run.program, "write it at the start of the command that needs it")
    yield command.hit(
        "W307",
        run.name,
        f"`{run.program}` alone changes nothing: each command has a shell of its own",
        "forgotten before the next command",
        remedy,
    )
