"""Changes of a person's file: only the bytes of what is meant change, and that is proved.

A file is never written from its data: comments, order, quotes, line ends and layout are the
person's. Every change is spliced into the text, the text is read again, and unless exactly the
intended paths differ the change is refused, with the place to edit by hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from msgspec import Struct

from envsync.contract.json_types import Json, Pointer, dotted
from envsync.documents.document import Document, compose_mapping
from envsync.documents.nodes import (
    AliasNode,
    Data,
    MappingNode,
    Node,
    SequenceNode,
    data_of,
    resolved,
)
from envsync.documents.phrasing import Phrasing
from envsync.documents.splicing import NotSpliceableError, Splicer
from envsync.documents.text import SourceText
from envsync.errors import FileError


class Set(Struct, frozen=True):
    """Write ``value`` at ``pointer``: over what is there, as a new key (missing parents are made),
    or, with the length of a list as the last part, behind its last item."""

    pointer: Pointer
    value: Json


class Remove(Struct, frozen=True):
    """Take away what stands at ``pointer``. What is not there is an error."""

    pointer: Pointer


class Insert(Struct, frozen=True):
    """A new item of a list, before the one that stands at ``pointer``, or behind the last one."""

    pointer: Pointer
    value: Json


Edit = Set | Remove | Insert


def splice(document: Document, edits: Sequence[Edit]) -> bytes:
    """The bytes of ``document`` after ``edits``, carried out one after the other.

    Anchors and aliases stay: where an anchored value changes and its aliases are to change alike,
    only the text at the anchor does. Raises FileError (E122) when a change can't be spliced in, or
    when an alias would change that shall not; nothing was changed then.
    """
    source, root = document.tree()
    intended = _data(root)
    for edit in edits:
        for step in _steps(intended, edit):
            _intend(document, intended, step)
        for step in _steps(_data(root), edit):
            source, root = _carry_out(document, source, root, step)
    if "*" in source.text and not identical(_data(root), intended):
        raise _shared(document, _data(root), intended)
    return source.encode()


def _intend(document: Document, data: dict[str, Data], step: Edit) -> None:
    try:
        _apply(data, step)
    except NotSpliceableError as error:
        raise _refused(document, step.pointer, str(error)) from None


def _carry_out(
    document: Document, source: SourceText, root: MappingNode, step: Edit
) -> tuple[SourceText, MappingNode]:
    expected = _written(root)
    orphaned = False
    try:
        _apply(expected, step)
        for text in _texts(Splicer(source, root, _phrasing(source, root)), step):
            changed = SourceText(source.path, text, source.has_bom)
            try:
                new_root = compose_mapping(changed)
            except FileError as error:
                orphaned = orphaned or error.code == "E119"
                continue
            if identical(_written(new_root), expected):
                return changed, new_root
        reason = "its layout is one that cannot be changed without touching something else"
        if orphaned:
            reason = "an alias elsewhere needs the anchor that would go with it"
    except (NotSpliceableError, ValueError) as error:
        reason = str(error)
    raise _refused(document, step.pointer, reason)


def _refused(document: Document, pointer: Pointer, reason: str) -> FileError:
    return FileError(
        "E122",
        f"`{dotted(pointer)}` cannot be edited in place: {reason}",
        position=document.position(pointer),
        remedy="edit the file by hand",
    )


def _shared(document: Document, found: Data, intended: Data) -> FileError:
    """An anchored value was changed, and the alias that would change with it shall not."""
    pointer = _first_difference((), found, intended)
    return _refused(document, pointer, "an alias stands there, and would change with its anchor")


def _first_difference(pointer: Pointer, one: Data, other: Data) -> Pointer:
    if isinstance(one, dict) and isinstance(other, dict):
        for name in one:
            if name not in other or not identical(one[name], other[name]):
                return _first_difference((*pointer, name), one[name], other.get(name))
    elif isinstance(one, list) and isinstance(other, list):
        for index, (mine, theirs) in enumerate(zip(one, other, strict=False)):
            if not identical(mine, theirs):
                return _first_difference((*pointer, index), mine, theirs)
    return pointer


# -- what an edit means ------------------------------------------------------------------------


def _steps(data: Data, edit: Edit) -> list[Edit]:
    """The smallest changes that together do what ``edit`` says."""
    if not isinstance(edit, Set):
        return [edit]
    value: Json = edit.value
    pointer = edit.pointer
    while pointer and isinstance(pointer[-1], str) and _missing(data, pointer[:-1]):
        value = {pointer[-1]: value}
        pointer = pointer[:-1]
    found = _value(data, pointer)
    if found is _NOTHING:
        return [Set(pointer, value)]
    return list(_difference(pointer, cast("Json", found), value))


def _difference(pointer: Pointer, old: Json, new: Json) -> Iterator[Edit]:
    if identical(old, new):
        return
    if isinstance(old, Mapping) and isinstance(new, Mapping) and old and (new or not pointer):
        kept = [name for name in old if name in new]
        for name in kept:
            yield from _difference((*pointer, name), old[name], new[name])
        # New ones come before old ones go, so that a mapping is never empty in between.
        yield from (Set((*pointer, name), new[name]) for name in new if name not in old)
        yield from (Remove((*pointer, name)) for name in old if name not in new)
    elif _is_list(old) and _is_list(new) and old and new:
        yield from _list_difference(
            pointer, cast("Sequence[Json]", old), cast("Sequence[Json]", new)
        )
    else:
        yield Set(pointer, new)


def _list_difference(pointer: Pointer, old: Sequence[Json], new: Sequence[Json]) -> Iterator[Edit]:
    shorter = min(len(old), len(new))
    head = 0
    while head < shorter and identical(old[head], new[head]):
        head += 1
    tail = 0
    while tail < shorter - head and identical(old[-1 - tail], new[-1 - tail]):
        tail += 1
    for index in range(head, shorter - tail):
        yield from _difference((*pointer, index), old[index], new[index])
    for index in range(shorter - tail, len(new) - tail):
        yield Insert((*pointer, index), new[index])
    for index in reversed(range(shorter - tail, len(old) - tail)):
        yield Remove((*pointer, index))


_NOTHING = object()


def _value(data: Data, pointer: Pointer) -> object:
    node: object = data
    for part in pointer:
        if isinstance(node, dict):
            node = node.get(part, _NOTHING)
        elif isinstance(node, list) and isinstance(part, int) and 0 <= part < len(node):
            node = node[part]
        else:
            return _NOTHING
    return node


def _missing(data: Data, pointer: Pointer) -> bool:
    """Whether a mapping must be made at ``pointer``: nothing is there, or `key:` without value."""
    return bool(pointer) and _value(data, pointer) in (_NOTHING, None)


def _apply(data: dict[str, Data], step: Edit) -> None:
    """Does to plain data what is to be done to the file."""
    if not step.pointer:
        raise NotSpliceableError("it is the whole document")
    _require_no_alias(data, step.pointer[:-1])
    parent, last = _value(data, step.pointer[:-1]), step.pointer[-1]
    if isinstance(parent, dict) and isinstance(last, str) and not isinstance(step, Insert):
        if isinstance(step, Remove):
            if last not in parent:
                raise NotSpliceableError("it is not there")
            del parent[last]
        else:
            parent[last] = _plain(step.value)
    elif isinstance(parent, list) and isinstance(last, int):
        new = isinstance(step, Insert) or (isinstance(step, Set) and last == len(parent))
        if not 0 <= last < len(parent) + new:
            raise NotSpliceableError(f"the list has {len(parent)} items")
        if isinstance(step, Remove):
            del parent[last]
        elif new:
            parent.insert(last, _plain(step.value))
        else:
            parent[last] = _plain(step.value)
    else:
        raise NotSpliceableError("what holds it is neither a mapping nor a list of that kind")


def _require_no_alias(data: Data, pointer: Pointer) -> None:
    node: object = data
    for part in pointer:
        if isinstance(node, dict) and isinstance(part, str):
            node = node.get(part)
        elif isinstance(node, list) and isinstance(part, int) and 0 <= part < len(node):
            node = node[part]
        if isinstance(node, _Alias):
            raise NotSpliceableError(f"the alias `*{node.name}` stands above it")


def _plain(value: Json) -> Data:
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(one) for one in value]
    return value


# -- the texts that may say it -----------------------------------------------------------------


def _texts(splicer: Splicer, step: Edit) -> Iterator[str]:
    found = splicer.find(step.pointer)
    if isinstance(step, Remove):
        assert found is not None
        assert found.parent is not None
        if not found.parent.flow and _length(found.parent) == 1:
            yield from _emptied(splicer, step.pointer[:-1])
        else:
            yield from splicer.remove(found)
        return
    if found is not None and isinstance(step, Set):
        yield from splicer.replace(found, step.value)
        return
    holder = splicer.find(step.pointer[:-1])
    assert holder is not None
    last = step.pointer[-1]
    node = holder.node
    if not isinstance(node, MappingNode | SequenceNode):
        raise NotSpliceableError("an alias stands in its place")
    if holder.parent is not None and not holder.parent.flow and not _length(node):
        # `[]` and `{}` are only the spelling of nothing: what fills them is written below.
        yield from splicer.replace(
            holder, [step.value] if isinstance(last, int) else {last: step.value}
        )
    if isinstance(node, MappingNode):
        yield from splicer.add_entry(node, str(last), step.value)
    elif isinstance(last, int):
        yield from splicer.insert_item(node, last, step.value)


def _emptied(splicer: Splicer, pointer: Pointer) -> Iterator[str]:
    """A block collection without entries is written in brackets."""
    holder = splicer.find(pointer)
    assert holder is not None
    if holder.parent is not None:
        empty: Json = {} if isinstance(holder.node, MappingNode) else []
        yield from splicer.replace(holder, empty)
    else:
        node = holder.node
        yield splicer.text[: node.start] + "{}" + splicer.text[node.end :]


def _phrasing(source: SourceText, root: MappingNode) -> Phrasing:
    """How the file is indented, as far as it shows."""
    steps: list[int] = []
    offsets: list[int] = []
    _measure(source, root, steps, offsets)
    step = steps[0] if steps else 2
    return Phrasing(
        is_json=source.path.endswith(".json"),
        step=step,
        list_offset=offsets[0] if offsets else step,
    )


def _measure(source: SourceText, node: Node, steps: list[int], offsets: list[int]) -> None:
    if isinstance(node, SequenceNode):
        for item in node.items:
            _measure(source, item, steps, offsets)
    elif isinstance(node, MappingNode) and not node.flow:
        for key, value in node.entries.values():
            if isinstance(value, MappingNode | SequenceNode) and not value.flow:
                found = offsets if isinstance(value, SequenceNode) else steps
                found.append(source.column(value.start) - source.column(key.start))
                _measure(source, value, steps, offsets)


# -- equality ----------------------------------------------------------------------------------


def identical(one: object, other: object) -> bool:
    """Equal in value and in type: ``1``, ``1.0`` and ``true`` are three values."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(
            identical(value, other[name]) for name, value in one.items()
        )
    if _is_list(one) and _is_list(other):
        ones, others = cast("Sequence[object]", one), cast("Sequence[object]", other)
        return len(ones) == len(others) and all(map(identical, ones, others))
    return type(one) is type(other) and one == other


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _length(node: MappingNode | SequenceNode) -> int:
    return len(node.items) if isinstance(node, SequenceNode) else len(node.entries)


class _Alias(Struct, frozen=True):
    """Stands for what an alias says, where only the text counts."""

    name: str


def _written(root: Node) -> dict[str, Data]:
    """As ``_data``, but an alias counts as what is written: its name."""

    def of(node: Node) -> object:
        if isinstance(node, AliasNode):
            return _Alias(node.name)
        if isinstance(node, MappingNode):
            return {name: of(value) for name, (_, value) in node.entries.items()}
        if isinstance(node, SequenceNode):
            return [of(item) for item in node.items]
        return node.value

    return cast("dict[str, Data]", of(root))


def _data(root: Node) -> dict[str, Data]:
    return cast("dict[str, Data]", data_of(resolved(root)))
