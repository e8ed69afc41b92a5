"""One round: look at the files, ask the server, plan what differs, and apply it where told to."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from envsync.applying.outcome import Outcome, Result
from envsync.applying.stop import StopSignal
from envsync.contract.states import State
from envsync.errors import BrakeError, FileError, Problem, RefusedError
from envsync.operations.applying import ApplyOptions, apply_in
from envsync.operations.planning import AtHand, PlanOptions, plan_in
from envsync.operations.reports import StatusRow
from envsync.operations.status import rows_of
from envsync.planning.file import identified
from envsync.planning.plan import Change, Op, Plan
from envsync.resources.reading import Declarations
from envsync.resources.resource import Base, ObjectId, Observed
from envsync.watching import events
from envsync.watching.attempts import Attempts
from envsync.watching.board import Board
from envsync.watching.contest import Contest
from envsync.watching.differences import declared_changes, observed_key, server_changes
from envsync.watching.folders import git_is_busy
from envsync.watching.link import Link
from envsync.watching.source import Look

Tell = Callable[[events.Event], None]

SETTLE_SECONDS: Final = 0.2
"""How long to wait for files that are just being changed, before the next look."""

_DONE: Final = (Result.APPLIED, Result.UNCHANGED)


class WatchOptions(Struct, frozen=True):
    """``apply`` writes; without it nothing ever does. ``approved`` says that a protected context
    may be written, ``allow_dirty`` that files need not be committed outside embedded contexts.
    ``from_tree`` says that the files are those of the working tree."""

    plan: PlanOptions = PlanOptions()
    apply: bool = False
    approved: bool = False
    allow_dirty: bool = False
    from_tree: bool = True
    audit: Path | None = None


class Round:
    """Keeps what one round must know of the rounds before it."""

    def __init__(self, options: WatchOptions, board: Board, tell: Tell, stop: StopSignal) -> None:
        self.board = board
        self.link = Link()
        self.look: Look | None = None
        self.plan: Plan | None = None
        self.outcomes: tuple[Outcome, ...] = ()
        self.again_at: float | None = None
        self.applying = False
        self.left = 0
        self._options = options
        self._tell = tell
        self._stop = stop
        self._declared: Declarations | None = None
        self._commit = ""
        self._listed: Mapping[ObjectId, Observed] | None = None
        self._ours: dict[ObjectId, Base | None] = {}
        self._key: tuple[str, ...] = ()
        self._attempts = Attempts()
        self._contest = Contest()
        self._refused: tuple[str, ...] = ()

    def see_files(self, look: Look) -> None:
        """Takes a look at the files in, and tells what is new in it."""
        before, self.look = self.look, look
        errors_before = before.errors if before else ()
        if look.errors != errors_before:
            if look.errors:
                self._tell(events.FilesWrong(look.problems))
                self.board.errors_total += 1
            else:
                self._tell(events.FilesMended())
        self.board.wrong = look.errors
        self.board.commit = look.commit
        declared, known = look.declarations, self._declared
        if declared is None or look.has_errors:
            return
        self._declared, commit, self._commit = declared, self._commit, look.commit
        if known is None:
            self._tell(events.FilesChanged(declared.tree, look.commit, declared.files, ()))
        elif (known.tree, commit) != (declared.tree, look.commit):
            changed = declared_changes(known.declared, declared.declared)
            self._tell(events.FilesChanged(declared.tree, look.commit, declared.files, changed))

    async def see_server(self) -> bool:
        """Asks the server. Returns whether others have changed something there. Raises
        ``EnvsyncError``."""
        assert self.look is not None
        listed = await self.link.observe(self.look.workspace)
        self.board.seen_at = time.time()
        if listed is self._listed:
            return False
        before, self._listed = self._listed, listed
        if before is None:
            return False
        saved = server_changes(before, listed, self._ours)
        if saved:
            self._tell(events.ServerChanged(saved))
        return bool(saved)

    async def replan(self, since: float) -> None:
        """Plans when files or server are not as they were at the last plan.

        ``since`` is when the first sign of a change came, by the monotonic clock. Raises
        ``EnvsyncError``.
        """
        self.again_at = None
        look, listed = self.look, self._listed
        assert look is not None
        assert listed is not None
        if look.declarations is None or look.has_errors:
            return
        self._see_contest(look, listed)
        key = self._state_key(look, listed)
        if key != self._key:
            await self._make_plan(look, listed, since)
            self._key = key

    async def carry_out(self, *, settled: bool) -> None:
        """Applies the last plan, where that is wanted and may be done now. ``settled`` says that
        the files were quiet. Raises ``EnvsyncError``."""
        look = self.look
        if look is None or look.has_errors or self.plan is None:
            return
        if self._options.apply:
            await self._apply(look, self.plan, settled=settled)

    def _state_key(self, look: Look, listed: Mapping[ObjectId, Observed]) -> tuple[str, ...]:
        clone = look.clone
        uncommitted = clone.uncommitted if clone else ()
        return (look.tree, look.commit, repr(look.workspace.context), observed_key(listed),
                *uncommitted)  # fmt: skip

    async def _make_plan(
        self, look: Look, listed: Mapping[ObjectId, Observed], since: float
    ) -> None:
        assert look.declarations is not None
        session = await self.link.session(look.workspace)
        at_hand = AtHand(listed, look.memory)
        plan = await plan_in(
            session, look.workspace, look.declarations, look.clone, self._options.plan, at_hand
        )
        before, self.plan = self.plan, plan
        board = self.board
        board.server = plan.server.address
        board.planned_at, board.plan_seconds = time.time(), time.monotonic() - since
        board.plans_total += 1
        if not plan.changes:
            board.behind_since = 0.0
        elif not board.behind_since:
            board.behind_since = time.time()
        self._attempts.keep({each.id for each in plan.changes})
        self._show_rows()
        if before is None or before.id != plan.id or before.commit != plan.commit:
            self._tell(events.Planned(plan, board.counts, board.plan_seconds))

    def _show_rows(self) -> None:
        look, plan = self.look, self.plan
        if look is None or plan is None:
            return
        clone = look.clone
        edited = frozenset(clone.uncommitted if clone else ())
        rows = rows_of(plan, edited, clone.short_commit if clone else "")
        parked = self._contest.is_parked
        self.board.rows = tuple(
            replace(row, state=State.CONTESTED) if parked(row.id) else row
            for row in sorted(rows, key=_by_name)
        )
        self.board.pending = tuple(
            each.id for each in plan.changes if not each.held_back and not parked(each.id)
        )

    def _see_contest(self, look: Look, listed: Mapping[ObjectId, Observed]) -> None:
        assert look.declarations is not None
        desired = {each.id: each.hash for each in look.declarations.declared}
        parked = self._contest.see(listed, desired, time.monotonic())
        for each in parked:
            self._tell(events.Parked(each))
        if parked:
            self._key = ()

    async def _apply(self, look: Look, plan: Plan, *, settled: bool) -> None:
        now = time.monotonic()
        sent = self._sendable(plan, now)
        if not sent or self._key == self._refused:
            waits = self._attempts.due(plan.changes)
            self.again_at = waits if waits is not None and waits > now else None
            if not sent:
                self._withhold(None)
            return
        if self._options.from_tree and (not settled or git_is_busy(look.workspace.project.home)):
            self.again_at = now + SETTLE_SECONDS
            self.board.doing = "waiting until the files are quiet"
            return
        if look.workspace.context.protected and not self._options.approved:
            self._withhold(_protected(look.workspace.context.name))
            return
        try:
            await self._send(look, plan, sent)
        except (RefusedError, BrakeError, FileError) as error:
            self._refused = self._key
            self._withhold(error.problems[0])

    def _sendable(self, plan: Plan, now: float) -> tuple[Change, ...]:
        """The changes that may be sent now. Nothing is deleted while something else waits, but for
        what the plan itself holds back."""
        wanted = [each for each in plan.changes if not each.held_back]
        able = tuple(
            each
            for each in wanted
            if not each.blocked
            and not self._contest.is_parked(each.id)
            and self._attempts.may(each, now)
        )
        if len(able) < len(wanted):
            able = tuple(each for each in able if each.op is not Op.DELETE)
        return able

    async def _send(self, look: Look, plan: Plan, sent: tuple[Change, ...]) -> None:
        part = plan if len(sent) == len(plan.changes) else identified(replace(plan, changes=sent))
        self.board.doing = f"applying {len(sent):,} of {len(plan.changes):,} changes"
        session = await self.link.session(look.workspace)
        self.applying = True
        try:
            report = await apply_in(
                session,
                look.workspace,
                part,
                ApplyOptions(audit=self._options.audit, allow_dirty=self._options.allow_dirty),
                stop=self._stop,
            )
        finally:
            self.applying = False
        self._withhold(None)
        told = tuple(each for each in report.outcomes if each.op is not None)
        self.left = len(plan.changes) - len(sent)
        self.outcomes = told
        self._take_in(sent, told)
        if all(each.result in _DONE for each in told):
            self.board.applied_at = time.time()
        self._tell(events.Applied(told, report.exit_code, report.seconds))
        if not self._stop.is_set:
            self._key = ()
            self.again_at = time.monotonic()

    def _take_in(self, sent: tuple[Change, ...], outcomes: tuple[Outcome, ...]) -> None:
        by_id = {each.id: each for each in sent}
        now = time.monotonic()
        for outcome in outcomes:
            self.board.outcomes_total[outcome.result.value] += 1
            change = by_id[outcome.id]
            if outcome.result in _DONE:
                self.board.pending = tuple(
                    each for each in self.board.pending if each != outcome.id
                )
                base = None if change.op is Op.DELETE else outcome.base
                self._ours[outcome.id] = base
                self._contest.wrote(outcome.id, change.hash, base)
            elif not self._stop.is_set:
                self.board.errors_total += 1
                self._attempts.fail(change, now, random.random())  # noqa: S311 - spreads retries

    def _withhold(self, problem: Problem | None) -> None:
        if problem is not None and problem != self.board.withheld:
            self._tell(events.Withheld(problem))
        self.board.withheld = problem


def _by_name(row: StatusRow) -> ObjectId:
    return row.id


def _protected(name: str) -> Problem:
    return Problem(
        "E909",
        f"context `{name}` is protected now, and watch was not started with --yes",
        remedy="start it again: envsync watch --apply --yes",
    )
