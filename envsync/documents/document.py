"""A parsed file that knows where every value stands.

The common file is read by a compiled reader and knows its places only when somebody asks: then it
is read again, exactly. A file that the guard cannot prove unambiguous is read exactly at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

from envsync.contract.json_types import Pointer
from envsync.documents.nodes import (
    AliasNode,
    Data,
    MappingNode,
    Node,
    ScalarNode,
    SequenceNode,
    data_of,
    resolved,
)
from envsync.documents.text import SourceText, decode
from envsync.errors import FileError, Position


@dataclass(slots=True)
class Document:
    """``data`` is the mapping that the file says; ``source`` its bytes as they are.

    ``fast`` is true when the compiled reader read it.
    """

    path: str
    data: dict[str, Data]
    source: bytes
    fast: bool
    _tree: tuple[SourceText, MappingNode] | None = field(default=None, repr=False, compare=False)

    def tree(self) -> tuple[SourceText, MappingNode]:
        """The text, and the root node with the place of everything in it."""
        if self._tree is None:
            source = decode(self.source, self.path)
            self._tree = (source, compose_mapping(source))
        return self._tree

    def aliases(self) -> tuple[Pointer, ...]:
        """The places where an alias stands, in the order of the file."""
        return () if b"*" not in self.source else tuple(_aliases((), self.tree()[1]))

    def position(self, pointer: Pointer, *, key: bool = False) -> Position:
        """Where the value at ``pointer`` stands, or its key with ``key``.

        For what is not there: the key of the nearest parent that is there.
        """
        source, root = self.tree()
        node: Node = root
        name: ScalarNode | None = None
        for part in pointer:
            found = _child(node, part)
            if found is None:
                key = True
                break
            next_name, node = found
            name = next_name
        if name is not None and (key or node.start == node.end):
            return source.at(name.start, name.end)
        if node is root:
            return source.at(node.start)
        return source.at(node.start, node.end)


def _aliases(pointer: Pointer, node: Node) -> Iterator[Pointer]:
    if isinstance(node, AliasNode):
        yield pointer
    elif isinstance(node, MappingNode):
        for name, (_, value) in node.entries.items():
            yield from _aliases((*pointer, name), value)
    elif isinstance(node, SequenceNode):
        for index, item in enumerate(node.items):
            yield from _aliases((*pointer, index), item)


def _child(node: Node, part: str | int) -> tuple[ScalarNode | None, Node] | None:
    target = resolved(node)
    if isinstance(target, MappingNode) and isinstance(part, str):
        return target.entries.get(part)
    if isinstance(target, SequenceNode) and isinstance(part, int):
        return (None, target.items[part]) if 0 <= part < len(target.items) else None
    return None


def parse(data: bytes, path: str) -> Document:
    """Reads ``data`` as the strict YAML 1.2 profile, or as JSON when ``path`` ends with ``.json``.

    Raises FileError with every problem found, each with its place.
    """
    if not path.endswith(".json"):
        from envsync.documents.fast_reader import read

        fast = read(data)
        if fast is not None:
            return Document(path, fast, data, fast=True)
    source = decode(data, path)
    root = compose_mapping(source)
    return Document(
        path, cast("dict[str, Data]", data_of(root)), data, fast=False, _tree=(source, root)
    )


def compose_mapping(source: SourceText) -> MappingNode:
    """The exact reading of ``source``. Raises FileError as ``parse`` does."""
    if source.path.endswith(".json"):
        from envsync.documents.json_reader import compose
    else:
        from envsync.documents.yaml_reader import compose
    root = compose(source)
    if isinstance(root, MappingNode):
        return root
    found = "a list" if isinstance(root, SequenceNode) else "a single value"
    raise FileError(
        "E109",
        f"the document is {found}, not a mapping",
        position=source.at(root.start),
        remedy="write `key: value` lines at the top",
    )
