# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Joining values and cutting them apart."""

from __future__ import annotations

from armnn_py.descriptors import StackDescriptor
from armnn_py.errors import ParseError
from armnn_py.frontends.common.axes import normal_axis
from armnn_py.frontends.common.values import Known, Value, dtype_of, quantization_of, shape_of
from armnn_py.frontends.tflite.node import OperatorView
from armnn_py.frontends.tflite.table import operator
from armnn_py.types import LayerType


def _parts(view: OperatorView) -> list[Value]:
    """Return the operands in the type and scale of the output."""
    values, stated = view.values(), view.output_quantization()
    found: list[Value] = []
    for index, value in enumerate(values):
        if dtype_of(value) != dtype_of(values[0]):
            raise ParseError(
                f"the operands are {dtype_of(values[0])} and {dtype_of(value)}, expected one type"
            )
        if len(shape_of(value)) != len(shape_of(values[0])):
            raise ParseError(
                f"operands of shape {shape_of(values[0])} and {shape_of(value)} differ in rank"
            )
        if stated is not None and quantization_of(value) != stated:
            info = view.info(shape_of(value))
            value = view.emit.layer(LayerType.QUANTIZE, [value], name=f"part{index}", output=info)
        found.append(value)
    return found


@operator("CONCATENATION")
def _concatenation(view: OperatorView) -> Value:
    parts = _parts(view)
    axis = normal_axis(int(view.option("axis")), len(shape_of(parts[0])))
    return view.activated(view.emit.concat(parts, axis, view.part("concat")))


@operator("PACK")
def _pack(view: OperatorView) -> Value:
    parts = _parts(view)
    shape = shape_of(parts[0])
    if any(shape_of(part) != shape for part in parts):
        raise ParseError(
            f"the operands have different shapes: {[shape_of(part) for part in parts][:8]}"
        )
    axis = normal_axis(int(view.option("axis")), len(shape) + 1)
    emit = view.emit
    if len(parts) == 1 or all(isinstance(part, Known) for part in parts):
        one = (*shape[:axis], 1, *shape[axis:])
        return emit.concat([emit.reshape(part, one, "row") for part in parts], axis)
    descriptor = StackDescriptor(axis=axis, input_count=len(parts), input_shape=shape)
    return view.layer(LayerType.STACK, parts, descriptor)


@operator("UNPACK")
def _unpack(view: OperatorView) -> list[Value]:
    emit, shape = view.emit, view.shape(0)
    axis = normal_axis(int(view.option("axis")), len(shape))
    count = len(view.op.outputs)
    if shape[axis] != count:
        raise ParseError(
            f"dimension {axis} of shape {shape} does not have {count} elements, one an output"
        )
    rest = (*shape[:axis], *shape[axis + 1 :])
    parts = emit.split(view.value(0), [1] * count, axis, "rows")
    return [emit.reshape(part, rest, f"output{k}") for k, part in enumerate(parts)]


@operator("SPLIT")
def _split(view: OperatorView) -> list[Value]:
    shape, count = view.shape(1), len(view.op.outputs)
    axis = normal_axis(view.integer(0, "axis"), len(shape))
    if not count or shape[axis] % count:
        raise ParseError(f"dimension {axis} of shape {shape} does not divide by {count}")
    return view.emit.split(view.value(1), [shape[axis] // count] * count, axis)


@operator("SPLIT_V")
def _split_v(view: OperatorView) -> list[Value]:
    shape, sizes = view.shape(0), view.integers(1, "sizes")
    axis = normal_axis(view.integer(2, "axis"), len(shape))
    if sizes.count(-1) == 1:
        rest = shape[axis] - sum(size for size in sizes if size != -1)
        sizes = [rest if size == -1 else size for size in sizes]
    if len(sizes) != len(view.op.outputs):
        raise ParseError(
            f"sizes {sizes} are given for {len(view.op.outputs)} outputs, expected one each"
        )
    return view.emit.split(view.value(0), sizes, axis)
