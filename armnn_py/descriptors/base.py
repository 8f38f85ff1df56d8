# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What all descriptors share: fields that check themselves against their annotations."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import operator
import typing
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated, Any, ClassVar, Final

import numpy as np

from armnn_py.errors import InvalidArgumentError
from armnn_py.tensors import MAX_DIMENSIONS
from armnn_py.types import LayerType

__all__ = [
    "Axes",
    "Axis",
    "Checked",
    "Count",
    "Counts",
    "Descriptor",
    "Offset",
    "Offsets",
    "Positive",
    "Positives",
    "Range",
    "Size",
    "Sizes",
    "View",
    "fail",
    "record",
]

_U32_MAX: Final = 2**32 - 1
_I64_MAX: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Range:
    """Lowest and highest value of an integer field, both allowed."""

    low: int
    high: int


Count = Annotated[int, Range(0, _U32_MAX)]
Positive = Annotated[int, Range(1, _U32_MAX)]
Axis = Annotated[int, Range(-(2**31), 2**31 - 1)]
Offset = Annotated[int, Range(-(2**63), _I64_MAX)]
Size = Annotated[int, Range(0, _I64_MAX)]
Axes = tuple[Axis, ...]
Counts = tuple[Count, ...]
Positives = tuple[Positive, ...]
Offsets = tuple[Offset, ...]
Sizes = tuple[Size, ...]

_Class = typing.TypeVar("_Class")
_Check = Callable[[Any], Any]


def fail(descriptor: Descriptor, text: str, *, hint: str | None = None) -> typing.NoReturn:
    """Raise the error that names a descriptor."""
    raise InvalidArgumentError(
        f"{type(descriptor).__name__}: {text}", hints=[] if hint is None else [hint]
    )


def _check_int(bounds: Range, value: Any) -> int:
    if isinstance(value, (bool, np.bool_)):
        raise ValueError("an integer expected")
    number = operator.index(value)
    if not bounds.low <= number <= bounds.high:
        limit = f"at least {bounds.low}" if number < bounds.low else f"at most {bounds.high}"
        raise ValueError(f"{limit} expected")
    return number


def _check_float(value: Any) -> float:
    if isinstance(value, (bool, np.bool_, str, bytes)):
        raise ValueError("a number expected")
    try:
        return float(value)
    except OverflowError:
        raise ValueError("a smaller number expected") from None


def _check_bool(value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError("True or False expected")
    return bool(value)


def _check_enum(enum: type[IntEnum], value: Any) -> IntEnum:
    if not isinstance(value, enum):
        raise ValueError(f"a member of {enum.__name__} expected")
    return value


def _check_tuple(item: _Check, value: Any) -> tuple[Any, ...]:
    if isinstance(value, (str, bytes)):
        raise ValueError("a sequence of integers expected")
    items = tuple(item(member) for member in itertools.islice(value, MAX_DIMENSIONS + 1))
    if len(items) > MAX_DIMENSIONS:
        raise ValueError(f"at most {MAX_DIMENSIONS} values expected")
    return items


def _check_views(value: Any) -> tuple[View, ...]:
    views = []
    for view in value:
        if not isinstance(view, View):
            raise ValueError("a sequence of View expected")
        views.append(view)
    return tuple(views)


def _check_for(annotation: Any) -> _Check:
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        return functools.partial(_check_int, arguments[1])
    if origin is tuple:
        if arguments[0] is View:
            return _check_views
        return functools.partial(_check_tuple, _check_for(arguments[0]))
    if isinstance(annotation, type) and issubclass(annotation, IntEnum):
        return functools.partial(_check_enum, annotation)
    return {bool: _check_bool, float: _check_float}[annotation]


_CHECKS: dict[type, tuple[tuple[str, _Check], ...]] = {}


def _checks(cls: type) -> tuple[tuple[str, _Check], ...]:
    found = _CHECKS.get(cls)
    if found is None:
        hints = typing.get_type_hints(cls, include_extras=True)
        names = [field.name for field in dataclasses.fields(cls)]
        found = _CHECKS[cls] = tuple((name, _check_for(hints[name])) for name in names)
    return found


@typing.dataclass_transform(frozen_default=True)
def record(cls: type[_Class]) -> type[_Class]:
    """Make a dataclass that behaves as ``dataclass(frozen=True, slots=True)`` on `Checked`.

    The standard decorator compiles half a dozen methods for each class, which for fifty classes
    is a third of the package's import time; `Checked` has them once, for all.
    """
    return dataclass(slots=True, repr=False, eq=False)(cls)


def _values(record: Checked) -> tuple[Any, ...]:
    return tuple([getattr(record, name) for name, _ in _checks(type(record))])


class Checked:
    """A frozen dataclass whose fields are checked, and brought to plain Python types."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> None:
        if hasattr(self, name):  # each is set once, by the constructor or by unpickling
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return _values(self) == _values(other)

    def __hash__(self) -> int:
        return hash((type(self), _values(self)))

    def __post_init__(self) -> None:
        for name, check in _checks(type(self)):
            value = getattr(self, name)
            try:
                object.__setattr__(self, name, check(value))
            except (TypeError, ValueError) as error:
                text = str(error) if isinstance(error, ValueError) else "another type expected"
                raise InvalidArgumentError(
                    f"{type(self).__name__}: {name} {value!r} given, {text}"
                ) from None
        self._check()

    def _check(self) -> None:
        """Check fields against each other."""

    def __repr__(self) -> str:
        """Show what differs from the defaults."""
        shown = []
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if value != field.default:
                text = value.name if isinstance(value, IntEnum) else repr(value)
                shown.append(f"{field.name}={text}")
        return f"{type(self).__name__}({', '.join(shown)})"


@record
class View(Checked):
    """A box of a tensor: where it starts and how large it is, per dimension."""

    origin: Sizes = ()
    size: Sizes = ()

    def _check(self) -> None:
        if len(self.origin) != len(self.size):
            raise InvalidArgumentError(
                f"View: origin has {len(self.origin)} dimensions, size {len(self.size)}"
            )


class Descriptor(Checked):
    """Base of the parameters of a layer.

    Descriptors are frozen and compare by value. Every field has Arm NN's default and is checked
    when the descriptor is made; `InvalidArgumentError` says which is wrong. Names are those of the
    C structure, without header, counts and reserved members.
    """

    __slots__ = ()

    layer_types: ClassVar[tuple[LayerType, ...]] = ()
    """The layer types that take this descriptor."""
