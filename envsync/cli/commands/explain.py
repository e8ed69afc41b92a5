"""explain: what a code means."""

from __future__ import annotations

from envsync.cli.arguments import Arguments
from envsync.cli.console import Console
from envsync.contract.codes import Code, codes
from envsync.errors import ExitCode, UsageError
from envsync.rendering.codes import code_json, code_lines, code_list_lines
from envsync.rendering.json_output import json_text


def run(arguments: Arguments, console: Console) -> ExitCode:
    """Prints the page of one code, or the list of all."""
    wanted = arguments.text("code")
    if wanted is None:
        _print_all(console)
    else:
        _print_one(console, _find(wanted))
    return ExitCode.DONE


def _find(wanted: str) -> Code:
    known = codes()
    code = wanted.strip("[]").upper()
    if code in known:
        return known[code]
    from difflib import get_close_matches

    close = get_close_matches(code, list(known), n=1, cutoff=0.7)
    remedy = f"did you mean `envsync explain {close[0]}`?" if close else "see: envsync explain"
    raise UsageError("E908", f"there is no code `{wanted}`", remedy=remedy)


def _print_one(console: Console, code: Code) -> None:
    if console.is_json:
        console.data(json_text(code_json(code)))
    else:
        console.out(code_lines(code, console.width))


def _print_all(console: Console) -> None:
    everything = list(codes().values())
    if console.is_json:
        console.data(json_text({"codes": [code_json(code) for code in everything]}))
    else:
        console.out(code_list_lines(everything, console.fixed_width))
