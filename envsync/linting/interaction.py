"""Commands that wait for a person, where nobody is there to answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from envsync.linting.invocations import Invocation

Question = tuple[str, str]
"""What the command waits for, and how to keep it from waiting."""

_APT = frozenset(
    {
        "install",
        "upgrade",
        "dist-upgrade",
        "full-upgrade",
        "remove",
        "purge",
        "autoremove",
        "build-dep",
    }
)
_DNF = frozenset(
    {
        "install",
        "update",
        "upgrade",
        "remove",
        "erase",
        "groupinstall",
        "downgrade",
        "reinstall",
        "autoremove",
    }
)
_CONDA = frozenset({"install", "create", "remove", "update", "upgrade", "uninstall"})
_PEOPLE = frozenset(
    {
        "vi",
        "vim",
        "nvim",
        "nano",
        "pico",
        "emacs",
        "less",
        "more",
        "top",
        "htop",
        "whiptail",
        "dialog",
    }
)
_OTHER_KEYGEN = ("-R", "-F", "-l", "-y", "-A", "-e", "-i", "-H", "-r", "-s", "-Y", "-c", "-p")


def question(invocation: Invocation) -> Question | None:
    """What ``invocation`` asks a person, if it does."""
    if invocation.program in _PEOPLE:
        return _for_people(invocation)
    ask = _ASKS.get(invocation.program)
    return ask(invocation) if ask is not None else None


def sudo_question(invocation: Invocation) -> Question | None:
    """``sudo`` asks for a password unless it is told not to."""
    if invocation.sudo is None or invocation.sudo.text.rpartition("/")[2] != "sudo":
        return None
    for option in invocation.sudo_options:
        if option in ("--non-interactive", "--stdin", "--askpass", "--validate"):
            return None
        if re.fullmatch(r"-[A-Za-z]*[nSA][A-Za-z]*", option):
            return None
    return "for a password", "write `sudo -n`, which fails at once instead of asking"


def _for_people(invocation: Invocation) -> Question | None:
    if invocation.program in ("less", "more", "top"):
        # Not at a terminal, pagers copy what they get; `top -b` is for scripts.
        batch = invocation.command.pipe_out or invocation.has("-b")
        if batch or invocation.program in ("less", "more"):
            return None
    if invocation.has("-es", "-Es", "--batch", "--version", "--headless", "--help"):
        return None
    return "for somebody at a terminal", "use a command that needs no terminal"


def _apt(invocation: Invocation) -> Question | None:
    if not _APT.intersection(invocation.plain[:1]):
        return None
    quiet_twice = any(re.fullmatch(r"-[a-z]*q[a-z]*q[a-z]*", text) for text in invocation.texts)
    if quiet_twice or invocation.has(
        "-y", "--yes", "--assume-yes", "--assume-no", "-s", "--simulate", "--dry-run", "--help"
    ):
        return None
    if any("assume-yes" in text.lower() for text in invocation.texts):
        return None
    return "whether to continue", "add `-y`"


def _dnf(invocation: Invocation) -> Question | None:
    if not _DNF.intersection(invocation.plain[:1]):
        return None
    if invocation.has("-y", "--assumeyes", "--assumeno", "--downloadonly"):
        return None
    return "whether to continue", "add `-y`"


def _zypper(invocation: Invocation) -> Question | None:
    commands = {"install", "in", "update", "up", "remove", "rm", "dup", "patch"}
    if not commands.intersection(invocation.plain[:1]):
        return None
    if invocation.has("-n", "-y", "--non-interactive", "--no-confirm", "--dry-run"):
        return None
    return "whether to continue", "write `zypper --non-interactive`"


def _pacman(invocation: Invocation) -> Question | None:
    acts = any(re.fullmatch(r"-[SUR][a-z]*", text) for text in invocation.texts)
    asks_only = any(re.fullmatch(r"-S[a-z]*[sigl][a-z]*", text) for text in invocation.texts)
    if not acts or asks_only or invocation.has("--noconfirm"):
        return None
    return "whether to continue", "add `--noconfirm`"


def _conda(invocation: Invocation) -> Question | None:
    if not _CONDA.intersection(invocation.plain[:1]):
        return None
    if invocation.has("-y", "--yes", "--dry-run", "-d"):
        return None
    return "whether to continue", "add `-y`"


def _npm(invocation: Invocation) -> Question | None:
    command = invocation.plain[:1]
    if command in (("login",), ("adduser",), ("add-user",)):
        return "for a user name and a password", "declare a slot for the token instead"
    if command in (("init",), ("create",)) and not invocation.has("-y", "--yes"):
        return "for the package's name and more", "add `--yes`"
    return None


def _init(invocation: Invocation) -> Question | None:
    if invocation.plain[:1] != ("init",):
        return None
    if invocation.has("-n", "-y", "--yes", "--no-interaction"):
        return None
    flag = "--no-interaction" if invocation.program == "poetry" else "--yes"
    return "for the package's name and more", f"add `{flag}`"


def _pip(invocation: Invocation) -> Question | None:
    if invocation.plain[:1] == ("uninstall",) and not invocation.has("-y", "--yes"):
        return "whether to continue", "add `-y`"
    return None


def _login(*safe: str) -> Callable[[Invocation], Question | None]:
    def ask(invocation: Invocation) -> Question | None:
        if "login" not in invocation.plain[:2] or invocation.has(*safe):
            return None
        if invocation.program == "cargo" and len(invocation.plain) > 1:
            return None
        if invocation.command.pipe_in or invocation.command.redirected:
            return None
        return "for credentials", f"give them without a person: `{safe[0]}`"

    return ask


def _git(invocation: Invocation) -> Question | None:
    command = invocation.plain[:1]
    if command == ("commit",) and not invocation.has(
        "-m",
        "-F",
        "-C",
        "--message",
        "--file",
        "--reuse-message",
        "--no-edit",
        "--fixup",
        "--dry-run",
    ):
        return "for a message, in an editor", "add `-m MESSAGE`"
    if command == ("rebase",) and invocation.has("-i", "--interactive"):
        return "for a list of commits, in an editor", "leave `-i` out"
    if command in (("add",), ("checkout",), ("restore",), ("stash",)) and invocation.has(
        "-p", "--patch"
    ):
        return "which hunks to take", "name the files"
    return None


def _keygen(invocation: Invocation) -> Question | None:
    if invocation.has("-N", "--help") or invocation.has(*_OTHER_KEYGEN):
        return None
    return "for a passphrase", "add `-N ''` and `-f FILE`"


def _gpg(invocation: Invocation) -> Question | None:
    asks = invocation.has("--gen-key", "--full-gen-key", "--generate-key", "--full-generate-key")
    if asks and not invocation.has("--batch"):
        return "for a name and a passphrase", "add `--batch` and a parameter file"
    return None


def _passwd(invocation: Invocation) -> Question | None:
    if invocation.command.pipe_in or invocation.command.redirected:
        return None
    if invocation.has("-d", "-l", "-S", "-e", "--delete", "--lock", "--status", "--stdin"):
        return None
    return "for a password", "declare a slot, and set nothing by hand"


def _adduser(invocation: Invocation) -> Question | None:
    if invocation.has("-D", "--disabled-password", "--disabled-login", "--system", "-S"):
        return None
    if len(invocation.plain) > 1 or invocation.command.pipe_in:
        return None
    return "for a password and a name", "write `useradd`, or add `--disabled-password`"


def _mysql(invocation: Invocation) -> Question | None:
    if any(text in ("-p", "--password") for text in invocation.texts):
        return "for a password", "read it from an option file: `--defaults-extra-file`"
    return None


def _psql(invocation: Invocation) -> Question | None:
    if invocation.has("-W", "--password"):
        return "for a password", "add `--no-password` and set PGPASSFILE"
    return None


def _files(invocation: Invocation) -> Question | None:
    if invocation.has("-i", "--interactive") and not invocation.command.pipe_in:
        return "before each file", "leave `-i` out"
    return None


def _read(invocation: Invocation) -> Question | None:
    command = invocation.command
    fed = command.pipe_in or command.redirected or command.leader in ("while", "until")
    if fed or invocation.has("-u", "-t"):
        return None
    return "for a line from a person", "set the variable, or declare a slot for it"


_ASKS: Mapping[str, Callable[[Invocation], Question | None]] = {
    "apt-get": _apt,
    "apt": _apt,
    "aptitude": _apt,
    "dnf": _dnf,
    "yum": _dnf,
    "microdnf": _dnf,
    "zypper": _zypper,
    "pacman": _pacman,
    "conda": _conda,
    "mamba": _conda,
    "micromamba": _conda,
    "npm": _npm,
    "yarn": _init,
    "poetry": _init,
    "composer": _init,
    "pip": _pip,
    "pip3": _pip,
    "gh": _login("--with-token"),
    "docker": _login("--password-stdin", "-p", "--password"),
    "podman": _login("--password-stdin", "-p", "--password"),
    "gcloud": _login("--cred-file"),
    "az": _login("--identity", "--service-principal", "--federated-token"),
    "cargo": _login("--token"),
    "git": _git,
    "ssh-keygen": _keygen,
    "gpg": _gpg,
    "gpg2": _gpg,
    "passwd": _passwd,
    "adduser": _adduser,
    "mysql": _mysql,
    "mysqldump": _mysql,
    "mariadb": _mysql,
    "psql": _psql,
    "rm": _files,
    "cp": _files,
    "mv": _files,
    "read": _read,
}

ASKING_PROGRAMS = frozenset(_ASKS) | _PEOPLE
"""Every program that may ask something."""
