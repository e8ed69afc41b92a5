"""The route table: from a method and a path to the route that serves it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct

from envsync.server.auth.access import Access
from envsync.server.routes.answer import Answer
from envsync.server.routes.call import Call
from envsync.server.store.interface import Transaction


class Route(Struct, frozen=True):
    """``path`` has a ``{}`` where a segment is open.

    ``prepare`` reads the call without the database (raises ``Refusal`` 400); what it returns goes
    to ``run``, which works inside one transaction and may run more than once. ``writes`` says, of
    what was prepared, whether that transaction is a write. ``heavy`` marks a read whose cost
    grows with what is stored.
    """

    method: str
    path: str
    access: Access
    run: Callable[[Transaction, Call, Any], Answer]
    prepare: Callable[[Call], Any] = lambda _: None
    takes_body: bool = False
    writes: Callable[[Any], bool] | None = None
    heavy: bool = False


@dataclass(slots=True)
class _Node:
    literal: dict[str, _Node] = field(default_factory=dict)
    open: _Node | None = None
    routes: dict[str, Route] = field(default_factory=dict)


class RouteTable:
    """A tree of path segments. A literal segment wins over an open one."""

    def __init__(self, routes: Sequence[Route]) -> None:
        self._root = _Node()
        self.routes = tuple(routes)
        for route in routes:
            node = self._root
            for segment in route.path.split("/")[1:]:
                if segment == "{}":
                    node.open = node.open or _Node()
                    node = node.open
                else:
                    node = node.literal.setdefault(segment, _Node())
            node.routes[route.method] = route

    def find(self, method: str, segments: Sequence[str]) -> tuple[Route | None, tuple[str, ...]]:
        """The route, and the segments that it leaves open."""
        node, parameters = self._root, []
        for segment in segments:
            following = node.literal.get(segment)
            if following is None and node.open is not None and segment:
                following = node.open
                parameters.append(segment)
            if following is None:
                return None, ()
            node = following
        return node.routes.get(method), tuple(parameters)
