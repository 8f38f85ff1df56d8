# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The base of all descriptors: fields that check themselves against their annotations."""

from __future__ import annotations

import copy
import functools
import itertools
import sys
import typing
from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Annotated, Any, ClassVar, Final, Literal, TypeVar

import numpy as np
from msgspec import Struct, structs

from armnn_py.descriptors.attributes import Attribute, Attributes, check_attributes
from armnn_py.errors import InvalidArgumentError
from armnn_py.symbolic import SymbolicSize, as_size
from armnn_py.tensors import MAX_DIMENSIONS
from armnn_py.types import LayerType, Rescaling

__all__ = [
    "Attributes",
    "Axes",
    "Axis",
    "Checked",
    "Count",
    "Counts",
    "Descriptor",
    "Offset",
    "Offsets",
    "OptionalDim",
    "Positive",
    "Positives",
    "Range",
    "Size",
    "Sizes",
    "View",
    "Views",
    "fail",
    "has_rescaling",
    "plain_descriptor",
    "with_rescaling",
]

_U32_MAX: Final = 2**32 - 1
_I64_MAX: Final = 2**63 - 1


class Range(Struct, frozen=True):
    """Lowest and highest value of an integer field, both allowed."""

    low: int
    high: int


Count = Annotated[int, Range(0, _U32_MAX)]
Positive = Annotated[int, Range(1, _U32_MAX)]
Axis = Annotated[int, Range(-(2**31), 2**31 - 1)]
OptionalDim = Annotated[int, Range(-1, 2**31 - 1)]
Offset = Annotated[int, Range(-(2**63), _I64_MAX)]
Size = Annotated[int, Range(0, _I64_MAX)]
Axes = tuple[Axis, ...]
Counts = tuple[Count, ...]
Positives = tuple[Positive, ...]
Offsets = tuple[Offset, ...]
Sizes = tuple[Size, ...]

_Check = Callable[[Any], Any]


def fail(descriptor: Descriptor, text: str, *, hint: str | None = None) -> typing.NoReturn:
    """Raise the error that names a descriptor."""
    raise InvalidArgumentError(
        f"{type(descriptor).__name__}: {text}", hints=[] if hint is None else [hint]
    )


def _check_int(bounds: Range, value: Any) -> int:
    if isinstance(value, (bool, np.bool_)):
        raise ValueError("an integer expected")
    number = as_size(value)
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


def _check_text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("a text expected")
    return value


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
        if arguments[0] is Attribute:
            return check_attributes
        return functools.partial(_check_tuple, _check_for(arguments[0]))
    if isinstance(annotation, type) and issubclass(annotation, IntEnum):
        return functools.partial(_check_enum, annotation)
    return {bool: _check_bool, float: _check_float, str: _check_text}[annotation]


@functools.cache
def _check_named(module: str, annotation: str) -> _Check:
    """Return the check for an annotation: a few words of few modules are those of all fields."""
    return _check_for(eval(annotation, vars(sys.modules[module])))  # our own text


@functools.cache
def _checked_fields(cls: type[Struct]) -> dict[str, tuple[_Check, Any]]:
    """Return check and default of each field."""
    names = {name: str(cls.__annotations__[name]) for name in cls.__struct_fields__}
    defaults = defaults_of(cls)
    return {
        name: (_check_named(cls.__module__, annotation), defaults[name])
        for name, annotation in names.items()
    }


def defaults_of(cls: type[Struct]) -> dict[str, Any]:
    """Return the default of each field of a checked struct."""
    return dict(zip(cls.__struct_fields__, cls.__struct_defaults__, strict=True))


class Checked(Struct, frozen=True):
    """Base of frozen structs that check their fields and make them plain Python types."""

    def __post_init__(self) -> None:
        kind: type = type(self)
        for name, (check, _) in _checked_fields(kind).items():
            value = getattr(self, name)
            try:
                structs.force_setattr(self, name, check(value))
            except (TypeError, ValueError) as error:
                text = str(error) if isinstance(error, ValueError) else "another type expected"
                raise InvalidArgumentError(
                    f"{kind.__name__}: {name} {value!r} given, {text}"
                ) from None
        self._check()

    def _check(self) -> None:
        """Check fields against each other."""

    def __repr__(self) -> str:
        """Show the fields that differ from their defaults."""
        shown = []
        for name, default in defaults_of(type(self)).items():
            value = getattr(self, name)
            if value != default:
                text = value.name if isinstance(value, IntEnum) else repr(value)
                shown.append(f"{name}={text}")
        return f"{type(self).__name__}({', '.join(shown)})"


class View(Checked, frozen=True):
    """A box of a tensor: where it starts and how large it is, per dimension."""

    origin: Sizes = ()
    size: Sizes = ()

    def _check(self) -> None:
        if len(self.origin) != len(self.size):
            raise InvalidArgumentError(
                f"View: origin has {len(self.origin)} dimensions, size {len(self.size)}"
            )


Views = tuple[View, ...]


Role = Literal["axis", "optional_axis", "axes", "each", "mask", "views"]
"""What a field says of dimensions: it names one (which may be none), or several, has a value or a
bit for each, or is a list of boxes."""


class Descriptor(Checked, frozen=True):
    """Base of the parameters of a layer.

    Descriptors are frozen and compare by value. Every field has Arm NN's default and is checked
    when the descriptor is made; `InvalidArgumentError` says which is wrong. Names are those of the
    C structure, without header, counts and reserved members.
    """

    layer_types: ClassVar[tuple[LayerType, ...]] = ()
    """The layer types that take this descriptor."""
    length_member: ClassVar[str] = ""
    """The member of the C structure that says how many values its arrays have."""
    since: ClassVar[dict[str, int]] = {}
    """The minor version of the backend API that brought a field, if not the first."""
    must_understand: ClassVar[dict[str, int]] = {}
    """The bit in ``fields_used`` of a field that changes results and came later."""
    roles: ClassVar[dict[str, Role]] = {}
    """Fields that speak of dimensions."""

    @property
    def fields_used(self) -> int:
        """The bits of the fields that must be understood and are not at their default."""
        if not self.must_understand:
            return 0
        kind: type = type(self)
        defaults = _checked_fields(kind)
        return sum(
            bit
            for name, bit in self.must_understand.items()
            if getattr(self, name) != defaults[name][1]
        )


_C = TypeVar("_C", bound=Checked)


def plain_descriptor(
    descriptor: Descriptor | None, numbers: Sequence[int] | None = None
) -> Descriptor | None:
    """Return a descriptor with numbers for symbolic sizes; itself if it has none.

    ``numbers`` are those of all sizes of a trace; without them each size is as in the trace. The
    trace has recorded that they are valid, so that nothing is checked again.
    """
    return None if descriptor is None else _plain(descriptor, numbers)


def _plain(record: _C, numbers: Sequence[int] | None) -> _C:
    changed: dict[str, object] = {}
    for name in record.__struct_fields__:
        value = getattr(record, name)
        if type(value) is SymbolicSize:
            changed[name] = value.number if numbers is None else numbers[value.index]
        elif type(value) is tuple:
            items = tuple([_plain_item(item, numbers) for item in value])
            if any(new is not old for new, old in zip(items, value, strict=True)):
                changed[name] = items
    if not changed:
        return record
    new = copy.copy(record)
    for name, value in changed.items():
        structs.force_setattr(new, name, value)
    return new


def _plain_item(item: object, numbers: Sequence[int] | None) -> object:
    if type(item) is SymbolicSize:
        return item.number if numbers is None else numbers[item.index]
    return _plain(item, numbers) if type(item) is View else item


def has_rescaling(descriptor: Descriptor | None) -> bool:
    """Whether layers of the descriptor have more than one arithmetic for quantised numbers."""
    return hasattr(descriptor, "rescaling")


def with_rescaling(descriptor: Descriptor | None, rescaling: Rescaling) -> Descriptor | None:
    """Return the descriptor with another rescaling; one without the field as it is."""
    if descriptor is None or not has_rescaling(descriptor):
        return descriptor
    changed: Descriptor = structs.replace(descriptor, rescaling=rescaling)
    return changed
