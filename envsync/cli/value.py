"""Frozen values for what ``envsync --help`` reads, without the weight of ``dataclasses``.

Type checkers see ``dataclasses.dataclass`` itself; at run time a few lines do what the table of
commands needs of it. Importing the real one costs more than a bare interpreter does.
"""

from __future__ import annotations

TYPE_CHECKING = False
"""As ``typing.TYPE_CHECKING``, which costs an import: type checkers know the name."""

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import replace as replace
else:

    def dataclass(*, frozen):
        """``dataclasses.dataclass(frozen=True)``: constructor, equality, hash and ``repr``."""
        assert frozen
        return _with_methods

    def replace(value, **changes):
        """``dataclasses.replace``."""
        return type(value)(**{name: getattr(value, name) for name in value.FIELDS} | changes)

    def _with_methods(cls):
        cls.FIELDS = tuple(cls.__annotations__)
        cls.DEFAULTS = {name: vars(cls)[name] for name in cls.FIELDS if name in vars(cls)}
        cls.__init__ = _init
        cls.__setattr__ = _refuse
        cls.__eq__ = lambda self, other: type(self) is type(other) and _all(self) == _all(other)
        cls.__hash__ = lambda self: hash(_all(self))
        cls.__repr__ = lambda self: f"{type(self).__name__}{_all(self)}"
        return cls

    def _all(value):
        return tuple(getattr(value, name) for name in value.FIELDS)

    def _init(self, *values, **named):
        given = dict(zip(self.FIELDS, values, strict=False)) | named
        if len(values) + len(named) != len(given) or given.keys() - set(self.FIELDS):
            raise TypeError(f"{type(self).__name__} has the fields {', '.join(self.FIELDS)}")
        for name in self.FIELDS:
            if name not in given and name not in self.DEFAULTS:
                raise TypeError(f"{type(self).__name__} needs {name}")
            object.__setattr__(self, name, given.get(name, self.DEFAULTS.get(name)))

    def _refuse(self, name, _value):
        raise AttributeError(f"{type(self).__name__}.{name} cannot be changed")
