# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Which operators read and make strings, and what their outputs are.

No layer does: such a node is computed by numpy between two stages, by the converter that computes
it from weights as well. Strings that no run gives are known at import. The rules of types and
shapes are those of the ONNX operator specification; None is a size that data decide.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeAlias

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.axes import normal_axis
from armnn_py.frontends.common.values import (
    Known,
    StringInput,
    Unsupported,
    broadcast_shapes,
    dtype_of,
    shape_of,
)
from armnn_py.frontends.onnx.convert.sequence import TensorList
from armnn_py.frontends.onnx.file.element_types import (
    STRING_NUMBER,
    is_string,
    name_of,
    of_any_number,
)
from armnn_py.frontends.onnx.file.graph_node import Node
from armnn_py.tensors import MAX_DIMENSIONS, StringInfo

Sizes: TypeAlias = "tuple[int | None, ...]"
StringOutputs: TypeAlias = "list[tuple[np.dtype[Any], Sizes]]"
"""Types and shapes of the outputs of a node."""
Operands: TypeAlias = "Sequence[Any]"
Rule: TypeAlias = "Callable[[Node, Operands], StringOutputs]"

_STRING, _FLAG = np.dtype(object), np.dtype(np.bool_)
_COUNT, _REAL = np.dtype(np.int64), np.dtype(np.float32)
_ML = "ai.onnx.ml"


BODIES_OF_STRINGS = frozenset({"If", "Loop", "Scan"})
"""Operators whose bodies may read strings: such a node runs by itself."""


def is_of_strings(value: Any) -> bool:
    """Return whether a value of the conversion is a tensor of strings."""
    return is_given(value) or (isinstance(value, Known) and is_string(value.dtype))


def is_given(value: Any) -> bool:
    """Return whether a value is strings that are there when the network runs."""
    return type(value) is StringInput


def touches_strings(node: Node, values: Operands) -> bool:
    """Return whether a node reads strings, or makes some of numbers."""
    for value in values:
        if value is not None and is_of_strings(value):
            return True
    key = node.op_type
    if key == "Cast":
        return node.attributes.get("to") == STRING_NUMBER and not node.domain
    if node.domain != _ML:
        return False
    return key == "CategoryMapper" or (
        key == "LabelEncoder" and is_string(_encoded(node.attributes, "values"))
    )


def check_strings(node: Node, function: object = None) -> None:
    """Raise `Unsupported` unless a node is one of those that can read strings.

    One that calls a ``function`` can.
    """
    if (node.domain, node.op_type) in _RULES or function is not None:
        return
    if node.domain or node.op_type not in BODIES_OF_STRINGS:
        raise Unsupported("strings as operands")


def differ_by_run(node: Node, values: Operands, static: Collection[str]) -> bool:
    """Return whether operands of a node may be others in another run of the network.

    They are strings that a run gives, or known for the shapes of one conversion only: what is made
    of these is for all shapes. ``static`` are the names of what depends on weights alone.
    """
    return any(map(is_given, values)) or not all(not name or name in static for name in node.inputs)


def outputs_of_strings(node: Node, values: Operands) -> StringOutputs:
    """Return types and shapes of the outputs of a node that reads or makes strings.

    Raises
    ------
    Unsupported
        The node is not one of those, or reads a sequence.
    ParseError
        Operands or attributes do not fit.
    """
    check_strings(node)
    if any(isinstance(value, TensorList) for value in values):
        raise Unsupported("a sequence as an operand")
    if not values or values[0] is None:
        raise ParseError("input 0 is missing")
    try:
        return _RULES[node.domain, node.op_type](node, values)
    except (ValueError, IndexError, TypeError, AttributeError) as error:
        raise ParseError(str(error).splitlines()[0] if str(error) else "damaged") from error


def inputs_of(found: StringOutputs) -> list[StringInput | None]:
    """Return what readers of the outputs are given where all sizes of strings are known."""
    return [
        StringInput(StringInfo(sizes)) if is_string(dtype) and None not in sizes else None
        for dtype, sizes in found
    ]


# ---- Rules ---------------------------------------------------------------------------------------


def _all_free(rank: int) -> Sizes:
    """Return free sizes; a rank may come from the number of elements of an operand."""
    if rank > MAX_DIMENSIONS:
        raise ParseError(f"the result has {rank} dimensions, at most {MAX_DIMENSIONS} are possible")
    return (None,) * rank


def _check_type(values: Operands, index: int, wanted: np.dtype[Any]) -> None:
    dtype = dtype_of(values[index])
    if dtype != wanted:
        raise ParseError(f"input {index} is {name_of(dtype)}, expected {name_of(wanted)}")


def _axis(node: Node, rank: int, default: int | None = 0) -> int:
    axis = node.attributes.get("axis", default)
    if not isinstance(axis, int):
        raise ParseError("attribute 'axis' is missing or not an integer")
    return normal_axis(axis, rank)


def _like(dtype: np.dtype[Any] | None) -> Rule:
    """Elements of the shape of the first operand, of a type or of that of the operand."""
    return lambda _, v: [(dtype or dtype_of(v[0]), shape_of(v[0]))]


def _broadcast(dtype: np.dtype[Any]) -> Rule:
    """Operands that broadcast; the result has a type of its own."""
    return lambda _, v: [(dtype, broadcast_shapes(*map(shape_of, v)))]


def _same_rank(_: Node, values: Operands) -> StringOutputs:
    return [(dtype_of(values[0]), _all_free(len(shape_of(values[0]))))]


def _where(_: Node, values: Operands) -> StringOutputs:
    _check_type(values, 0, _FLAG)
    _check_type(values, 2, dtype_of(values[1]))
    return [(dtype_of(values[1]), broadcast_shapes(*map(shape_of, values)))]


def _concat(node: Node, values: Operands) -> StringOutputs:
    for index in range(1, len(values)):
        _check_type(values, index, dtype_of(values[0]))
    shapes = [shape_of(value) for value in values]
    axis = _axis(node, len(shapes[0]), None)
    total = sum(shape[axis] for shape in shapes)
    return [(dtype_of(values[0]), (*shapes[0][:axis], total, *shapes[0][axis + 1 :]))]


def _gather(node: Node, values: Operands) -> StringOutputs:
    shape, places = shape_of(values[0]), shape_of(values[1])
    axis = _axis(node, len(shape))
    return [(dtype_of(values[0]), (*shape[:axis], *places, *shape[axis + 1 :]))]


def _gather_nd(node: Node, values: Operands) -> StringOutputs:
    shape, places = shape_of(values[0]), shape_of(values[1])
    batch = node.attributes.get("batch_dims", 0)
    return [(dtype_of(values[0]), (*places[:-1], *shape[batch + places[-1] :]))]


def _reshape(node: Node, values: Operands) -> StringOutputs:
    target = node.attributes.get("shape")
    rank = len(target) if isinstance(target, list) else shape_of(values[1])[0]
    return [(dtype_of(values[0]), _all_free(rank))]


def _flatten(node: Node, values: Operands) -> StringOutputs:
    shape, axis = shape_of(values[0]), node.attributes.get("axis", 1)
    axis = axis + len(shape) if axis < 0 else axis
    return [(dtype_of(values[0]), (math.prod(shape[:axis]), math.prod(shape[axis:])))]


def _number_of_axes(node: Node, values: Operands) -> int | None:
    """How many axes there are, in the attribute or, since version 13, the operand."""
    axes = node.attributes.get("axes")
    if isinstance(axes, list):
        return len(axes)
    return math.prod(shape_of(values[1])) if len(values) > 1 and values[1] is not None else None


def _squeeze(node: Node, values: Operands) -> StringOutputs:
    shape, count = shape_of(values[0]), _number_of_axes(node, values)
    rank = sum(size != 1 for size in shape) if count is None else len(shape) - count
    return [(dtype_of(values[0]), _all_free(rank))]


def _unsqueeze(node: Node, values: Operands) -> StringOutputs:
    count = _number_of_axes(node, values)
    if count is None:
        raise ParseError("axes are missing")
    return [(dtype_of(values[0]), _all_free(len(shape_of(values[0])) + count))]


def _expand(_: Node, values: Operands) -> StringOutputs:
    rank = max(len(shape_of(values[0])), shape_of(values[1])[0])
    return [(dtype_of(values[0]), _all_free(rank))]


def _transpose(node: Node, values: Operands) -> StringOutputs:
    shape = shape_of(values[0])
    order = node.attributes.get("perm") or range(len(shape))[::-1]
    return [(dtype_of(values[0]), tuple(shape[axis] for axis in order))]


def _split(node: Node, values: Operands) -> StringOutputs:
    return _same_rank(node, values) * len(node.outputs)


def _along_an_axis(node: Node, values: Operands) -> StringOutputs:
    """Return what is chosen along an axis, or of all elements in one dimension."""
    rank = len(shape_of(values[0])) if "axis" in node.attributes else 1
    return [(dtype_of(values[0]), _all_free(rank))]


def _compress(node: Node, values: Operands) -> StringOutputs:
    _check_type(values, 1, _FLAG)
    return _along_an_axis(node, values)


def _unique(node: Node, values: Operands) -> StringOutputs:
    places: StringOutputs = [(_COUNT, (None,))] * 3
    return [*_along_an_axis(node, values), *places]


def _features(_: Node, values: Operands) -> StringOutputs:
    shape, count = shape_of(values[0]), math.prod(shape_of(values[1]))
    return [(dtype_of(values[0]), (*(shape[:-1] or (1,)), count))]


def _shape(node: Node, values: Operands) -> StringOutputs:
    rank = len(shape_of(values[0]))
    start, end = node.attributes.get("start"), node.attributes.get("end")
    return [(_COUNT, (len(range(*slice(start, end).indices(rank))),))]


def _cast(node: Node, values: Operands) -> StringOutputs:
    dtype = of_any_number(node.attributes.get("to", 0))
    if dtype is None:
        raise Unsupported("to a type that no array has")
    return [(dtype, shape_of(values[0]))]


def _cast_like(_: Node, values: Operands) -> StringOutputs:
    return [(dtype_of(values[1]), shape_of(values[0]))]


def _normalized(_: Node, values: Operands) -> StringOutputs:
    shape = shape_of(values[0])
    return [(_STRING, (*shape[:-1], None) if shape else (None,))]


def _string_split(_: Node, values: Operands) -> StringOutputs:
    shape = shape_of(values[0])
    return [(_STRING, (*shape, None)), (_COUNT, shape)]


def _tokens(_: Node, values: Operands) -> StringOutputs:
    return [(_STRING, (*shape_of(values[0]), None))]


def _encoded(attributes: dict[str, Any], what: str) -> np.dtype[Any] | None:
    """Return the type of the keys or values of a LabelEncoder."""
    tensor = attributes.get(f"{what}_tensor")
    if isinstance(tensor, np.ndarray):
        dtype: np.dtype[Any] = tensor.dtype
        return dtype
    kinds = {"strings": _STRING, "int64s": _COUNT, "floats": _REAL}
    return next((kind for end, kind in kinds.items() if f"{what}_{end}" in attributes), None)


def _label_encoder(node: Node, values: Operands) -> StringOutputs:
    if "classes_strings" in node.attributes:  # version 1
        return _category_mapper(node, values)
    dtype = _encoded(node.attributes, "values")
    if dtype is None:
        raise ParseError("the constant has no attribute with values")
    return [(dtype, shape_of(values[0]))]


def _category_mapper(_: Node, values: Operands) -> StringOutputs:
    dtype = _COUNT if is_string(dtype_of(values[0])) else _STRING
    return [(dtype, shape_of(values[0]))]


_STANDARD: tuple[tuple[str, Rule], ...] = (
    ("Identity", _like(None)),
    ("Where", _where),
    ("Equal", _broadcast(_FLAG)),
    ("StringConcat", _broadcast(_STRING)),
    ("RegexFullMatch", _like(_FLAG)),
    ("StringNormalizer", _normalized),
    ("StringSplit", _string_split),
    ("Cast", _cast),
    ("CastLike", _cast_like),
    ("Concat", _concat),
    ("Gather", _gather),
    ("GatherElements", lambda _, v: [(dtype_of(v[0]), shape_of(v[1]))]),
    ("GatherND", _gather_nd),
    ("Reshape", _reshape),
    ("Flatten", _flatten),
    ("Squeeze", _squeeze),
    ("Unsqueeze", _unsqueeze),
    ("Expand", _expand),
    ("Transpose", _transpose),
    ("Slice Tile", _same_rank),
    ("Split", _split),
    ("Compress", _compress),
    ("Unique", _unique),
    ("Shape", _shape),
    ("Size", lambda *_: [(_COUNT, ())]),
)
_RULES: dict[tuple[str, str], Rule] = {
    **{("", name): rule for names, rule in _STANDARD for name in names.split()},
    ("com.microsoft", "Tokenizer"): _tokens,
    (_ML, "ArrayFeatureExtractor"): _features,
    (_ML, "CategoryMapper"): _category_mapper,
    (_ML, "LabelEncoder"): _label_encoder,
}
