# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""RandomNormal, RandomUniform, Bernoulli, Multinomial: numbers of the layer Random.

A node with the attribute ``seed`` makes the same numbers in each run. Numbers of the others depend
on the network's variable ``random``: a seed, and the number of the run.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from armnn_py.descriptors import ArgMinMaxDescriptor
from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import Unsupported, Value, shape_of
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import operator
from armnn_py.frontends.onnx.file.element_types import dtype_of_number, element_type_name
from armnn_py.types import (
    ActivationFunction,
    ArgMinMaxFunction,
    ComparisonOperation,
    DataType,
    LayerType,
    UnaryOperation,
)


@operator("RandomNormal", "RandomUniform")
def _of_a_shape(view: NodeView) -> Value:
    shape = view.ints("shape")
    if shape is None:
        raise ParseError("attribute 'shape' is missing")
    if any(size < 0 for size in shape):
        raise ParseError(f"attribute 'shape' is {shape}, expected sizes of at least 0")
    return _scaled(view, shape, None, _dtype(view, np.dtype(np.float32)))


@operator("RandomNormalLike", "RandomUniformLike")
def _like(view: NodeView) -> Value:
    return _scaled(view, view.shape(0), view.value(0), _dtype(view, view.dtype(0)))


def _scaled(view: NodeView, shape: Any, like: Value | None, dtype: np.dtype[Any]) -> Value:
    """Return numbers of the mean and scale, or between the ends, that attributes give."""
    if dtype.kind != "f" and dtype.name != "bfloat16":
        raise ParseError(f"the random numbers are {dtype}, expected floats")
    normal = "Normal" in view.node.op_type
    if normal:
        scale, offset = view.number("scale", 1.0), view.number("mean", 0.0)
    else:
        offset = view.number("low", 0.0)
        scale = view.number("high", 1.0) - offset
    plain = (scale, offset) == (1, 0) and dtype == np.float32
    numbers = _numbers(view, shape, like, normal=normal, name="" if plain else "numbers")
    emit = view.emit
    if (scale, offset) != (1, 0):
        name = "" if dtype == np.float32 and normal else "scaled"
        numbers = emit.activation(ActivationFunction.LINEAR, numbers, scale, offset, name)
    if not normal and not plain:  # rounding makes the upper end of numbers right below it
        ends = np.array([offset + scale, offset]).astype(dtype)
        most = np.nextafter(*ends).astype(np.float32)
        name = "" if dtype == np.float32 else "below_high"
        bounded = ActivationFunction.BOUNDED_RELU
        numbers = emit.activation(bounded, numbers, float(most), float(ends[1]), name)
    return emit.cast(numbers, dtype)


@operator("Bernoulli")
def _bernoulli(view: NodeView) -> Value:
    """Return 1 with the probability that the input gives, else 0."""
    emit, x = view.emit, view.value(0)
    dtype = _dtype(view, view.dtype(0))
    chances = emit.cast(x, np.float32, "chances")
    numbers = _numbers(view, shape_of(x), x, normal=False, name="numbers")
    hit = emit.compare(ComparisonOperation.LESS, numbers, chances, "hit")
    return emit.cast(hit, dtype)


@operator("Multinomial")
def _multinomial(view: NodeView) -> Value:
    """Return classes drawn by their unnormalised log-probabilities, [batch, samples].

    The class whose log-probability plus Gumbel noise, -log(-log(u)), is greatest has the
    probability of the class.
    """
    emit, shape, count = view.emit, view.shape(0), view.integer("sample_size", 1)
    if len(shape) != 2 or count < 1:
        raise ParseError(
            f"sample_size is {count} and the input shape {shape}, expected at least 1 and [batch, "
            "classes]"
        )
    dtype = _dtype(view, np.dtype(np.int32))
    if dtype not in (np.int32, np.int64):
        raise ParseError(f"the classes are {dtype}, expected int32 or int64")
    batch, classes = shape
    chances = emit.cast(view.value(0), np.float32, "log_chances")
    rows = emit.reshape(chances, (batch, 1, classes), "rows")
    wide = emit.broadcast_to(rows, (batch, count, classes), "samples")
    noise = _numbers(view, (batch, count, classes), wide, normal=False, name="numbers")
    for name in ("noise", "gumbel"):
        logarithm = emit.unary(UnaryOperation.LOG, noise, f"{name}_log")
        noise = emit.unary(UnaryOperation.NEG, logarithm, name)
    descriptor = ArgMinMaxDescriptor(
        ArgMinMaxFunction.MAX, axis=2, output_type=DataType.from_numpy(dtype)
    )
    return emit.layer(LayerType.ARG_MIN_MAX, [emit.add(wide, noise, "scores")], descriptor)


def _numbers(view: NodeView, shape: Any, like: Value | None, *, normal: bool, name: str) -> Value:
    seed = None
    if "seed" in view.node.attributes:
        seed = int(np.array(view.number("seed"), np.float32).view(np.uint32))
    return view.emit.random(shape, like, normal, seed, name)


def _dtype(view: NodeView, default: np.dtype[Any]) -> np.dtype[Any]:
    number = view.integer("dtype", 0)
    if not number:
        return default
    dtype = dtype_of_number(number)
    if dtype is None:
        raise Unsupported(f"numbers of {element_type_name(number)}")
    return dtype
