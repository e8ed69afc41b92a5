"""Completion for bash."""

from __future__ import annotations

from envsync.cli.command import GLOBALS
from envsync.cli.completion.words import (
    ASKED,
    first_words,
    flags,
    next_words,
    option_values,
    options_of,
    positionals,
    valued_globals,
)
from envsync.cli.table import COMMANDS


def bash() -> str:
    """For bash 3.2 and newer: no associative arrays, no helper of the bash-completion package."""
    follow = [
        f'    "{begun}") words="$words {" ".join(words)}" ;;'
        for begun, words in next_words().items()
    ]
    lines = [
        "# bash completion for envsync",
        "_envsync() {",
        '  local word="${COMP_WORDS[COMP_CWORD]}" before="" command="" words="" index=1 part',
        '  [ "$COMP_CWORD" -gt 0 ] && before="${COMP_WORDS[COMP_CWORD-1]}"',
        '  while [ "$index" -lt "$COMP_CWORD" ]; do',
        '    part="${COMP_WORDS[index]}"',
        '    case "$part" in',
        f"      {'|'.join(valued_globals())}) index=$((index + 1)) ;;",
        "      -*) ;;",
        '      *) case " $(_envsync_words "$command") " in',
        '           *" $part "*) command="${command:+$command }$part" ;;',
        "         esac ;;",
        "    esac",
        "    index=$((index + 1))",
        "  done",
        "  COMPREPLY=()",
        '  case "$command:$before" in',
        *(
            f"    {pattern}) {_bash_reply(kind, choices)}; return ;;"
            for pattern, kind, choices in option_values()
        ),
        "  esac",
        '  words="$(_envsync_words "$command")"',
        '  case "$word" in',
        '    -*) COMPREPLY=($(compgen -W "$(_envsync_options "$command")" -- "$word")); return ;;',
        "  esac",
        '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
        '  case "$command" in',
        *(f'    "{name}") {_bash_add(kind, choices)} ;;' for name, kind, choices in positionals()),
        "  esac",
        "}",
        "_envsync_words() {",
        '  local words=""',
        '  case "$1" in',
        f'    "") words="{" ".join(first_words())}" ;;',
        *follow,
        "  esac",
        '  echo "$words"',
        "}",
        "_envsync_options() {",
        '  case "$1" in',
        *(
            f'    "{command.name}") echo "{" ".join(flags(options_of(command)))}" ;;'
            for command in COMMANDS
        ),
        f'    *) echo "{" ".join(flags(GLOBALS))} --version" ;;',
        "  esac",
        "}",
        "complete -F _envsync envsync",
    ]
    return "\n".join(lines) + "\n"


def _bash_reply(kind: str, choices: tuple[str, ...]) -> str:
    return f"COMPREPLY=({_bash_offer(kind, choices)})"


def _bash_add(kind: str, choices: tuple[str, ...]) -> str:
    return f"COMPREPLY+=({_bash_offer(kind, choices)})"


def _bash_offer(kind: str, choices: tuple[str, ...]) -> str:
    if choices:
        return f'$(compgen -W "{" ".join(choices)}" -- "$word")'
    if kind in ASKED:
        asked = f"$(envsync __complete {kind} 2>/dev/null)"
        return f'$(compgen -W "{asked}" -- "$word")'
    if kind == "file":
        return '$(compgen -f -- "$word")'
    return '$(compgen -d -- "$word")' if kind == "folder" else ""
