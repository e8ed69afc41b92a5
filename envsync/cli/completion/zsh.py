"""Completion for zsh."""

from __future__ import annotations

from envsync.cli.command import GLOBALS, Option
from envsync.cli.completion.words import (
    ASKED,
    first_words,
    next_words,
    option_values,
    options_of,
    positionals,
    valued_globals,
)
from envsync.cli.table import COMMANDS


def zsh() -> str:
    """A function for zsh's own completion system."""
    lines = [
        "#compdef envsync",
        "_envsync() {",
        '  local command="" part index=2',
        "  while (( index < CURRENT )); do",
        '    part="${words[index]}"',
        '    case "$part" in',
        f"      {'|'.join(valued_globals())}) (( index++ )) ;;",
        "      -*) ;;",
        '      *) if _envsync_known "$command" "$part"; then',
        '           command="${command:+$command }$part"',
        "         fi ;;",
        "    esac",
        "    (( index++ ))",
        "  done",
        '  case "$command:${words[CURRENT-1]}" in',
        *(
            f"    {pattern}) {_zsh_offer(kind, choices)}; return ;;"
            for pattern, kind, choices in option_values()
        ),
        "  esac",
        '  if [[ "$PREFIX" == -* ]]; then',
        '    case "$command" in',
        *(
            f'      "{command.name}") {_zsh_described(_described(options_of(command)))} ;;'
            for command in COMMANDS
        ),
        f"      *) {_zsh_described(_described(GLOBALS))} ;;",
        "    esac",
        "    return",
        "  fi",
        '  case "$command" in',
        f'    "") {_zsh_described(list(first_words().items()))} ;;',
        *(
            f'    "{begun}") {_zsh_described(list(words.items()))} ;;'
            for begun, words in next_words().items()
            if begun not in dict(_named_positionals())
        ),
        *(f'    "{name}") {offer} ;;' for name, offer in _named_positionals()),
        "  esac",
        "}",
        "_envsync_known() {",
        '  case "$1" in',
        f'    "") [[ " {" ".join(first_words())} " == *" $2 "* ]] ;;',
        *(
            f'    "{begun}") [[ " {" ".join(words)} " == *" $2 "* ]] ;;'
            for begun, words in next_words().items()
        ),
        "    *) return 1 ;;",
        "  esac",
        "}",
        'if [[ "${funcstack[1]}" == "_envsync" ]]; then',
        '  _envsync "$@"',
        "else",
        "  compdef _envsync envsync",
        "fi",
    ]
    return "\n".join(lines) + "\n"


def _named_positionals() -> list[tuple[str, str]]:
    return [(name, _zsh_offer(kind, choices)) for name, kind, choices in positionals()]


def _described(options: tuple[Option, ...]) -> list[tuple[str, str]]:
    return [(flag, option.help) for option in options for flag in option.flags]


def _zsh_offer(kind: str, choices: tuple[str, ...]) -> str:
    if choices:
        return f"compadd -- {' '.join(choices)}"
    if kind in ASKED:
        return f'compadd -- ${{(f)"$(envsync __complete {kind} 2>/dev/null)"}}'
    if kind == "file":
        return "_files"
    return "_files -/" if kind == "folder" else "_message value"


def _zsh_described(pairs: list[tuple[str, str]]) -> str:
    entries = " ".join(
        _quoted(f"{word.replace(':', chr(92) + ':')}:{text}") for word, text in pairs
    )
    return f"local -a found; found=({entries}); _describe envsync found"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
