"""A document as written: every node with the place where it stands.

Places are offsets in code points into the text without its byte order mark; ``end`` is exclusive.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from envsync.documents.scalars import PlainValue

Data = dict[str, "Data"] | list["Data"] | str | int | float | bool | None
"""What a document holds, as plain Python values."""

Style = Literal["plain", "single", "double", "literal", "folded"]


@dataclass(slots=True)
class ScalarNode:
    start: int
    end: int
    value: PlainValue
    style: Style


@dataclass(slots=True)
class MappingNode:
    start: int
    end: int
    flow: bool
    entries: dict[str, tuple[ScalarNode, Node]] = field(default_factory=dict)
    """In the order of the file."""
    size: int = 1
    """Nodes in it after aliases are expanded, itself included."""
    depth: int = 1


@dataclass(slots=True)
class SequenceNode:
    start: int
    end: int
    flow: bool
    items: list[Node] = field(default_factory=list)
    size: int = 1
    depth: int = 1


@dataclass(slots=True)
class AliasNode:
    start: int
    end: int
    name: str
    target: Node


Node = ScalarNode | MappingNode | SequenceNode | AliasNode


def resolved(node: Node) -> ScalarNode | MappingNode | SequenceNode:
    """``node``, or what it is an alias of."""
    while isinstance(node, AliasNode):
        node = node.target
    return node


def data_of(node: Node) -> Data:
    """The value of ``node``; an alias gives a copy of its own, so that no two paths share one."""
    if isinstance(node, ScalarNode):
        return node.value
    if isinstance(node, MappingNode):
        return {name: data_of(value) for name, (_, value) in node.entries.items()}
    if isinstance(node, SequenceNode):
        return [data_of(item) for item in node.items]
    return data_of(resolved(node))


def size_of(node: Node) -> int:
    target = resolved(node)
    return 1 if isinstance(target, ScalarNode) else target.size


def depth_of(node: Node) -> int:
    target = resolved(node)
    return 0 if isinstance(target, ScalarNode) else target.depth
