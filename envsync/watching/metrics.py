"""The board as Prometheus metrics (text format 0.0.4). Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from envsync.applying.outcome import Result
from envsync.contract.states import State
from envsync.watching.board import Board


def metrics(board: Board, now: float) -> str:
    """``now`` is in seconds since 1970. Every state and result is there, also with 0."""
    lines: list[str] = []
    for name, kind, says, samples in _families(board, now):
        lines += [f"# HELP {name} {says}", f"# TYPE {name} {kind}"]
        lines += [f"{name}{_labels(labels)} {_number(value)}" for labels, value in samples]
    return "\n".join(lines) + "\n"


Sample = tuple[Mapping[str, str], float]


def _families(board: Board, now: float) -> Iterator[tuple[str, str, str, list[Sample]]]:
    counts = board.counts
    where = {"project": board.project, "context": board.context}
    yield (
        "envsync_objects",
        "gauge",
        "Objects by state.",
        [({**where, "state": state.value}, counts.get(state, 0)) for state in State],
    )
    yield (
        "envsync_outcomes_total",
        "counter",
        "Changes that were sent, by result.",
        [({**where, "result": each.value}, board.outcomes_total[each.value]) for each in Result],
    )
    simple: list[tuple[str, str, str, float]] = [
        ("envsync_last_apply_timestamp_seconds", "gauge",
         "When everything that was sent was applied, 0 for never.", board.applied_at),
        ("envsync_last_plan_timestamp_seconds", "gauge",
         "When the last plan was made, 0 for never.", board.planned_at),
        ("envsync_last_contact_timestamp_seconds", "gauge",
         "When the server last answered, 0 for never.", board.seen_at),
        ("envsync_plan_seconds", "gauge",
         "From the first sign of the last change to its plan.", board.plan_seconds),
        ("envsync_lag_seconds", "gauge",
         "For how long the server has not been as the files say, 0 when it is.", board.lag(now)),
        ("envsync_pending_changes", "gauge",
         "Changes that an apply would send.", len(board.pending)),
        ("envsync_healthy", "gauge",
         "1 when files, Git, network and server are in order.", int(board.is_healthy)),
        ("envsync_errors_total", "counter",
         "Errors of files, Git, network and server, and failed changes.", board.errors_total),
        ("envsync_plans_total", "counter", "Plans that were made.", board.plans_total),
        ("envsync_rounds_total", "counter", "Rounds that came to their end.", board.rounds_total),
    ]  # fmt: skip
    for name, kind, says, value in simple:
        yield name, kind, says, [(where, value)]


def _labels(labels: Mapping[str, str]) -> str:
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items()) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:.3f}"
