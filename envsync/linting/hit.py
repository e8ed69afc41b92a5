"""Hit: what one lint rule found, before it has a place in a file."""

from __future__ import annotations

from msgspec import Struct

from envsync.contract.json_types import Pointer
from envsync.errors import Position, Problem, Severity
from envsync.linting.places import locate
from envsync.project.overlays import Layers


class Hit(Struct, frozen=True):
    """``start`` and ``end`` narrow the place to a piece of the text at ``pointer``."""

    code: str
    pointer: Pointer
    message: str
    label: str = ""
    remedy: str = ""
    text: str = ""
    start: int = 0
    end: int = 0
    on_key: bool = False
    related: tuple[tuple[Pointer, str], ...] = ()

    def problem(self, layers: Layers) -> Problem:
        return Problem(
            self.code,
            self.message,
            severity=Severity.WARNING if self.code.startswith("W") else Severity.ERROR,
            position=self._position(layers),
            label=self.label,
            remedy=self.remedy,
            related=tuple((layers.position(pointer), said) for pointer, said in self.related),
        )

    def _position(self, layers: Layers) -> Position:
        if self.end > self.start:
            return locate(layers, self.pointer, self.text, self.start, self.end)
        return layers.position(self.pointer, key=self.on_key)
