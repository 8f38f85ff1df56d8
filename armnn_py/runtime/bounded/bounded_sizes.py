# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Sizes that are known when a network runs: their bounds, and values that follow from them."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct

from armnn_py.errors import InvalidArgumentError, UnknownNameError
from armnn_py.tensors import format_shape, parse_shape

if TYPE_CHECKING:
    from armnn_py.tensors import TensorInfo

Bounds: TypeAlias = "Mapping[str, int | Sequence[int | None]]"
"""Largest sizes, by the name of a free dimension, or of all dimensions of an input by its name."""

Point: TypeAlias = tuple[int, ...]
"""A value for each size."""


class BoundedSize(Struct, frozen=True):
    """One size that only a run tells, with all dimensions of inputs that have it.

    Attributes
    ----------
    name
        For people.
    bound
        Its largest value.
    places
        Input and dimension.
    """

    name: str
    bound: int
    places: tuple[tuple[str, int], ...]


class NoRuleError(Exception):
    """A value follows from the sizes in no way that is known here."""

    def __init__(self, text: str = "it follows from the sizes in an unknown way") -> None:
        super().__init__(text)


class BoundedRefusedError(Exception):
    """One plan cannot serve all shapes; ``reasons`` say why. No user sees it.

    ``by_backends``: other backends might serve them.
    """

    def __init__(self, reasons: Sequence[str], *, by_backends: bool = False) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = tuple(reasons)
        self.by_backends = by_backends


# ---- Bounds ---------------------------------------------------------------------------------


def read_bounds(
    inputs: Mapping[str, TensorInfo], bounds: Bounds, *, what: str = "bounds"
) -> list[BoundedSize]:
    """Return the sizes of the free dimensions of inputs, each with its bound.

    Dimensions of one name are one size. ``what`` names the bounds in errors.

    Raises
    ------
    UnknownNameError
        Neither a free dimension nor an input has such a name.
    InvalidArgumentError
        A bound is not a size, does not fit its input, or is missing.
    """
    if not isinstance(bounds, Mapping):
        raise InvalidArgumentError(
            f"{what}: {type(bounds).__name__} given, a mapping of names to numbers expected",
            hints=[f"{what}={{'sequence': 128}}, or by input: {what}={{'tokens': (1, 128)}}"],
        )
    named = {name for info in inputs.values() for name in info.dimension_names if name}
    for key, value in bounds.items():
        is_number = hasattr(value, "__index__")
        if key not in (named if is_number else inputs):
            raise UnknownNameError(
                f"{what}: no free dimension is called {key!r}"
                if is_number
                else f"{what}: the network has no input {key!r}",
                name=str(key),
                valid=sorted(named) if is_number else list(inputs),
            )
    found: dict[str, BoundedSize] = {}
    for name, info in inputs.items():
        shape = _shape_bound(name, info, bounds, what)
        for axis, dim in enumerate(info.shape):
            if dim is not None:
                continue
            title = info.dimension_names[axis] if info.dimension_names else None
            label = f"{name}[{axis}]" if title is None else title
            before = found.get(label, BoundedSize(label, 0, ()))
            bound = before.bound
            by_name = bounds.get(label)
            for given in (
                _number(label, by_name, what) if hasattr(by_name, "__index__") else 0,
                shape[axis] or 0,
            ):
                if given and bound not in (0, given):
                    raise InvalidArgumentError(
                        f"{what}: '{label}' is given as {bound} and as {given}",
                        hints=["dimensions of one name have one size"],
                    )
                bound = given or bound
            found[label] = BoundedSize(label, bound, (*before.places, (name, axis)))
    for size in found.values():
        if not size.bound:
            name, axis = size.places[0]
            rank = inputs[name].rank
            by_input = ", ".join("128" if d == axis else "None" for d in range(rank))
            raise InvalidArgumentError(
                f"{what}: none for dimension '{size.name}'",
                hints=[
                    f"{what}={{{size.name!r}: 128}}"
                    if size.name in named
                    else f"{what}={{{name!r}: ({by_input}{',' * (rank == 1)})}}",
                    "load(..., shapes=...) gives a dimension one size for ever",
                ],
            )
    return list(found.values())


def _shape_bound(name: str, info: TensorInfo, bounds: Bounds, what: str) -> tuple[int | None, ...]:
    """The bounds that are given for an input by its name."""
    given = bounds.get(name)
    if given is None or hasattr(given, "__index__"):
        return (None,) * info.rank
    dims = parse_shape(given, what=f"{what} of input '{name}'")
    if len(dims) != info.rank:
        raise InvalidArgumentError(
            f"{what} of input '{name}': {len(dims)} dimensions given, {info.rank} expected"
        )
    for axis, (bound, dim) in enumerate(zip(dims, info.shape, strict=True)):
        if dim is not None and bound not in (None, dim):
            raise InvalidArgumentError(
                f"{what} of input '{name}': dimension {axis} is {bound}, but it is always {dim}"
            )
        if dim is None and bound is not None:
            _number(f"{name}[{axis}]", bound, what)
    return dims


def _number(name: str, value: Any, what: str) -> int:
    number = 0 if isinstance(value, bool) else operator.index(value)
    if number < 1:
        raise InvalidArgumentError(
            f"{what}: '{name}' is {value!r}, an int of at least 1 expected",
            hints=["load(..., shapes=...) gives a dimension one size for ever"],
        )
    return number


def read_point(sizes: Sequence[BoundedSize], shapes: Mapping[str, tuple[int, ...]]) -> Point:
    """Return the sizes that shapes of the inputs tell.

    Raises
    ------
    InvalidArgumentError
        One is above its bound, or differs between two dimensions of its name.
    """
    point = []
    for size in sizes:
        found = [(shapes[name][axis], name, axis) for name, axis in size.places]
        value, name, axis = found[0]
        for other, other_name, other_axis in found[1:]:
            if other != value:
                raise InvalidArgumentError(
                    f"input '{other_name}': dimension {other_axis} ('{size.name}') is {other}, "
                    f"{value} expected",
                    details=[f"'{size.name}' is {value} in dimension {axis} of input '{name}'"],
                    hints=["dimensions of one name have one size"],
                )
        if value > size.bound:
            raise InvalidArgumentError(
                f"input '{name}': dimension {axis} is {value}, above its bound {size.bound}",
                details=[f"given {format_shape(shapes[name])}"],
                hints=[f"load(..., bounds=...) with at least {value} for '{size.name}'"],
            )
        if size.bound == 1 and not value:
            raise InvalidArgumentError(
                f"input '{name}': dimension {axis} is 0, 1 expected, its bound"
            )
        point.append(value)
    return tuple(point)


# ---- Rules ----------------------------------------------------------------------------------


def sample_points(sizes: Sequence[BoundedSize]) -> list[Point]:
    """The bounds, and smaller sizes to compare with: each size on its own, then all of them.

    A size whose bound is 1 is always 1.
    """
    top = tuple(size.bound for size in sizes)
    points = [top]
    for index, bound in enumerate(top):
        for smaller in (bound - 1, bound // 2 + 1, 2):
            points.append((*top[:index], max(1, min(smaller, bound - 1)), *top[index + 1 :]))
    points.append(tuple(max(1, bound - 1) for bound in top))
    return list(dict.fromkeys(points))


class _Linear(Struct, frozen=True):
    """``factor * size + rest``; with ``other`` times a second size."""

    index: int
    factor: int
    rest: int
    other: int | None = None


class _Filled(Struct, frozen=True):
    """A record some of whose fields follow from the sizes."""

    kind: Any
    fields: dict[str, Any]


def find_rule(values: Sequence[Any], points: Sequence[Point]) -> Any:
    """Return a rule for `evaluate` that gives ``values[i]`` at ``points[i]``.

    The values are numbers, tuples or records; what is the same at all points is its own rule.

    Raises
    ------
    NoRuleError
        None fits.
    """
    first = values[0]
    if all(value is first or value == first for value in values[1:]):
        return first
    if any(type(value) is not type(first) for value in values):
        raise NoRuleError
    if type(first) is int:
        return _find_linear(values, points)
    if isinstance(first, tuple):
        if any(len(value) != len(first) for value in values):
            raise NoRuleError
        return tuple(find_rule(column, points) for column in zip(*values, strict=True))
    if (names := _made_of(first)) is not None:
        return _Filled(
            type(first),
            {name: find_rule([getattr(value, name) for value in values], points) for name in names},
        )
    raise NoRuleError


def _made_of(value: object) -> Sequence[str] | None:
    """Return the arguments that make a record, None for another value."""
    if isinstance(value, Struct):
        return value.__struct_fields__
    if dataclasses.is_dataclass(value):
        return [field.name for field in dataclasses.fields(value) if field.init]
    return None


def _find_linear(values: Sequence[int], points: Sequence[Point]) -> _Linear:
    count = len(points[0])
    for index in range(count):
        pairs = {point[index]: value for point, value in zip(points, values, strict=True)}
        if len(pairs) < 2:
            continue
        (x0, y0), (x1, y1) = list(pairs.items())[:2]
        factor, remainder = divmod(y1 - y0, x1 - x0)
        rule = _Linear(index, factor, y0 - factor * x0)
        if not remainder and _fits(rule, values, points):
            return rule
    for index in range(count):
        for other in range(index + 1, count):
            factor, remainder = divmod(values[0], points[0][index] * points[0][other])
            rule = _Linear(index, factor, 0, other)
            if not remainder and _fits(rule, values, points):
                return rule
    raise NoRuleError


def _fits(rule: _Linear, values: Sequence[int], points: Sequence[Point]) -> bool:
    return all(evaluate(rule, p) == value for p, value in zip(points, values, strict=True))


def evaluate(rule: Any, point: Point) -> Any:
    """Return the value of a rule of `find_rule` for these sizes."""
    if type(rule) is _Linear:
        size = point[rule.index]
        if rule.other is not None:
            size *= point[rule.other]
        return rule.factor * size + rule.rest
    if type(rule) is tuple:
        return tuple([evaluate(item, point) for item in rule])
    if type(rule) is _Filled:
        return rule.kind(**{name: evaluate(item, point) for name, item in rule.fields.items()})
    return rule
