# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operators of ai.onnx.ml for categories: LabelEncoder, CategoryMapper and OneHotEncoder.

Between numbers they are layers. Strings are looked up by numpy, at import or between stages.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from msgspec import Struct

from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import Array, Known, Unsupported, Value, dtype_of
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import MACHINE_LEARNING, operator
from armnn_py.frontends.onnx.file.element_types import is_string, name_of
from armnn_py.types import (
    BinaryOperation,
    ComparisonOperation,
    LogicalBinaryOperation,
    ReduceOperation,
)

_NO_STRING = "_Unused"


# ---- LabelEncoder --------------------------------------------------------------------------------


@operator("LabelEncoder", domain=MACHINE_LEARNING)
def _first_label_encoder(view: NodeView) -> Value:
    """Version 1: strings and the numbers of their places, in either direction."""

    def read() -> tuple[list[str], list[int]]:
        classes = view.texts("classes_strings")
        if not classes:
            raise ParseError("attribute 'classes_strings' is missing")
        return classes, list(range(len(classes)))

    return _of_strings_and_integers(view, read)


@operator("LabelEncoder", since=2, domain=MACHINE_LEARNING)
def _label_encoder(view: NodeView) -> Value:
    """The place of the key that an element equals, counted from 1, picks a value.

    NaN is a key like others since version 4; before, it equals none.
    """
    emit, x = view.emit, view.value(0)
    table = view.once(lambda: _Table.of(view, _column(view, "keys"), _column(view, "values")))
    keys, default, values = table.keys, table.column[:1], table.column[1:]
    if keys.dtype != dtype_of(x):  # in another type two of them may be one
        of_keys, given = name_of(keys.dtype), name_of(dtype_of(x))
        raise ParseError(f"the keys are {of_keys}, but the input is {given}")
    if is_string(keys.dtype) or is_string(values.dtype):
        return table.looked_up(view)
    keys, first = np.unique(keys, return_index=True)  # of equal keys the first holds
    chosen = Known(np.concatenate([default, values[first]]))
    wide = emit.reshape(x, (*view.shape(0), 1), "wide")
    equal = emit.compare(ComparisonOperation.EQUAL, wide, Known(keys), "equal")
    if view.version >= 4 and dtype_of(x).kind == "f" and np.isnan(keys).any():
        is_nan = emit.compare(ComparisonOperation.NOT_EQUAL, wide, wide, "is_nan")
        both = emit.logical(LogicalBinaryOperation.AND, is_nan, Known(np.isnan(keys)), "both_nan")
        equal = emit.logical(LogicalBinaryOperation.OR, equal, both, "same")
    number = Known(np.arange(1, len(keys) + 1, dtype=np.int32))
    places = emit.binary(BinaryOperation.MUL, emit.cast(equal, np.int32, "hit"), number, "places")
    place = emit.reduce(ReduceOperation.SUM, places, (view.rank(0),), False, "place")
    return emit.gather(chosen, place, 0)


class _Table(Struct, frozen=True):
    """Values of keys; the column has the value of what equals no key before them."""

    keys: Array
    places: dict[Any, int]
    """Where in the column the value of a key is, the first of equal ones."""
    column: Array

    @classmethod
    def of(cls, view: NodeView, keys: Array, values: Array) -> _Table:
        """Return the table of a node, with the default in its attributes."""
        if len(keys) != len(values):
            raise ParseError(f"the node has {len(keys)} keys, but {len(values)} values")
        column = np.concatenate([_default(view, values.dtype), values])
        found = zip(map(_key, keys[::-1].tolist()), range(len(keys), 0, -1), strict=True)
        places = dict(found)
        if view.version < 4:
            places.pop(_NAN, None)
        return cls(keys, places, column)

    def looked_up(self, view: NodeView) -> Known:
        """Return the value of each element's key."""
        x = view.constant(0, "elements")
        elements = x.reshape(-1).tolist()
        if x.dtype.kind not in "Oiu":
            elements = list(map(_key, elements))
        found = np.array([self.places.get(one, 0) for one in elements], np.intp)
        return Known(self.column[found].reshape(x.shape))


_NAN = ("NaN",)


def _key(value: Any) -> Any:
    return _NAN if value != value else value


def _column(view: NodeView, what: str) -> Array:
    """Return keys or values, in whichever attribute they are."""
    integers, floats = view.ints(f"{what}_int64s"), view.floats(f"{what}_floats")
    texts, tensor = view.texts(f"{what}_strings"), view.tensor(f"{what}_tensor")
    given: list[Any] = [one for one in (integers, floats, texts, tensor) if one is not None]
    if len(given) != 1 or not np.size(given[0]):
        raise ParseError(f"{len(given)} attributes have {what}, expected one")
    if tensor is not None:
        return tensor.reshape(-1)
    if texts is not None:
        return np.array(texts, object)
    return np.array(given[0], np.int64 if integers is not None else np.float32)


def _default(view: NodeView, dtype: np.dtype[Any]) -> Array:
    """Return the value of what equals no key, as an array of one."""
    tensor = view.tensor("default_tensor")
    if tensor is not None:
        if tensor.size != 1:
            raise ParseError(
                f"attribute 'default_tensor' has shape {tensor.shape}, expected one element"
            )
        if tensor.dtype != dtype:
            raise ParseError(
                f"attribute 'default_tensor' holds {name_of(tensor.dtype)}, but the values are "
                f"{name_of(dtype)}"
            )
        return tensor.reshape(1)
    if is_string(dtype):
        return np.array([view.text("default_string", _NO_STRING)], dtype)
    if dtype.kind == "f":
        return np.array([view.number("default_float", -0.0)], dtype)
    return np.array([view.integer("default_int64", -1)], dtype)


# ---- CategoryMapper ------------------------------------------------------------------------------


@operator("CategoryMapper", domain=MACHINE_LEARNING)
def _category_mapper(view: NodeView) -> Value:
    def read() -> tuple[list[str], list[int]]:
        texts, integers = view.texts("cats_strings") or [], view.ints("cats_int64s") or []
        if len(texts) != len(integers) or not texts:
            raise ParseError(
                f"the node has {len(texts)} strings and {len(integers)} integers, expected as many "
                "of each, and at least one"
            )
        return texts, integers

    return _of_strings_and_integers(view, read)


def _of_strings_and_integers(
    view: NodeView, read: Callable[[], tuple[list[str], list[int]]]
) -> Known:
    """Return the integers of strings, or the strings of integers; of equal ones the last holds."""

    def make() -> _Table:
        texts, integers = read()
        columns = np.array(texts[::-1], object), np.array(integers[::-1], np.int64)
        return _Table.of(view, *(columns if is_string(view.dtype(0)) else columns[::-1]))

    if not is_string(view.dtype(0)) and view.dtype(0) != np.int64:
        raise ParseError(f"the input is {view.dtype(0)}, expected string or int64")
    return view.once(make).looked_up(view)


# ---- OneHotEncoder -------------------------------------------------------------------------------


@operator("OneHotEncoder", domain=MACHINE_LEARNING)
def _one_hot_encoder(view: NodeView) -> Value:
    """Numbers are made integers and compared with each category; strings are looked up before.

    Of equal categories the last holds.
    """
    emit, categories = view.emit, view.ints("cats_int64s")
    if view.texts("cats_strings"):  # `ml_strings` leaves none of the others
        raise ParseError("the node has both 'cats_strings' and 'cats_int64s', expected one")
    if not categories:
        raise ParseError("attribute 'cats_int64s' is missing")
    if not view.integer("zeros", 1):
        raise Unsupported("zeros=0, which makes a run fail for an unknown category")
    x = emit.cast(view.value(0), np.int64, "whole")
    wide = emit.reshape(x, (*view.shape(0), 1), "wide")
    known = Known(np.array(categories, np.int64))
    equal = emit.compare(ComparisonOperation.EQUAL, wide, known, "equal")
    last = {category: place for place, category in enumerate(categories)}
    if len(last) < len(categories):
        holds = np.isin(np.arange(len(categories)), list(last.values()))
        equal = emit.logical(LogicalBinaryOperation.AND, equal, Known(holds), "last")
    return emit.cast(equal, np.float32)
