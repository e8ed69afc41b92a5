"""How many Environments a change leaves behind, in words."""

from __future__ import annotations

from envsync.planning.plan import Change, Op
from envsync.rendering.text import counted


def blast_radius(change: Change) -> str:
    """``2 Environments stay on v7``; empty when there are none, or nobody knows."""
    foreseen = change.foreseen
    total, older = foreseen.environments, foreseen.on_older
    if change.op is Op.CREATE:
        return _left_by_move(total, change.moved_from) if change.moved_from else ""
    if change.op is Op.DELETE:
        return _left_by_delete(total)
    version = change.base.version if change.base else 0
    if older == 0 and total <= 0:
        return ""
    if total > 0 and older > total:
        older = total
    if older < 0:
        return f"{_environments(total)} {_stay(total)} as they are" if total > 0 else ""
    if older == 0:
        return f"{_environments(total)} {_stay(total)} on v{version}" if total > 0 else ""
    on = f"v{version}" if version == 1 else "older versions"
    return f"{_environments(older)} {_stay(older)} on {on}"


def _left_by_move(total: int, old: str) -> str:
    return f"{_environments(total)} {_stay(total)} on `{old}`" if total > 0 else ""


def _left_by_delete(total: int) -> str:
    if total < 0:
        return ""
    if total == 0:
        return "no Environment was made from it"
    return f"{_environments(total)} {'was' if total == 1 else 'were'} made from it"


def _environments(number: int) -> str:
    return counted(number, "Environment")


def _stay(number: int) -> str:
    return "stays" if number == 1 else "stay"
