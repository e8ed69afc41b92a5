"""What becomes of the drafts once it is known how each object stands: sent, held back, pruned,
moved, or left alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from envsync.contract.states import State
from envsync.planning.drafting import Drafts
from envsync.planning.drift import Standing
from envsync.planning.plan import Change, Foreseen, Held, Notice, Op
from envsync.resources.resource import ObjectId, Observed


class Moved(Struct, frozen=True):
    """Of two names of one object, envsync.yaml says that ``new`` takes the place of ``old``."""

    old: ObjectId
    new: ObjectId


class Findings(Struct, frozen=True):
    """How objects stand. ``standings`` speaks of those that differ and those that no file
    declares; ``deleted`` are creates of what was deleted on the server, ``unsure`` those of which
    too little history is here to tell. ``why_unknown`` says what history lacks, and the way out."""

    standings: Mapping[ObjectId, Standing]
    deleted: Collection[ObjectId] = ()
    unsure: Collection[ObjectId] = ()
    why_unknown: str = ""


class Wishes(Struct, frozen=True):
    """What may be done. ``overwrite``: drift is overwritten. ``deletes_off`` says in a sentence
    why nothing is deleted, or is empty; ``narrow`` that the run speaks of some objects only."""

    overwrite: bool = False
    prune: bool = False
    recreate: bool = False
    narrow: bool = False
    deletes_off: str = ""


def settle(
    drafts: Drafts,
    listed: Mapping[ObjectId, Observed],
    findings: Findings,
    wishes: Wishes,
    moves: Sequence[Moved] = (),
) -> Drafts:
    """``drafts`` with the state of each object, and the deletes.

    Only what this repository once declared, and nobody else has saved since, is ever deleted: when
    pruning is asked for, or when it has moved, its new name is there and nothing uses it.
    """
    held = list(drafts.held)
    changes: list[Change] = []
    for change in drafts.changes:
        settled = _settled(change, findings, wishes)
        if isinstance(settled, Change):
            changes.append(settled)
        else:
            held.append(settled)
    changes = [_explained(_as_move(change, listed, moves), findings) for change in changes]
    held = [_told(each, findings.standings) for each in held]
    gone = [each for each in held if each.state is State.GONE]
    states = {each.state for each in changes} | {each.state for each in held}
    lost = State.UNKNOWN in states
    if lost and not wishes.deletes_off:
        wishes = replace(wishes, deletes_off=findings.why_unknown)
    deletes, left_out = _deletes(gone, changes, held, findings, wishes, moves)
    left_out += _unknown(held, findings)
    going = {delete.id for delete in deletes}
    held = [each for each in held if each.id not in going]
    return replace(
        drafts,
        changes=(*changes, *(_with_body(each, listed) for each in deletes)),
        held=tuple(sorted(held, key=lambda each: each.id)),
        left_out=(*drafts.left_out, *left_out),
    )


def _settled(change: Change, findings: Findings, wishes: Wishes) -> Change | Held:
    if change.base is None:
        if change.id in findings.unsure and not wishes.recreate:
            return replace(change, state=State.UNKNOWN, held_back=State.UNKNOWN.value)
        if change.id not in findings.deleted:
            return change
        if wishes.recreate:
            return replace(change, state=State.MISSING)
        return Held(change.id, State.MISSING, path=change.path)
    standing = findings.standings.get(change.id)
    if standing is None:
        return change
    return replace(
        change,
        state=standing.state,
        three_way=standing.three_way,
        held_back="" if wishes.overwrite else standing.keeps,
    )


def _told(held: Held, standings: Mapping[ObjectId, Standing]) -> Held:
    standing = standings.get(held.id) if held.state is State.FOREIGN else None
    return held if standing is None else replace(held, state=standing.state)


def _as_move(change: Change, listed: Mapping[ObjectId, Observed], moves: Sequence[Moved]) -> Change:
    """A create under a new name tells how many Environments stay on the old one."""
    if change.op is not Op.CREATE:
        return change
    for move in moves:
        if move.new == change.id and move.old in listed:
            foreseen = replace(change.foreseen, environments=listed[move.old].environments)
            return replace(change, moved_from=move.old.name, foreseen=foreseen)
    return change


def _explained(change: Change, findings: Findings) -> Change:
    """What is held back because history is short says so where it is reviewed."""
    if change.state is not State.UNKNOWN:
        return change
    notice = Notice(State.UNKNOWN.value, findings.why_unknown)
    foreseen = replace(change.foreseen, warnings=(*change.foreseen.warnings, notice))
    return replace(change, foreseen=foreseen)


def _unknown(held: Iterable[Held], findings: Findings) -> list[str]:
    count = sum(each.state is State.UNKNOWN for each in held)
    if not count:
        return []
    objects = "1 object" if count == 1 else f"{count} objects"
    told = f"whether {objects} of the server were ever declared here is not known"
    return [f"{told}: {findings.why_unknown}"]


def _deletes(
    gone: Sequence[Held],
    changes: Sequence[Change],
    held: Iterable[Held],
    findings: Findings,
    wishes: Wishes,
    moves: Sequence[Moved],
) -> tuple[list[Change], list[str]]:
    """What is to be deleted, and in sentences what is not though it was asked for."""
    kept = {change.id for change in changes if change.held_back}
    there = {change.id for change in changes} - kept
    there |= {each.id for each in held if each.state is State.IN_SYNC}
    moved = {move.old for move in moves if move.new in there}
    waiting = {move.old for move in moves} - moved
    deletes: list[Change] = []
    left_out: list[str] = []
    for each in gone:
        standing = findings.standings[each.id]
        unused = each.id in moved and each.environments == 0
        if not unused and (not wishes.prune or each.id in waiting):
            continue
        why = _why_not(each, standing)
        if why:
            left_out.append(f"{each.id} is not deleted: {why}")
        elif not wishes.narrow and not wishes.deletes_off:
            deletes.append(_delete(each, standing, overwrite=wishes.overwrite))
    if wishes.deletes_off and wishes.prune and gone and not wishes.narrow:
        left_out.append(f"nothing is deleted: {wishes.deletes_off}")
    return deletes, left_out


def _why_not(held: Held, standing: Standing) -> str:
    if not standing.here:
        return "another branch declares it, or did"
    if held.environments > 0:
        number = held.environments
        return "an Environment uses it" if number == 1 else f"{number} Environments use it"
    return ""


def _delete(held: Held, standing: Standing, *, overwrite: bool) -> Change:
    return Change(
        held.id,
        Op.DELETE,
        State.GONE,
        base=held.base,
        foreseen=Foreseen(environments=held.environments),
        saved_by=held.saved_by,
        saved_at=held.saved_at,
        three_way=standing.three_way,
        held_back="" if overwrite else standing.keeps,
    )


def _with_body(change: Change, listed: Mapping[ObjectId, Observed]) -> Change:
    return replace(change, base_canonical=listed[change.id].canonical)
