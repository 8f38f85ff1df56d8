# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Records: the small classes of named fields that parts of this package hand to each other.

``dataclass(frozen=True, slots=True)`` compiles half a dozen methods for each class. For all classes
of this package that was a third of its import time. A record has at most its constructor compiled,
and shares the other methods with all others.
"""

from __future__ import annotations

import dataclasses
import operator
import typing
from typing import Any

__all__ = ["Frozen", "record"]

_Class = typing.TypeVar("_Class")


@typing.dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field,))
def record(cls: type[_Class]) -> type[_Class]:
    """Make a dataclass with slots, compared and hashed by value.

    It is frozen for the type checker alone, unless it is a `Frozen`. Methods that the class has, or
    a base class, are not replaced.
    """
    has_init = cls.__init__ is not object.__init__
    made = dataclasses.dataclass(slots=True, init=not has_init, repr=False, eq=False)(cls)
    names = [field.name for field in dataclasses.fields(made)]  # type: ignore[arg-type]
    made._values_of = operator.attrgetter(*names)  # type: ignore[attr-defined]
    for name, method in _SHARED.items():
        if getattr(made, name) is getattr(object, name):
            setattr(made, name, method)
    return made


class Frozen:
    """Base of records that are frozen at run time too, as those are that users get."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> None:
        if hasattr(self, name):  # each is set once, by the constructor or by unpickling
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _equals(self: Any, other: Any) -> Any:
    if type(other) is not type(self):
        return NotImplemented
    return self._values_of(self) == self._values_of(other)


def _hash(self: Any) -> int:
    return hash((type(self), self._values_of(self)))


def _repr(self: Any) -> str:
    fields = dataclasses.fields(self)
    shown = ", ".join(f"{field.name}={getattr(self, field.name)!r}" for field in fields)
    return f"{type(self).__qualname__}({shown})"


_SHARED: dict[str, Any] = {"__eq__": _equals, "__hash__": _hash, "__repr__": _repr}
